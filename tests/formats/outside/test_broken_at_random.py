"""Files of other tools broken at random: each ends in tables or in an error with a place, and tables can be written.

`ASSAY_SOAK=1` multiplies the numbers by 50.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.formats.carried import OUTSIDE
from formats.outside import (
    test_beir,
    test_label_studio,
    test_letor_esci,
    test_msmarco,
    test_rag,
    test_rank_eval,
    test_rre,
    test_srw,
    test_trec_judgments,
)
from formats.outside.files import claims, put, read, wishes
from formats.outside.harness import sample

MANY = 40 * (50 if os.environ.get("ASSAY_SOAK") else 1)
SAMPLES = [
    ("srw-judgments", test_srw.SENT), ("srw-judgments", test_srw.STORED), ("srw-queries", test_srw.QUERIES),
    ("srw-experiment", test_srw.PAIRWISE), ("srw-experiment", test_srw.POINTWISE),
    ("rank-eval", test_rank_eval.REQUEST), ("rank-eval-answer", test_rank_eval.ANSWER),
    ("rre", test_rre.NESTED), ("rre", test_rre.FLAT), ("ranx-qrels", '{"q1": {"d1": 1, "d2": 3}}'),
    ("ranx-run", '{"q1": {"d1": 1.5, "d2": 3}, "q2": {}}'), ("beir-results", '{"q1": {"d1": 1.5, "d2": 3}, "q2": {}}'),
    ("beir", test_beir.FOLDER), ("mteb", test_msmarco.RESULT), ("msmarco", test_msmarco.TOP),
    ("msmarco", test_msmarco.QRELS), ("msmarco", test_msmarco.RUN), ("letor", test_letor_esci.LETOR),
    ("label-studio", test_label_studio.EXPORT), ("label-studio", test_label_studio.STARS),
    ("label-studio-min", test_label_studio.MIN), ("ubi-judgments", test_label_studio.CLICKS),
    ("ragas", test_rag.RAGAS), ("ragas", test_rag.LEGACY), ("deepeval", test_rag.DEEPEVAL),
    ("deepeval", test_rag.KEPT), ("rag-jsonl", test_rag.PLAIN), *test_trec_judgments.SAMPLES.items(),
    *((name, sample(file).read_bytes()) for name, file in (
        ("quaerite", "quaerite.csv"), ("quepid-judgements", "quepid-judgements.csv"),
        ("quepid-detailed", "quepid-detailed.csv"), ("quepid-general", "quepid-general.csv"),
        ("quepid-snapshot", "quepid-snapshot.csv"), ("quepid-snapshot-json", "quepid-snapshot.json"),
        ("quepid-trec", "quepid-trec.txt"), ("quepid-book", "quepid-book.json"), ("quepid-case", "quepid-case.json"),
        ("quepid-ratings", "quepid-ratings.csv"), ("quepid-ltr", "quepid-ltr.txt"),
    )),
]  # fmt: skip
PIECES = [
    *(b"null", b"{}", b"[]", b'""', b"-1", b"1e999", b"NaN", b"true", b"1.5", b'"\\ud800"', b"\0", b"\xff", b"\t"),
    *(b"\n", b"\r", b'"', b",", b"}", b"]", b":", b"[" * 2000, b"9" * 400, b"\xef\xbb\xbf", b"\xe2\x80\xa8"),
]
VALUE = re.compile(rb'"[^"]*"|[0-9.]+|null|\[[^\[\]]*\]|\{[^{}]*\}')


def broken(data: bytes, rng: random.Random) -> bytes:
    """The data with up to four things changed: cut, put in, copied, or one value replaced by another kind."""
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at, way = rng.randrange(len(made) + 1), rng.randrange(4)
        values = list(VALUE.finditer(bytes(made)))
        if way == 0:
            del made[at : at + rng.randrange(1, 8)]
        elif way == 1:
            made[at:at] = rng.choice(PIECES)
        elif way == 2:
            begin = rng.randrange(len(made) + 1)
            made[at:at] = made[begin : begin + rng.randrange(1, 30)]
        elif values:
            one = rng.choice(values)
            made[one.start() : one.end()] = rng.choice(PIECES)
    return bytes(made)


def text_of(content: str | bytes | dict[str, str | bytes], name: str = "") -> bytes:
    held = content[name] if isinstance(content, dict) else content
    return held.encode() if isinstance(held, str) else held


@pytest.mark.parametrize(("format", "content"), SAMPLES, ids=[f"{at}-{one}" for at, (one, _) in enumerate(SAMPLES)])
def test_it_is_read_or_refused(tmp_path: Path, format: str, content: str | bytes | dict[str, str | bytes]) -> None:
    rng = random.Random(f"20261130 {format} {len(content)}")
    outside = OUTSIDE.find(format)
    complaints, refusals = list[InputError](), list[InputError]()
    asked = wishes(index="shop") if "index" in outside.options else wishes()
    for at in range(MANY):
        if isinstance(content, dict):
            name = rng.choice(sorted(content))
            given = {**content, name: broken(text_of(content, name), rng)}
        else:
            given = broken(text_of(content), rng)
        labels = rng.choice(["", "", "yes-no", "1..5"])
        try:
            got = read(format, tmp_path, f"{at}.in", given, labels)
        except InputError as error:
            complaints.append(error)
            continue
        try:
            claims(put(tmp_path, f"{at}.in", given))
            if outside.write is not None:
                outside.write(got, str(tmp_path / f"{at}.out"), asked)
        except InputError as error:
            refusals.append(error)
    assert complaints
    assert all(error.what and error.where for error in complaints)
    assert all(error.what for error in refusals)
    assert not list(tmp_path.glob("*.tmp"))
