"""What a rater is told of the own progress: own numbers, to whoever asks, and of no one else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from web.labelled import project
from web.test_label import answered, items, rater
from web.visiting import Visitor

Visit = Callable[..., Visitor]


def share(who: Visitor, name: str = "winter") -> dict[str, Any]:
    told: dict[str, Any] = who.get(f"/v1/projects/{name}/share").json()
    return told


def test_a_rater_is_told_the_own_answers_and_what_there_is(folder: Path, visit: Visit) -> None:
    project(folder, docs=4)
    who, head = rater(visit)
    assert share(who) == {"done": 0, "of": 8, "is_rough": False, "seconds": []}
    first, second = items(who)[:2]
    assert (first["count"], second["count"]) == ({"done": 0, "of": 4}, {"done": 0, "of": 4})
    assert answered(who, head, first, "abcdefgh-1", grade=1, took_ms=2_340).status_code == 200
    assert share(who) == {"done": 1, "of": 8, "is_rough": False, "seconds": [2.3]}
    assert items(who)[0]["count"] == {"done": 1, "of": 4}
    other, _ = rater(visit, "lead")
    assert share(other) == {"done": 0, "of": 8, "is_rough": False, "seconds": []}


def test_where_pairs_come_again_now_and_then_the_number_is_an_expectation(folder: Path, visit: Visit) -> None:
    project(folder, docs=38, repeat_share=0.05)
    who, _ = rater(visit)
    assert share(who)["of"] == 80  # 76 pairs are 95 of 100 of what comes
    assert share(who)["is_rough"] is True


def test_mixed_queries_have_no_place(folder: Path, visit: Visit) -> None:
    project(folder, mode="mixed")
    who, _ = rater(visit)
    assert {one["count"] for one in items(who)} == {None}


def test_a_project_that_is_not_there_has_no_share(folder: Path, visit: Visit) -> None:
    project(folder)
    who, _ = rater(visit)
    assert who.get("/v1/projects/summer/share").json()["what"] == "there is no project summer"
