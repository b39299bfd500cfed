"""Whatever way a run is read - text, its copy, Parquet, Arrow, JSON lines - the result is the same, notes and all."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from assay.errors import InputError
from assay.flows.compare import compare
from assay.flows.evaluate import evaluate
from assay.flows.workbench import Workbench
from assay.formats.blocks import RunBlocks
from assay.formats.typed import TypedRun
from assay.measures.scores import Scores
from assay.results import Source, dump

MEASURES = "nDCG@5,nDCG(gain=exp)@5,P@3,R@10,RR,AP,Bpref,Judged@5"
Row = tuple[str, str, int, float]


def rows_of_a_run(seed: int = 4, queries: int = 60) -> list[Row]:
    """Tied scores, queries in disorder, one query too many and one too few."""
    rng = random.Random(seed)
    rows = []
    for q in range(1, queries + 1):
        docs = rng.sample(range(40), rng.randrange(1, 30))
        scores = sorted((round(rng.random() * 4) / 4 for _ in docs), reverse=True)
        one = [(f"q{q}", f"d{doc}", i + 1, score) for i, (doc, score) in enumerate(zip(docs, scores, strict=True))]
        if q % 7 == 0:
            rng.shuffle(one)
        rows += one
    return rows


def trec(rows: list[Row], path: Path) -> Path:
    path.write_text("# made for a test\n" + "".join(f"{q} Q0 {d} {r} {s} tag\n" for q, d, r, s in rows))
    return path


def frame_of(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "rank", "score"], orient="row")


FORMATS: dict[str, Callable[[list[Row], Path], object]] = {
    "a.run": trec,
    "a.parquet": lambda rows, path: frame_of(rows).write_parquet(path, row_group_size=50),
    "a.arrow": lambda rows, path: frame_of(rows).write_ipc(path),
    "a.arrows": lambda rows, path: frame_of(rows).write_ipc_stream(path),
    "a.jsonl": lambda rows, path: frame_of(rows).write_ndjson(path),
    "a.csv": lambda rows, path: frame_of(rows).write_csv(path),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RunBlocks.__init__, "__defaults__", (600,))
    monkeypatch.setattr(TypedRun.__init__, "__defaults__", (None, 40))
    rng = random.Random(8)
    lines = [f"q{q} 0 d{d} {rng.choice((0, 0, 1, 2, 3))}\n" for q in range(2, 63) for d in rng.sample(range(40), 12)]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "assay.toml").write_text("")
    return tmp_path


def bench(small: int = 0, cache: bool | None = None) -> Workbench:
    return Workbench.open(small=small, cache=cache)


def bare(scores: Scores) -> Scores:
    """Without what names the file and the format."""
    notes = tuple(note for note in scores.notes if "comment" not in note.text)
    return replace(scores, source=Source(), notes=notes, _cache={})


def of(name: str, bench: Workbench, **options: object) -> Scores:
    return evaluate({"a": name}, "qrels", MEASURES, bench=bench, **options)  # type: ignore[arg-type] # conventions


@pytest.mark.parametrize("options", [{}, {"order": "rank"}, {"ties": "expected"}, {"scores": "32-bit"}])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_and_path_gives_the_same_result(folder: Path, name: str, options: dict[str, str]) -> None:
    rows = rows_of_a_run()
    trec(rows, folder / "plain.run")
    FORMATS[name](rows, folder / name)
    expected = dump(bare(of("plain.run", bench(1 << 20, cache=False), **options)))
    for cache in (False, True, True):
        assert dump(bare(of(name, bench(cache=cache), **options))) == expected
    copies = list((folder / ".assay" / "cache" / "copies").glob("*")) if (folder / ".assay").exists() else []
    assert len(copies) == (1 if name in ("a.run", "a.jsonl", "a.csv") else 0)


@pytest.mark.parametrize("name", ["a.run", "a.jsonl", "a.csv"])
def test_a_result_from_a_copy_is_byte_for_byte_that_from_the_file(folder: Path, name: str) -> None:
    FORMATS[name](rows_of_a_run(), folder / name)
    first, again, without = (dump(of(name, bench(cache=cache))) for cache in (True, True, False))
    assert first == again == without
    assert b"comment" in first or name != "a.run"
    assert len(list((folder / ".assay" / "cache" / "copies").iterdir())) == 1


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_whose_lines_are_scattered_gives_the_same_result(folder: Path, name: str) -> None:
    rows = rows_of_a_run()
    trec(rows, folder / "plain.run")
    expected = bare(of("plain.run", bench(1 << 20, cache=False)))
    random.Random(1).shuffle(rows)
    FORMATS[name](rows, folder / name)
    for cache in (False, True, True):
        found = bare(of(name, bench(cache=cache)))
        assert found.values.tobytes() == expected.values.tobytes()
        assert found.coverage == expected.coverage


def complaint(do: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        do()
    return str(caught.value)


@pytest.mark.parametrize("name", FORMATS)
def test_a_document_twice_is_refused_with_the_place_of_both_rows(folder: Path, name: str) -> None:
    rows = rows_of_a_run()
    at = next(i for i in range(200, len(rows)) if rows[i][0] == rows[i + 1][0])
    rows[at + 1] = (*rows[at][:2], *rows[at + 1][2:])
    FORMATS[name](rows, folder / name)
    line = {"a.run": 2, "a.csv": 2, "a.jsonl": 1}.get(name)
    places = [f"{name}:{at + i + line}" if line else f"{name}, row {at + i + 1}" for i in (0, 1)]
    said = {complaint(lambda cache=cache: of(name, bench(cache=cache))) for cache in (False, True, True)}  # type: ignore[misc] # bound
    assert len(said) == 1
    assert said.pop().startswith(
        f"{places[1]}: document {rows[at][1]} of query {rows[at][0]} was already at {places[0]}"
    )
    for cache in (False, True, True):
        assert of(name, bench(cache=cache), duplicates="keep-first").coverage[0].duplicates == 1


def test_a_comparison_from_copies_is_that_from_the_files(folder: Path) -> None:
    for seed, name in ((4, "a.run"), (5, "b.run")):
        trec(rows_of_a_run(seed), folder / name)
    first, again, without = (
        dump(replace(compare(["a.run", "b.run"], "qrels", "nDCG@5,P@3", bench=bench(cache=cache)), source=Source()))
        for cache in (True, True, False)
    )
    assert first == again == without
    assert len(list((folder / ".assay" / "cache" / "copies").iterdir())) == 2


def test_a_changed_file_is_read_anew(folder: Path) -> None:
    rows = rows_of_a_run()
    path = trec(rows, folder / "a.run")
    before = of("a.run", bench()).mean("P@3")
    with path.open("r+") as file:  # of the same length, at once
        text = file.read().replace(" d1 ", " x1 ").replace(" d2 ", " x2 ").replace(" d3 ", " x3 ")
        file.seek(0)
        file.write(text)
    after = of("a.run", bench()).mean("P@3")
    assert after == of("a.run", bench(cache=False)).mean("P@3") != before


# where copies are made


@pytest.mark.parametrize(
    ("settings", "variables", "option", "is_on"),
    [
        ("", {}, None, True),
        ("", {}, False, False),
        ("[cache]\non = false\n", {}, None, False),
        ("[cache]\non = false\n", {}, True, True),
        ("", {"ASSAY_CACHE_ON": "false"}, None, False),
        ("[cache]\non = false\n", {"ASSAY_CACHE_ON": "true"}, None, True),
        (None, {}, None, False),
        (None, {"ASSAY_CACHE_ON": "1"}, None, True),
        (None, {"ASSAY_CACHE_FOLDER": "there"}, None, True),
        (None, {}, True, True),
    ],
)
def test_copies_are_made_in_a_workspace_and_where_they_are_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, settings: str | None, variables: dict[str, str], option: bool | None,
    is_on: bool,
) -> None:  # fmt: skip
    for name in ("ASSAY_CACHE_ON", "ASSAY_CACHE_FOLDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "of-the-user"))
    if settings is None:
        (folder / "assay.toml").unlink()
    else:
        (folder / "assay.toml").write_text(settings)
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    trec(rows_of_a_run(), folder / "a.run")
    of("a.run", bench(cache=option))
    made = [str(path.parent.relative_to(folder)) for path in folder.rglob("manifest.json")]
    place = ".assay/cache" if settings is not None else variables.get("ASSAY_CACHE_FOLDER", "of-the-user/assay/runs")
    assert [path.rpartition("/")[0] for path in made] == ([f"{place}/copies"] if is_on else [])


def test_small_runs_and_standard_input_are_not_copied(folder: Path) -> None:
    trec(rows_of_a_run(), folder / "a.run")
    of("a.run", bench(1 << 20))
    assert not (folder / ".assay").exists()


def test_a_limit_below_zero_is_refused_with_its_line(folder: Path) -> None:
    (folder / "assay.toml").write_text("[cache]\nlimit_gb = -1\n")
    trec(rows_of_a_run(), folder / "a.run")
    assert complaint(lambda: of("a.run", bench())).startswith("assay.toml:2: limit_gb is below 0")


def test_what_goes_wrong_with_copies_is_told_and_not_in_the_result(folder: Path) -> None:
    trec(rows_of_a_run(), folder / "a.run")
    (folder / ".assay").write_text("a file")
    used = bench()
    assert dump(of("a.run", used)) == dump(of("a.run", bench(cache=False)))
    assert len(used.told) == 1
    assert "no copy of a run is kept" in used.told[0]
    assert json.dumps(used.told)
