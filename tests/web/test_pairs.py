"""What the page of pairs speaks with the server, and what comes out of it for other verbs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import InputError
from assay.flows import pair_levels, pairs
from assay.flows.agree import agree
from assay.flows.keeping import TENANT, open_store
from assay.flows.workbench import Workbench
from web.answered import fields
from web.compared import comparing
from web.labelled import HOSTILE, project
from web.visiting import Visitor

Visit = Callable[..., Visitor]
SEEN = {"doc_id", "doc_hash", "title", "text", "html", "fields", "image", "language", "captured_at", "dir"}
"""All that a page gets of a document."""


def rater(visit: Visit, name: str = "rater") -> tuple[Visitor, dict[str, str]]:
    """Somebody who is signed in, with the header that every write needs."""
    who = visit()
    assert who.sign_in(name).status_code == 303
    found = re.search(r'data-csrf="([^"]+)"', who.get("/pairs/duel").text)
    assert found is not None
    return who, {"x-csrf-token": found[1]}


def items(who: Visitor, n: int = 12) -> list[dict[str, Any]]:
    answer = who.get(f"/v1/projects/duel/pairs?n={n}")
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def prefer(who: Visitor, head: dict[str, str], one: dict[str, Any], uid: str, **said: Any) -> Any:
    content = {"uid": uid, "item": one["item"], "left": one["left"]["doc_id"]}
    return who.post("/v1/preferences", json=content | (said or {"choice": "tie"}), headers=head)


def compare_all(visit: Visit, name: str, better: Callable[[str, str], str]) -> None:
    """Somebody answers everything that comes: `better` names the better document, or a tie or both-bad."""
    who, head = rater(visit, name)
    while found := items(who, 1):
        (one,) = found
        left, right = (one[side]["doc_id"] for side in ("left", "right"))
        said = better(*sorted((left, right)))
        choice = {left: "left", right: "right"}.get(said, said)
        assert prefer(who, head, one, f"{name}-{one['item']}", choice=choice).status_code == 200


def test_the_payload_is_blind(folder: Path, visit: Visit) -> None:
    comparing(folder)
    who, _ = rater(visit)
    for one in items(who):
        assert set(one) == {"item", "count", "query", "left", "right"}
        assert set(one["query"]) == {"query_id", "text", "need", "language", "dir"}
        assert set(one["left"]) == set(one["right"]) == SEEN


def test_a_project_of_pairs_has_its_own_page_and_its_own_routes(folder: Path, visit: Visit) -> None:
    comparing(folder)
    project(folder)
    who, head = rater(visit)
    assert who.get("/label/duel").headers["location"].startswith("/pairs/")
    assert HOSTILE not in who.get("/pairs/duel").text
    assert who.get("/pairs/winter").status_code == 422
    assert who.get("/v1/projects/duel/items").json()["what"] == "this project is labelled by pairs"
    graded = who.post(
        "/v1/grades", json={"uid": "grade-0001", "item": items(who, 1)[0]["item"], "grade": 1}, headers=head
    )
    assert (graded.status_code, graded.json()["what"]) == (422, "this project is labelled by pairs")
    (one,) = who.get("/v1/projects/winter/items?n=1").json()["items"]
    said = prefer(who, head, one | {"left": one["document"]}, "choice-0001", choice="left")
    assert (said.status_code, said.json()["what"]) == (422, "winter is labelled document by document")


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"left": "q1-d9", "choice": "left"}, "your page shows other sides"),
        ({"note": "nothing"}, "an answer says one thing"),
        ({"choice": "left", "cannot_tell": "other"}, "an answer says one thing"),
        ({"choice": "middle"}, "input should be"),
    ],
)
def test_answers_that_are_not_clear_are_refused(folder: Path, visit: Visit, said: dict[str, Any], what: str) -> None:
    comparing(folder)
    who, head = rater(visit)
    told = prefer(who, head, items(who, 1)[0], "abcdefgh-1", **said)
    assert told.status_code == 422
    assert what in told.json()["what"]
    assert len(items(who)) == 12


def test_undo_skip_and_flag_are_those_of_every_page(folder: Path, visit: Visit) -> None:
    comparing(folder)
    who, head = rater(visit)
    one, other, *_ = items(who)
    assert prefer(who, head, one, "abcdefgh-1", choice="left").json()["choice"] == "left"
    assert one not in items(who)
    assert who.post("/v1/undo", json={"uid": "abcdefgh-2", "of": "abcdefgh-1"}, headers=head).status_code == 200
    assert one in items(who)  # on the same sides
    assert who.post("/v1/skip", json={"item": other["item"]}, headers=head).json() == {"skipped": True}
    flag = {"project": "duel", "query_id": "q1", "why": "two questions"}
    assert who.post("/v1/flags", json=flag, headers=head).json() == {"flagged": True}


def test_preferences_without_their_token_or_a_session_are_refused(folder: Path, visit: Visit) -> None:
    comparing(folder)
    who, _ = rater(visit)
    (one,) = items(who, 1)
    assert prefer(who, {}, one, "abcdefgh-1").status_code == 403
    assert prefer(visit(), {}, one, "abcdefgh-1").status_code == 401
    assert visit().get("/v1/projects/duel/pairs").status_code == 401
    assert who.get("/project/duel/preferences.csv").status_code == 403


def test_the_lead_sees_agreement_sides_and_raters(folder: Path, visit: Visit) -> None:
    comparing(folder, docs=3)
    lead = visit()
    assert lead.sign_in("lead").status_code == 303
    way = lead.get("/project/duel").headers["location"]
    assert "Nobody has compared anything yet." in lead.get(way).text
    compare_all(visit, "rater", lambda a, b: a)
    compare_all(visit, "lead", lambda a, b: a if (a, b) != ("q1-d0", "q1-d1") else b)
    page = " ".join(lead.get(way).text.split())
    assert "12 of 12 preferences given or claimed, on 6 pairs of documents. 1 disputed." in page
    assert "6 of 6 pairs have several raters; on 1 they prefer opposite documents." in page
    assert '<th scope="row">percent</th><td class="num">0.83</td>' in page  # 5 of 6
    with open_store(Workbench.open(str(folder))) as store:
        rows = pairs.export(store, TENANT, "duel")
    chosen = {"first": "doc_id", "second": "other_doc_id"}
    left = sum(row[chosen[row["preference"]]] == row["left_doc_id"] for row in rows)
    assert f"The left document was chosen {left} of 12 times" in page
    who, _ = rater(visit)
    assert who.get(way).status_code == 403


def test_the_lead_sees_the_pilot_and_raters_are_told_that_it_waits(folder: Path, visit: Visit) -> None:
    comparing(folder, docs=2, pilot=1, gold={("q1", "q1-d0", "q2-d0"): "first"}, gold_share=1.0)
    who, head = rater(visit, "rater")
    (one,) = items(who)  # in the pilot no known pair comes
    assert prefer(who, head, one, "pilot-0001").status_code == 200
    answer = who.get("/v1/projects/duel/pairs").json()
    assert answer == {"items": [], "rater": "rater", "waits": "pilot"}
    lead = visit()
    lead.sign_in("lead")
    page = lead.get("/project/duel/pairs").text
    told = " ".join(page.split())
    assert "The queue is closed. It opens by itself when every rater has compared the same 1 pairs of documents" in told
    assert "It takes two raters at least." in told
    given = fields(page) | {"why": "enough"}
    assert lead.post("/project/duel/open", data=given).status_code == 303
    assert 'by lead: <span dir="auto">enough</span>' in lead.get("/project/duel/pairs").text
    compare_all(visit, "rater", lambda one, other: one)
    assert len({row["query_id"] for row in everything(folder)}) == 2
    met = '<td class="num">1 of 1</td><td class="num">0</td>'  # the known one
    assert met in lead.get("/project/duel/pairs").text
    assert not any({row["doc_id"], row["other_doc_id"]} == {"q1-d0", "q2-d0"} for row in everything(folder))


def everything(folder: Path) -> list[dict[str, Any]]:
    with open_store(Workbench.open(str(folder))) as store:
        return pairs.export(store, TENANT, "duel")


def test_preferences_come_out_for_agree_and_for_measures(folder: Path, visit: Visit, tmp_path: Path) -> None:
    comparing(folder, docs=3)
    compare_all(visit, "rater", lambda a, b: a if b != "q2-d2" else "both-bad")
    compare_all(visit, "lead", lambda a, b: a if (a, b) != ("q1-d0", "q1-d1") else b)
    lead = visit()
    lead.sign_in("lead")
    (tmp_path / "prefs.csv").write_bytes(lead.get("/project/duel/preferences.csv").content)
    bench = Workbench.open(str(folder))
    for found in (agree(str(tmp_path / "prefs.csv"), bench=bench), agree("project:duel", bench=bench)):
        assert (found.given, found.shared, found.opposed) == (12, 6, 1)  # type: ignore[union-attr] # preferences
        # Alike on q1: (0,2), (1,2), q2: (0,1); apart on q1: (0,1), q2: (0,2), (1,2).
        assert found.coefficients[0].value == 0.5  # type: ignore[union-attr]
    with pytest.raises(InputError, match="preferences have no grades"):
        agree(str(tmp_path / "prefs.csv"), grades=[0, 1], bench=bench)
    with open_store(bench) as store:
        rows = pairs.export(store, TENANT, "duel")
    target = tmp_path / "prefs.txt"
    pair_levels.write_levels(rows, target)
    lines = [line.split() for line in target.read_text("utf-8").splitlines()]
    assert len(lines) == 24
    assert [line[1] for line in lines[::2]] == [line[1] for line in lines[1::2]]  # two lines a group
    assert len({line[1] for line in lines}) == 12
    assert {(line[1].partition(".")[0], line[4]) for line in lines} == {
        *((who, level) for who in ("rater", "lead") for level in "13"), ("rater", "0"),
    }  # fmt: skip
    # Level 3 is preferred, 1 not: means of q1 are d0 (3+3+1+3)/4 = 2.5, d1 (1+3+3+3)/4 = 2.5, d2 (1+1+1+1)/4 = 1;
    # of q2 d0 (3+0+3+3)/4 = 2.25, d1 (1+0+1+3)/4 = 1.25, d2 (0+0+1+1)/4 = 0.5.
    run = {"q1": {"q1-d2": 3.0, "q1-d1": 2.0, "q1-d0": 1.0}, "q2": {"q2-d0": 3.0, "q2-d1": 2.0, "q2-d2": 1.0}}
    means = assay.evaluate(run, str(target), ["CG@1", "Compat(p=0.5)", "Bpref"], dimension="preference")
    assert means.only("q1").mean("CG@1") == 1.0
    assert means.only("q2").mean("CG@1") == 2.25
    assert means.only("q2").mean("Compat(p=0.5)") == pytest.approx(1.0)
    # q1: ideal d1, d0 (in the order of the run), d2. Overlaps at depth 1, 2, 3: 0, 1/2, 1, weights 1, 1/2, 1/4;
    # 0.5 / 1.75 of the ideal list with itself.
    assert means.only("q1").mean("Compat(p=0.5)") == pytest.approx(0.5 / 1.75)
    assert means.only("q1").mean("Bpref") == 1.0  # no document was called bad on q1
