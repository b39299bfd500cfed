"""`python -m bench.leading`: the lead's page of a project of 100,000 pairs and 200,000 judgments of 50 raters.

The server is a process of its own. The page is asked for every 0.2 seconds while raters keep answering, so that counts
fall due and are made behind the requests; a request of a rater is timed meanwhile.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
import sqlalchemy as sa

from assay.flows.keeping import open_store
from assay.flows.people import add_person, make_key, named
from assay.flows.workbench import Workbench
from assay.store import queue
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS, PROJECTS
from bench import served
from bench.store import told

NOW = "2026-03-01T00:00:00Z"
RATERS, EACH, DOCUMENTS = 50, 2, 20


def main() -> int:
    """Prints each figure beside its goal; 1 when one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="for which the page is asked for")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-lead-", dir=".") as scratch:
        folder = Path(scratch)
        served.workspace(folder, ["measured"])
        key = labelled(folder, options.pairs)
        (rater,) = served.keys(folder, ["measured"])
        with served.served(folder) as server:
            met = pages(server.url, key, rater, options.pairs, options.seconds)
            print(f"the server holds {served.resident_mb(server.pid):.0f} MB")
    return 0 if met else 1


def labelled(folder: Path, pairs: int) -> str:
    """A project in which all but the last hundred pairs have their judgments; a key of its lead."""
    served.project(folder, 1, 1)
    rng = random.Random(1)
    with open_store(Workbench.open(str(folder))) as store:
        add_person(store, "lead", "lead", served.PASSWORD, by="bench")
        (row,) = store.rows(sa.select(PROJECTS))
        where = {"tenant": row["tenant"], "project": row["id"]}
        items = [queue.NewItem(f"q{i // DOCUMENTS}", f"d{i}", "h", i // DOCUMENTS) for i in range(pairs)]

        def job(connection: sa.Connection) -> None:
            queue.add(connection, row["tenant"], row["id"], items, EACH, NOW)
            there = connection.execute(sa.select(ITEMS).order_by(ITEMS.c.place, ITEMS.c.id)).mappings().all()[:-100]
            connection.execute(
                sa.update(ITEMS).where(ITEMS.c.id == sa.bindparam("which")).values(taken=EACH),
                [{"which": item["id"]} for item in there],
            )
            said = [(item, *one) for item in there for one in _grades(rng)]
            connection.execute(sa.insert(JUDGMENTS), [_judgment(where, *one) for one in said])
            connection.execute(sa.insert(CLAIMS), [
                {"tenant": row["tenant"], "item": item["id"], "rater": rater, "turn": 0, "claimed_at": NOW,
                 "ended_at": NOW, "outcome": "judged"} for item, rater, _ in said
            ])  # fmt: skip

        store.write(job).result()
        return make_key(store, "lead as lead", named(store, "lead"), "lead")


def _grades(rng: random.Random) -> list[tuple[str, float]]:
    """Two raters of one pair, who agree seven times in ten."""
    true = rng.choice([0, 0, 1, 2, 3])
    return [
        (f"rater {who}", float(true if rng.random() < 0.85 else rng.randrange(4)))
        for who in rng.sample(range(RATERS), EACH)
    ]


def _judgment(where: dict[str, str], item: Any, rater: str, grade: float) -> dict[str, Any]:
    return where | {
        "uid": f"{rater}-{item['id']}", "item": item["id"], "query_id": item["query_id"], "doc_id": item["doc_id"],
        "rater": rater, "role": "rater", "grade": grade, "rubric_version": "v1", "doc_hash": "h", "judged_at": NOW,
        "source": "human", "took_ms": 4_000,
    }  # fmt: skip


def pages(url: str, lead: str, rater: str, pairs: int, seconds: float) -> bool:
    """Asks for the page and labels meanwhile; the times of both."""
    times: list[float] = []
    answers: list[float] = []
    counts = set()
    first: float | None = None
    with (
        httpx2.Client(base_url=url, headers={"authorization": f"Bearer {lead}"}, timeout=120) as leads,
        httpx2.Client(base_url=url, headers={"authorization": f"Bearer {rater}"}, timeout=120) as labels,
    ):
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            answers.append(_answer(labels, len(answers)))
            at = time.perf_counter()
            page = leads.get(f"/project/{served.PROJECT}").raise_for_status().text
            times.append(1000 * (time.perf_counter() - at))
            if "being counted" not in page:
                first = first or time.perf_counter() - began
                counts.add(page.split("Counted ")[1].split(" UTC")[0])
            time.sleep(0.2)
    if first is None:
        raise RuntimeError(f"the project was not counted within {seconds:.0f} seconds")
    times.sort()
    answers.sort()
    p95, most = times[int(0.95 * len(times))], times[-1]
    print(f"{pairs:,} pairs counted {first:.1f} s after the first request, and {len(counts)} times in all")
    print(f"a rater's next item and answer meanwhile: p50 {answers[len(answers) // 2]:.0f}, "
          f"p95 {answers[int(0.95 * len(answers))]:.0f} ms")  # fmt: skip
    return told("the lead's page: p50, p95, most", f"{times[len(times) // 2]:.0f} / {p95:.0f} / {most:.0f} ms",
                p95 < 300, "p95 under 300 ms")  # fmt: skip


def _answer(client: httpx2.Client, number: int) -> float:
    """Milliseconds of the next item and its answer."""
    at = time.perf_counter()
    (item,) = client.get(f"/v1/projects/{served.PROJECT}/items?n=1").raise_for_status().json()["items"]
    said = {"uid": f"bench-{number:06}", "item": item["item"], "grade": 1}
    client.post("/v1/grades", json=said).raise_for_status()
    return 1000 * (time.perf_counter() - at)


if __name__ == "__main__":
    sys.exit(main())
