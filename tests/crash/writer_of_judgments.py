"""A writer of judgments for the harness: an id a line, answered when its judgment is durable."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import Future
from typing import Any

import sqlalchemy as sa

from assay.store import claims, judgments, queue
from assay.store.database import Store
from assay.store.schema import ITEMS

TENANT, NOW = "t", "2026-03-01T00:00:00Z"


def main(url: str) -> None:
    say = threading.Lock()

    def answered(one: str, future: Future[Any]) -> None:
        future.result()
        with say:
            sys.stdout.write(one + "\n")
            sys.stdout.flush()

    with Store.open(url) as store:
        print("ready", flush=True)
        for line in sys.stdin:
            one = line.strip()

            def job(connection: sa.Connection, one: str = one) -> None:
                # An item of its own for each id, so that claims are in play; a retry meets the row that is there.
                number = one.rpartition("-")[2]
                known = judgments.by_uid(connection, TENANT, one)
                if known is None:
                    queue.add(connection, TENANT, "p", [queue.NewItem("q", f"d{number}", "h", int(number))], 1, NOW)
                    select = sa.select(ITEMS).where(ITEMS.c.project == "p", ITEMS.c.doc_id == f"d{number}")
                    row = dict(connection.execute(select).mappings().one())
                    assert claims.take(connection, row, "rater", 0, NOW)
                item = row["id"] if known is None else known["item"]
                judgments.append(connection, TENANT, judgments.Given(one, item, "rater", grade=1.0), "v1", NOW)

            store.write(job).add_done_callback(lambda future, one=one: answered(one, future))


main(sys.argv[1])
