"""Which documents are alike is known of a project when it is made, and when pairs are added to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.flows.adding import add_pairs
from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.schema import ITEMS

RUBRIC = '+++\n[grade.0]\nname = "no"\n[grade.1]\nname = "yes"\n+++\nJudge.\n'
TUBE = "Inner tube 28 inch with a long Presta valve for deep rims, sold as a single piece in a box"
PUMP = "Floor pump with a gauge, up to eleven bars, for Presta and Schrader valves, on a steel foot"


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
