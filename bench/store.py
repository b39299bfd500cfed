"""`python -m bench.store`: appends beside raw appends, a million pairs in the queue, memory after many log-ins.

Everything is measured on SQLite in a temporary folder on the disk of the current one, so that both sides of a
comparison meet the same disk.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import sqlalchemy as sa

from assay.store import judgments, queue
from assay.store.database import Store
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS, PROJECTS
from bench import served
from bench.postgres import running

TENANT, NOW, SECRET = "t", "2026-03-01T00:00:00Z", b"secret"


def main() -> int:
    """Prints each figure beside its goal; 1 when one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--appends", type=int, default=2_000)
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--sign-ins", type=int, default=0, help="10,000 for the whole figure: it takes minutes")
    parser.add_argument("--only", choices=("appends", "pairs", "sign-ins"))
    options = parser.parse_args()
    met: list[bool] = []
    with tempfile.TemporaryDirectory(prefix="assay-store-", dir=".") as scratch:
        folder = Path(scratch)
        if options.only in (None, "appends"):
            met += appends(folder, options.appends, options.raters)
        if options.only in (None, "pairs"):
            met += pairs(str(folder / "pairs.db"), "SQLite", options.pairs)
            with running(".") as address:
                met += pairs(address, "PostgreSQL", options.pairs)
        if options.sign_ins and options.only in (None, "sign-ins"):
            met += sign_ins(folder / "served", options.sign_ins)
    return 0 if all(met) else 1


def told(what: str, value: str, is_met: bool, goal: str) -> bool:
    """One line, and whether the goal was reached."""
    print(f"{what:<58} {value:>16}   {'reached' if is_met else 'MISSED '}  {goal}", flush=True)
    return is_met


def appends(folder: Path, n: int, raters: int) -> Iterator[bool]:
    """Judgments of many raters at once beside bare inserts, a commit each, with the same durability; turn about."""
    bare, same, ours, slowest = [], [], [], []
    for turn in range(3):
        bare.append(_bare(folder / f"bare-{turn}.db", n))
        same.append(_bare_of_the_store(folder / f"same-{turn}.db", n))
        rate, waits = _judgments(folder / f"ours-{turn}.db", n, raters)
        ours.append(rate)
        slowest += waits
    ratio = statistics.median(ours) / statistics.median(bare)
    print(f"bare inserts, a commit each: {', '.join(f'{rate:,.0f}' for rate in bare)} a second")
    print(f"bare inserts of whole rows into the store's table: {', '.join(f'{rate:,.0f}' for rate in same)} a second")
    yield told(f"judgments of {raters} raters a second", f"{statistics.median(ours):,.0f}",
               ratio >= 0.5, f"half of bare inserts: ratio {ratio:.2f}")  # fmt: skip
    like = statistics.median(ours) / statistics.median(same)
    yield told(
        "  beside bare inserts of whole rows", f"{like:.2f}", True, "no goal: what the table and its indices cost"
    )
    slowest.sort()
    yield told("  from asking to durable, p50 and p95",
               f"{1000 * slowest[len(slowest) // 2]:.0f} / {1000 * slowest[int(0.95 * len(slowest))]:.0f} ms", True,
               "no goal: raters do not wait for it")  # fmt: skip


def _bare(path: Path, n: int) -> float:
    with sqlite3.connect(path, isolation_level=None) as connection:
        for line in ("journal_mode=WAL", "synchronous=FULL"):
            connection.execute(f"PRAGMA {line}").close()
        connection.execute("create table judgments (id integer primary key, uid text unique, item int, grade real)")
        started = time.perf_counter()
        for i in range(n):
            connection.execute("insert into judgments (uid, item, grade) values (?, ?, ?)", (f"uid-{i}", i, 1.0))
        rate = n / (time.perf_counter() - started)
    connection.close()
    return rate


def _bare_of_the_store(path: Path, n: int) -> float:
    """Whole rows into the table of the store, with its indices and references; nothing is looked up for them."""
    with Store.open(str(path)) as store:
        _project(store)
        _queued(store, [queue.NewItem(f"q{i // 20}", f"d{i}", "h", i // 20) for i in range(n)], 1)
    values = {
        "tenant": TENANT, "uid": "", "project": "p", "item": 0, "query_id": "q", "doc_id": "d", "rater": "r",
        "role": "rater", "grade": 1.0, "rubric_version": "v1", "doc_hash": "h", "judged_at": NOW, "source": "human",
    }  # fmt: skip
    text = f"insert into judgments ({', '.join(values)}) values ({', '.join('?' * len(values))})"
    with sqlite3.connect(path, isolation_level=None) as connection:
        for line in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {line}").close()
        started = time.perf_counter()
        for i in range(n):
            connection.execute(text, tuple((values | {"uid": f"uid-{i}", "item": i + 1}).values()))
        rate = n / (time.perf_counter() - started)
    connection.close()
    return rate


def _judgments(path: Path, n: int, raters: int) -> tuple[float, list[float]]:
    """A second's judgments, each with its claim ended and its item looked at; and how long each took."""
    waits: list[float] = []
    with Store.open(str(path)) as store:
        project = _project(store)
        _queued(store, [queue.NewItem(f"q{i // 20}", f"d{i}", "h", i // 20) for i in range(n + raters)], 1)
        each = n // raters
        held = {f"r{r}": _claimed(store, project, f"r{r}", each) for r in range(raters)}

        def rate(rater: str) -> None:
            for item in held[rater]:
                given = judgments.Given(f"{rater}-{item['id']}", item["id"], rater, grade=1.0)
                began = time.perf_counter()
                store.write(
                    partial(judgments.append, tenant=TENANT, given=given, rubric_version="v1", now=NOW)
                ).result()
                waits.append(time.perf_counter() - began)

        threads = [threading.Thread(target=rate, args=(rater,)) for rater in held]
        started = time.perf_counter()
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        seconds = time.perf_counter() - started
        there = store.rows(sa.select(sa.func.count().label("n")).select_from(JUDGMENTS))[0]["n"]
        if there != len(waits):
            raise RuntimeError(f"{there} judgments are there and {len(waits)} were answered")
    return len(waits) / seconds, waits


def _claimed(store: Store, project: dict[str, Any], rater: str, n: int) -> list[dict[str, Any]]:
    return store.write(lambda connection: queue.claim(connection, project, rater, n, NOW, SECRET)).result()


ANSWERED = 50_000


def pairs(address: str, name: str, n: int) -> Iterator[bool]:
    """A pool goes into the queue, and raters open the next item: at its beginning, and after many answers."""
    with Store.open(address) as store:
        project = _project(store)
        items = [queue.NewItem(f"q{i // 100}", f"d{i}", "h", i // 100) for i in range(n)]
        started = time.perf_counter()
        _queued(store, items, 2)
        seconds = time.perf_counter() - started
        yield told(f"{name}: {n:,} pairs queued", f"{seconds:.1f} s", seconds < 20 * n / 1e6,
                   "under 20 s for a million")  # fmt: skip
        before = min(ANSWERED, n // 4)
        _answered(store, "b", before)
        for label, rater in (("first of the queue", "a"), (f"after {before:,} answers", "b")):
            for share in (0.0, 0.05):
                asked = project | {"repeat_share": share}
                took = sorted(_took(partial(_next, store, asked, rater)) for _ in range(200))
                median, worst = 1000 * took[100], 1000 * took[190]
                yield told(f"  next item, {label}, {share:.0%} repeats: p50, p95", f"{median:.1f} / {worst:.1f} ms",
                           worst < 20, "under 20 ms")  # fmt: skip


def _answered(store: Store, rater: str, n: int) -> None:
    """A rater who has answered the first n items, as the rows that this leaves."""
    first = ITEMS.c.id.in_(sa.select(ITEMS.c.id).order_by(ITEMS.c.place, ITEMS.c.id).limit(n))

    def job(connection: sa.Connection) -> None:
        rows = connection.execute(sa.select(ITEMS).where(first).order_by(ITEMS.c.place)).mappings().all()
        connection.execute(sa.update(ITEMS).where(first).values(taken=1))
        connection.execute(sa.insert(CLAIMS), [
            {"tenant": TENANT, "item": row["id"], "rater": rater, "turn": 0, "claimed_at": NOW, "ended_at": NOW,
             "outcome": "judged"} for row in rows
        ])  # fmt: skip
        connection.execute(sa.insert(JUDGMENTS), [
            {"tenant": TENANT, "uid": f"{rater}-{row['id']}-0", "project": "p", "item": row["id"],
             "query_id": row["query_id"], "doc_id": row["doc_id"], "rater": rater, "role": "rater", "grade": 1.0,
             "rubric_version": "v1", "doc_hash": "h", "judged_at": NOW, "source": "human"} for row in rows
        ])  # fmt: skip
        if connection.dialect.name == "postgresql":  # as it does by itself within a minute, on a server that runs
            connection.execute(sa.text("analyze items, claims, judgments"))

    store.write(job).result()


def _project(store: Store) -> dict[str, Any]:
    row = {
        "tenant": TENANT, "id": "p", "name": "Shop", "rubric": "", "rubric_version": "v1", "mode": "query",
        "raters_each": 1, "needs_enter": False, "pilot": 0, "pilot_limit": 0.6, "gold_share": 0.0,
        "repeat_share": 0.0, "created_at": NOW, "opened_at": None,
    }  # fmt: skip
    store.write(lambda connection: connection.execute(sa.insert(PROJECTS).values(**row))).result()
    return row


def _queued(store: Store, items: list[queue.NewItem], wanted: int) -> None:
    store.write(lambda connection: queue.add(connection, TENANT, "p", items, wanted, NOW)).result()


def _next(store: Store, project: dict[str, Any], rater: str) -> None:
    """One item is claimed and answered, as the page does."""

    def job(connection: sa.Connection) -> None:
        (item,) = queue.claim(connection, project, rater, 1, NOW, SECRET)
        uid = f"{rater}-{item['id']}-{item['turn']}"
        given = judgments.Given(uid, item["id"], rater, turn=item["turn"], grade=1.0)
        judgments.append(connection, TENANT, given, "v1", NOW)

    store.write(job).result()


def _took(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def sign_ins(folder: Path, n: int) -> Iterator[bool]:
    """Memory of a server before and after many people have signed in."""
    began = time.perf_counter()
    early, late = memory_after_sign_ins(folder, n)
    rate = n / (time.perf_counter() - began)
    yield told(f"memory after {n // 10:,} and {n:,} log-ins ({rate:.0f} a second)", f"{early:.0f}, {late:.0f} MB",
               late - early < 0.1 * early + 10, "steady: no more than a tenth and 10 MB")  # fmt: skip


def memory_after_sign_ins(folder: Path, n: int) -> tuple[float, float]:
    """Megabytes that a server process holds after a tenth of so many log-ins and after all, four people at a time."""
    from concurrent.futures import ThreadPoolExecutor

    people = [f"rater {i}" for i in range(4)]
    served.workspace(folder, people)
    with served.served(folder) as server, ThreadPoolExecutor(len(people)) as several:

        def signs_in(name: str, times: int) -> None:
            for _ in range(times):
                _signed_in(server.url, name)

        def all_sign_in(times: int) -> float:
            list(several.map(signs_in, people, [times // len(people)] * len(people)))
            return served.resident_mb(server.pid)

        early = all_sign_in(n // 10)
        return early, all_sign_in(n - n // 10)


def _signed_in(url: str, name: str) -> None:
    """A browser of its own opens the page, types, and comes in."""
    with httpx2.Client(base_url=url, timeout=120) as client:
        token = client.get("/sign-in").text.split('name="csrf" value="')[1].split('"')[0]
        answer = client.post("/sign-in", data={"name": name, "password": served.PASSWORD, "csrf": token})
        if answer.status_code != 303:
            raise RuntimeError(f"signing in was answered {answer.status_code}: {answer.text[-300:]}")


if __name__ == "__main__":
    sys.exit(main())
