"""A rater's own page where two documents are compared: choices by the sides on which the rater saw them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.flows import own as flow
from assay.flows.keeping import TENANT, open_store
from assay.flows.pairs import Choice, next_pairs, prefer
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from web.compared import comparing
from web.visiting import Visitor, key

Visit = Callable[..., Visitor]
SECRET = b"the secret of this test"
RATER, PEER = Person("rater", "rater", TENANT), Person("lead", "lead", TENANT)
NOBODY = {"left": 0, "right": 0, "tie": 0, "both_bad": 0, "low": None, "high": None}

Shown = tuple[str, str]
"""The documents on the left and on the right."""


@pytest.fixture(autouse=True)
def no_one_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "LEFT_OUT", 0.0)


def compared(folder: Path, who: Person, choose: Callable[[Shown, int], str], most: int = 10_000) -> list[Shown]:
    """One rater answers what comes; what was on the screen, in that order."""
    seen: list[Shown] = []
    with open_store(Workbench.open(str(folder))) as store:
        while len(seen) < most and (held := next_pairs(store, who, "duel", 1, SECRET)):
            (one,) = held
            shown = one["left"]["doc_id"], one["right"]["doc_id"]
            said = Choice(f"{who.name}-{len(seen):06}", one["item"], who.name, shown[0], one["turn"],
                          choose(shown, len(seen)), took_ms=3_000)  # fmt: skip
            prefer(store, who, said, SECRET)
            seen.append(shown)
    return seen


def smaller(shown: Shown, _: int = 0) -> str:
    """The side of the document whose name comes first."""
    return "left" if shown[0] < shown[1] else "right"


def figures(guest: Visitor, folder: Path) -> dict[str, Any]:
    answer = guest.get("/v1/projects/duel/own", headers={"authorization": f"Bearer {key(folder, 'rater', 'rater')}"})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def counted(shown: list[Shown]) -> list[int]:
    """How often somebody who always chooses the smaller one would choose left, right, both alike and neither."""
    left = sum(smaller(one) == "left" for one in shown)
    return [left, len(shown) - left, 0, 0]


def test_own_choices_stand_beside_those_of_peers_on_the_sides_that_the_rater_saw(folder: Path, visit: Visit) -> None:
    comparing(folder, docs=7)  # twice 21 pairs
    assert len(compared(folder, PEER, smaller)) == 42
    seen = compared(folder, RATER, lambda _, n: "tie" if n % 2 else "left")
    assert len(seen) == 42
    found = figures(visit(), folder)
    # Of 21 answers of each kind a batch of twenty, the first ones.
    lefts, ties = seen[::2][:20], seen[1::2][:20]
    assert found["peers"] == {
        "choices": ["left", "right", "tie", "both-bad"],
        "rows": [{"choice": "left", "counts": counted(lefts)}, {"choice": "tie", "counts": counted(ties)}],
        "same": counted(lefts)[0], "n": 40,
    }  # fmt: skip
    sides = found["sides"]
    assert (sides["left"], sides["right"], sides["tie"], sides["both_bad"]) == (21, 0, 21, 0)
    assert (found["done"], found["grades"], found["is_graded"], found["median_s"]) == (42, 42, False, 3.0)
    assert (found["known"], found["again"]) == (None, None)


@pytest.mark.parametrize("is_steady", [True, False])
def test_a_pair_that_came_again_is_read_by_its_new_sides(folder: Path, visit: Visit, is_steady: bool) -> None:
    comparing(folder, docs=8, repeat_share=1.0)  # 56 pairs; from the 21st answer on, what can comes again
    answered = compared(folder, RATER, smaller if is_steady else lambda *_: "left")
    assert len(answered) == 56 + 36  # all but the last twenty
    again = figures(visit(), folder)["again"]
    assert again["n"] >= flow.FEWEST_AGAIN
    if is_steady:
        assert again["same"] == again["n"]  # the same document, on the other side
    else:
        assert again["rows"] == [{"choice": "left", "counts": [0, again["n"], 0, 0]}]  # always left is never the same


def test_a_known_answer_is_met_on_the_side_where_its_document_stood(folder: Path, visit: Visit) -> None:
    gold = {("q1", f"x{n:02}", f"y{n:02}"): "first" if n < 15 else "both-bad" for n in range(20)}
    comparing(folder, gold=gold, gold_share=1.0)
    seen = compared(folder, RATER, lambda *_: "right", most=20)
    assert all(left[0] in "xy" for left, _ in seen)  # all of them known
    right = sum(shown[1][0] == "x" and int(shown[1][1:]) < 15 for shown in seen)
    known = figures(visit(), folder)["known"]
    assert known["rows"] == [{"choice": "right", "counts": [15 - right, right, 0, 5]}]
    assert (known["same"], known["n"]) == (right, 20)
    compared(folder, PEER, lambda *_: "right", most=20)
    assert figures(visit(), folder)["peers"] is None  # whoever met the same known pair is no peer there


def test_the_page_says_the_same_in_words(folder: Path, visit: Visit) -> None:
    comparing(folder, docs=7)
    guest = visit()
    assert figures(guest, folder)["sides"] == NOBODY
    compared(folder, PEER, smaller)
    compared(folder, RATER, lambda *_: "left")
    head = {"authorization": f"Bearer {key(folder, 'rater', 'rater')}"}
    page = " ".join(guest.get("/own/duel", headers=head).text.split())
    peers = page.split('id="peers-h"')[1].split("</section>")[0]
    same = figures(guest, folder)["peers"]["same"]
    assert f"you made the same choice <b>{same} of 40</b>" in peers
    assert '<th scope="row">left</th>' in peers
    assert "both alike" in peers
    sides = page.split('id="sides-h"')[1].split("</section>")[0]
    assert "Of 42 choices of one document you made <b>42</b> for the left one." in sides
    assert "makes 15 to 27 of so many, 19 times of 20" in sides  # from the sums of binomial coefficients
    assert "lead" not in page
