"""Kills at random: nothing that was answered is lost, nothing is there twice, and the database is sound."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store.database import Store
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS
from assay.store.upgrade import check
from crash.harness import Harness, Tally
from store.made import TENANT, project
from web import labelled
from web.visiting import key, workspace

KILLS = 200 if os.environ.get("ASSAY_SOAK") else 6
WRITER = Path(__file__).with_name("writer_of_judgments.py")
RATER = Path(__file__).with_name("rater_of_pages.py")


@pytest.mark.slow
def test_no_answered_judgment_is_lost_or_doubled(url: str) -> None:
    with Store.open(url) as store:
        project(store, items=0)
    tally = Harness([sys.executable, str(WRITER), url], seed=20_260_301).run(KILLS)
    assert tally.kills == KILLS
    assert tally.killed_at_work >= KILLS / 3  # by lot a half, of six a third; and others fell into work, too
    with Store.open(url) as store:
        counted(store, tally)
        assert all(one.is_well for one in check(store)), check(store)


def counted(store: Store, tally: Tally) -> None:
    """Each id that was sent is there once: all were sent again until they were answered."""
    there = [row["uid"] for row in store.rows(sa.select(JUDGMENTS.c.uid).where(JUDGMENTS.c.tenant == TENANT))]
    assert len(there) == len(set(there))
    assert tally.answered <= set(there), sorted(tally.answered - set(there))[:5]
    assert set(there) == set(tally.sent)
    assert len(tally.sent) > tally.kills  # work was done
    (items,) = store.rows(sa.select(sa.func.count().label("n"), sa.func.sum(ITEMS.c.taken).label("taken")))
    assert items["n"] == items["taken"] == len(there)
    (claims,) = store.rows(
        sa.select(sa.func.count().label("n")).select_from(CLAIMS).where(CLAIMS.c.outcome == "judged")
    )
    assert claims["n"] == len(there)


@pytest.mark.slow
def test_the_harness_notices_a_writer_that_answers_too_early(tmp_path: Path) -> None:
    liar = tmp_path / "liar.py"
    text = WRITER.read_text("utf-8")
    early = "            answered(one, _done())\n            pending.append(job)\n"
    told = text.replace(
        "            store.write(job).add_done_callback(lambda future, one=one: answered(one, future))\n",
        early + "            if len(pending) == 20:\n                [store.write(each) for each in pending]\n"
        "                pending.clear()\n        [store.write(each) for each in pending]\n",
    ).replace(
        "def main(",
        "pending = []\n\n\ndef _done():\n    f = Future()\n    f.set_result(None)\n    return f\n\n\ndef main(",
    )
    assert told != text
    liar.write_text(told, "utf-8")
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    with Store.open(url) as store:
        project(store, items=0)
    tally = Harness([sys.executable, str(liar), url], seed=1).run(6)
    with Store.open(url) as store:
        there = {row["uid"] for row in store.rows(sa.select(JUDGMENTS.c.uid))}
    assert tally.answered - there


@pytest.mark.slow
def test_no_grade_that_the_server_answered_is_lost_or_doubled(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    labelled.project(folder, docs=5_000, raters_each=1)
    command = [sys.executable, str(RATER), str(folder), key(folder, "rater", "rater")]
    kills = max(KILLS // 2, 4)
    tally = Harness(command, seed=7, longest_s=1.0).run(kills)
    assert tally.kills == kills
    with Store.open(str(folder / ".assay" / "store.db")) as store:
        there = [row["uid"] for row in store.rows(sa.select(JUDGMENTS.c.uid))]
        pairs = [(row["item"], row["turn"]) for row in store.rows(sa.select(JUDGMENTS))]
        assert all(one.is_well for one in check(store)), check(store)
    assert len(there) == len(set(there))
    assert len(pairs) == len(set(pairs))  # one rater grades no item twice
    assert tally.answered <= set(there)
    assert set(there) == set(tally.sent)
    assert len(there) > kills
