"""Twenty raters at once, against a server process as a team would run it: quotas hold, and nothing is lost."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
import sqlalchemy as sa

from assay.store.database import Store
from assay.store.schema import ITEMS, JUDGMENTS
from assay.store.upgrade import check
from store.conftest import server, url

__all__ = ["server", "url"]

RATERS, QUERIES, DOCUMENTS, EACH = 20, 3, 20, 2


def labels_all(address: str, name: str, key: str) -> int:
    """One rater takes four items at a time until nothing is left; every answer is sent twice, as after a lost reply."""
    given = 0
    with httpx2.Client(base_url=address, headers={"authorization": f"Bearer {key}"}, timeout=120) as client:
        while items := client.get("/v1/projects/bench/items?n=4").raise_for_status().json()["items"]:
            for item in items:
                said = {"uid": f"{name}-{item['item']}", "item": item["item"], "grade": 1}
                for _ in range(2):
                    client.post("/v1/grades", json=said).raise_for_status()
                given += 1
    return given


@pytest.mark.slow
def test_quotas_hold_when_twenty_raters_race_at_a_server(url: str, tmp_path: Path) -> None:
    from bench import served

    people = [f"rater-{i}" for i in range(RATERS)]
    folder = tmp_path / "team"
    served.workspace(folder, people, url)
    served.project(folder, QUERIES, DOCUMENTS, EACH, repeat_share=0.0)
    keys = served.keys(folder, people)
    with served.served(folder) as running, ThreadPoolExecutor(RATERS) as several:
        given = list(several.map(labels_all, [running.url] * RATERS, people, keys))
    assert sum(given) == QUERIES * DOCUMENTS * EACH
    assert sum(n > 0 for n in given) > EACH  # they did race
    with Store.open(url) as store:
        rows = store.rows(sa.select(JUDGMENTS.c.item, JUDGMENTS.c.rater))
        assert set(Counter(row["item"] for row in rows).values()) == {EACH}
        assert len({(row["item"], row["rater"]) for row in rows}) == len(rows) == QUERIES * DOCUMENTS * EACH
        assert {row["taken"] for row in store.rows(sa.select(ITEMS.c.taken))} == {EACH}
        assert all(one.is_well for one in check(store)), check(store)


@pytest.mark.slow
@pytest.mark.usefixtures("real_passwords")  # the memory that they take is what could stay
def test_a_server_holds_no_more_memory_after_many_log_ins(tmp_path: Path) -> None:
    from bench.store import memory_after_sign_ins

    early, late = memory_after_sign_ins(tmp_path / "team", 10_000 if os.environ.get("ASSAY_SOAK") else 80)
    assert late - early < 0.1 * early + 10, f"{early:.0f} MB after a tenth of the log-ins, {late:.0f} MB after all"
