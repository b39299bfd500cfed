"""Which documents are alike is known of a project when it is made, and when pairs are added to it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.flows.adding import add_pairs
from assay.flows.finding import add_found
from assay.flows.keeping import open_store
from assay.flows.labelling import create_project, give, next_items
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.judgments import Given
from assay.store.schema import DOCUMENTS, ITEMS

RUBRIC = '+++\n[grade.0]\nname = "no"\n[grade.1]\nname = "yes"\n+++\nJudge.\n'
TUBE = "Inner tube 28 inch with a long Presta valve for deep rims, sold as a single piece in a box"
PUMP = "Floor pump with a gauge, up to eleven bars, for Presta and Schrader valves, on a steel foot"


LAMP = "Front light with three levels for dynamos, thirty lux, and a bracket for the fork crown of touring wheels"


def documents(**texts: str) -> list[dict[str, Any]]:
    return [{"doc_id": doc, "title": "", "text": text} for doc, text in texts.items()]


def pairs(query: str, *docs: str) -> list[dict[str, Any]]:
    return [{"query_id": query, "doc_id": doc} for doc in docs]


def alike(store: Any) -> dict[tuple[str, str], int | None]:
    return {(row["query_id"], row["doc_id"]): row["alike"] for row in store.rows(sa.select(ITEMS))}


def test_what_is_added_is_held_against_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("", "utf-8")
    bench = Workbench.open(str(tmp_path))
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", pairs=[*pairs("q1", "tube", "pump"), *pairs("q2", "tube", "same")], by="test",
            rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, pilot=0,
            documents=documents(tube=f"{TUBE}, 60 mm", pump=PUMP, same=f"{TUBE.upper()}, 60 mm."),
        )  # fmt: skip
        first = alike(store)
        assert (first["q1", "tube"], first["q1", "pump"]) == (None, None)
        assert first["q2", "tube"] == first["q2", "same"] is not None
        add_pairs(store, bench, name="winter", pairs=pairs("q1", "tube-80", "pump-2"),
                  documents=documents(**{"tube-80": f"{TUBE}, 80 mm", "pump-2": f"{PUMP}!"}))  # fmt: skip
        found = alike(store)
    assert found["q1", "tube"] == found["q1", "tube-80"] is not None
    assert found["q1", "pump"] == found["q1", "pump-2"] is not None
    assert len(set(found.values())) == 3
    assert {key: found[key] for key in first if key[0] == "q2"} == {key: first[key] for key in first if key[0] == "q2"}


def test_titles_count_beside_texts_and_no_two_queries_share_a_number(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("", "utf-8")
    bench = Workbench.open(str(tmp_path))
    rows = [{"doc_id": doc, "title": title, "text": text} for doc, title, text in (
        ("tube", "Tube", TUBE), ("same", "Tube", f"{TUBE}!"), ("named", "Tube", PUMP), ("lamp", LAMP, "For touring."),
        ("lamp-2", f"{LAMP}!", "For touring."))]  # fmt: skip
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", by="test", rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, pilot=0,
            pairs=[*pairs("q1", "tube", "same", "named"), *pairs("q2", "lamp", "lamp-2"), *pairs("q3", "tube", "same")],
            documents=rows,
        )  # fmt: skip
        found = alike(store)
    assert found["q1", "named"] is None  # the same title, and another text
    together = [(found["q1", "tube"], found["q1", "same"]), (found["q2", "lamp"], found["q2", "lamp-2"]),
                (found["q3", "tube"], found["q3", "same"])]  # fmt: skip
    assert all(one == other is not None for one, other in together)
    assert len(set(together)) == 3


def test_a_document_that_changed_is_held_against_others_as_it_looks_last_and_all_its_items_are(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("", "utf-8")
    bench = Workbench.open(str(tmp_path))
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", by="test", rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, pilot=0,
            pairs=pairs("q1", "tube", "pump"), documents=documents(tube=TUBE, pump=PUMP),
        )  # fmt: skip
        add_pairs(store, bench, name="winter", pairs=pairs("q1", "pump"), documents=documents(pump=f"{TUBE}!"))
        rows = store.rows(sa.select(ITEMS).where(ITEMS.c.query_id == "q1"))
    assert len(rows) == 3  # of the pump, as it looked before and as it looks now
    assert len({row["alike"] for row in rows}) == 1
    assert rows[0]["alike"] is not None


def test_what_is_asked_for_one_by_one_does_not_follow_what_it_is_alike(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("", "utf-8")
    bench = Workbench.open(str(tmp_path))
    texts = {"t1": f"{TUBE} 1", "t2": f"{TUBE} 2", "t3": f"{TUBE} 3", "pump": PUMP, "lamp": LAMP, "bag": "A bag."}
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", by="test", rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, pilot=0,
            pairs=pairs("q", *texts), documents=documents(**texts), raters_each=8, repeat_share=0.0, min_seconds=0.0,
        )  # fmt: skip
        for rater in "abcdefgh":  # by chance alone no two tubes meet in one order of five, and so never in eight
            seen = []
            while held := next_items(store, Person(rater, "rater"), "winter", 1, b"secret"):
                seen.append(held[0]["document"]["doc_id"])
                give(store, Person(rater, "rater"), Given(f"{rater}-{len(seen)}", held[0]["item"], rater, grade=1.0))
            assert len(seen) == 6
            assert not any(one[0] == other[0] == "t" for one, other in pairwise(seen)), seen


def test_one_that_comes_joins_what_it_is_near_and_what_that_is_alike(tmp_path: Path) -> None:
    """Ten letters at one end or the other are others: near the one in the middle, and not near each other."""
    (tmp_path / "assay.toml").write_text("", "utf-8")
    bench = Workbench.open(str(tmp_path))
    texts = {"middle": TUBE, "head": f"qzqxjzkqxj{TUBE[10:]}", "tail": f"{TUBE[:-10]}0123456789", "pump": PUMP,
             "tail-2": f"{TUBE[:-10]}0123456789!", 
             "far": f"{TUBE[:40]}zkzqjkxq{TUBE[48:-10]}0123456789", "pump-2": f"{PUMP}!", "lamp": LAMP,
             "head-2": f"qzqxjzkqxj{TUBE[10:]}!"}  # fmt: skip
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", by="test", rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, pilot=0,
            pairs=[*pairs("q", "head", "head-2", "tail", "tail-2", "far", "pump", "pump-2"),
                   *pairs("other", "tail", "tail-2")],
            documents=documents(**texts),
        )  # fmt: skip
        before = alike(store)
        assert before["q", "head"] == before["q", "head-2"] is not None
        assert before["q", "tail"] == before["q", "tail-2"] == before["q", "far"] is not None
        assert before["q", "pump"] == before["q", "pump-2"] is not None
        row = store.rows(sa.select(ITEMS))[0]
        for doc in ("lamp", "middle"):
            (held,) = store.rows(sa.select(DOCUMENTS).where(DOCUMENTS.c.doc_id == doc))
            add_found(store, Person("ann", "rater"), "winter", "q", doc, held["doc_hash"], b"secret")
        after = {
            (one["query_id"], one["doc_id"]): one["alike"]
            for one in store.rows(sa.select(ITEMS).where(ITEMS.c.project == row["project"]))
        }
    together = {after["q", name] for name in ("middle", "head", "head-2", "tail", "tail-2", "far")}
    assert together == {min(before["q", "head"] or 0, before["q", "tail"] or 0)}
    assert before["q", "head"] != before["q", "tail"]
    assert after["q", "lamp"] is None  # it is near nothing
    assert {key: after[key] for key in before if key[1][:4] == "pump" or key[0] == "other"} == {
        key: before[key] for key in before if key[1][:4] == "pump" or key[0] == "other"
    }
