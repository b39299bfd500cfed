"""A large JSON lines file through polars gives what the strict reader gives, or is left to it."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable

import pytest

from assay.errors import InputError
from assay.formats import many_objects
from assay.formats.columns import read_columns
from assay.formats.many_objects import read_many_objects
from assay.formats.objects import read_objects
from assay.tables import Block, Hit


def lines(n: int = 400, **more: object) -> list[str]:
    rng = random.Random(2)
    rows = [
        {"query_id": f"q:{i // 9}", "doc_id": f"d é{i}", "score": rng.choice([rng.random(), 7, -3.25e-9]), **more}
        for i in range(n)
    ]
    return [json.dumps(row, ensure_ascii=False) for row in rows]


class Named(io.BytesIO):
    """An open file with a name."""

    name = "a.jsonl"


def strict(data: bytes) -> Block:
    return read_objects(data, Hit, "a.jsonl")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_objects, "_PIECE", 5_000)
    monkeypatch.setattr(many_objects, "_LOOK", 500)
    monkeypatch.setattr(many_objects, "LARGE", 1)


def text(rows: list[str]) -> bytes:
    return ("\n".join(rows) + "\n").encode()


def replaced(row: int, old: str, new: str) -> list[str]:
    rows = lines()
    assert old in rows[row]
    rows[row] = rows[row].replace(old, new)
    return rows


QUICK = {
    "plain": lines(),
    "further keys": lines(title="a: b", clicks=7, sponsored=True),
    "ids that are whole numbers": [row.replace('"q:', "1").replace('", "doc', ', "doc') for row in lines()],
    "no end of the last line": lines(),
    "blanks around": [f"{row}  " for row in lines()],
    "whole scores in one piece and fractions in another": [
        json.dumps({"query_id": "q", "doc_id": f"d{i}", "score": i if i < 200 else i + 0.5}) for i in range(400)
    ],
}


@pytest.mark.parametrize("case", QUICK)
def test_what_is_of_one_shape_is_read_through_polars_with_the_same_rows(case: str) -> None:
    data = text(QUICK[case])
    data = data.removesuffix(b"\n") if case.startswith("no end") else data
    found = read_many_objects(data, Hit, "a.jsonl")
    assert found is not None
    expected = strict(data)
    assert found.polars().equals(expected.polars())
    assert found.facts == expected.facts
    assert [found.place(row) for row in (0, 399)] == [expected.place(row) for row in (0, 399)]


ODD = {
    "a key twice": replaced(300, '"score"', '"score": 1, "score"'),
    "a key twice in one line and missing in another": [
        row.replace(', "score"', ', "score": 1, "score"')
        if i == 5
        else row.partition(', "score"')[0] + "}"
        if i == 6
        else row
        for i, row in enumerate(lines())
    ],
    "a key twice, and a number among texts": [
        row.replace(', "score"', ', "score": 1, "score"') if i == 5 else row.replace('"q:1"', "1") if i == 12 else row
        for i, row in enumerate(lines())
    ],
    "a number among texts": replaced(300, '"q:33"', "33"),
    "texts in one piece, numbers in another": [
        json.dumps({"query_id": "q", "doc_id": i if i > 300 else f"d{i}", "score": 1.5}) for i in range(400)
    ],
    "a missing key": replaced(300, ', "score"', ', "sore"'),
    "a key that the first lines lack": replaced(300, '"score"', '"more": 1, "score"'),
    "an id that is text behind numbers": [
        json.dumps({"query_id": "q", "doc_id": f"d{i}" if i > 300 else i, "score": 1.5}) for i in range(400)
    ],
    "a blank line": [*lines()[:7], "", *lines()[7:]],
    "an escape": replaced(300, "d é300", "d \\u00e9300"),
    "an id of forty digits": [row.replace('"q:', "1" * 40).replace('", "doc', ', "doc') for row in lines()],
    "an id that is -0": ['{"query_id": -0, "doc_id": "d0", "score": 1}', *lines(9)],
    "NaN": replaced(300, '"score": ', '"score": NaN, "x": '),
    "no number": replaced(300, '"score": ', '"score": 01, "x": '),
    "an empty id": replaced(300, '"d é300"', '""'),
    "null": replaced(300, '"d é300"', "null"),
    "a list": ["[1]", *lines()],
    "a line that is cut short": [*lines()[:-1], lines()[-1][:-4]],
    "two objects on a line": replaced(300, "}", "} {}"),
    "a decimal id": [row.replace('"q:', "1.").replace('", "doc', ', "doc') for row in lines()],
    "CR LF": [f"{row}\r" for row in lines()],
    "no score": [row.replace("score", "grade") for row in lines()],
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_odd_is_left_to_the_strict_reader(case: str) -> None:
    data = text(ODD[case])
    assert read_many_objects(data, Hit, "a.jsonl") is None
    assert told(lambda: read_columns(Named(data), Hit, "jsonl")) == told(lambda: strict(data))


def told(read: Callable[[], Block]) -> str | dict[str, list[object]]:
    """The complaint, or the rows."""
    try:
        return read().polars().to_dict(as_series=False)
    except InputError as refused:
        return str(refused)


def test_numbers_are_those_that_python_reads() -> None:
    rng = random.Random(3)
    spelled = [f"{rng.random() * 10 ** rng.randrange(-8, 9):.{rng.randrange(1, 20)}f}" for _ in range(5_000)]
    spelled += [repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)) for _ in range(5_000)]
    data = text([f'{{"query_id": "q", "doc_id": "d{i}", "score": {number}}}' for i, number in enumerate(spelled)])
    found = read_many_objects(data, Hit, "a.jsonl")
    assert found is not None
    assert found.polars()["score"].to_list() == list(map(float, spelled))
