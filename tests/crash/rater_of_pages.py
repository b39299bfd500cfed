"""A server and a rater for the harness: each id becomes a grade by HTTP, answered when the server has answered.

As the page does, the rater notes an answer in an outbox before it is sent, and sends it again after a crash with the
same id for the same item. Server and rater are one group of processes, and are killed together.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx2


def main(folder: str, key: str) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "assay", "serve", "--port", "0"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    assert server.stderr is not None
    base = server.stderr.readline().split()[3].rstrip("/")
    drain = subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
    with httpx2.Client(base_url=base, headers={"authorization": f"Bearer {key}"}) as client:
        _wait(client)
        print("ready", flush=True)
        outbox = Path(folder, "outbox.jsonl")
        known = dict(map(json.loads, outbox.read_text("utf-8").splitlines())) if outbox.exists() else {}
        with outbox.open("a", encoding="utf-8") as noted:
            for line in sys.stdin:
                uid = line.strip()
                if uid not in known:
                    (item,) = client.get("/v1/projects/winter/items?n=1").raise_for_status().json()["items"]
                    known[uid] = {"uid": uid, "item": item["item"], "grade": 1}
                    noted.write(json.dumps([uid, known[uid]]) + "\n")
                    noted.flush()
                client.post("/v1/grades", json=known[uid]).raise_for_status()
                print(uid, flush=True)
    server.terminate()
    assert server.wait(60) == 0
    drain.wait(10)


def _wait(client: httpx2.Client) -> None:
    for _ in range(300):
        try:
            if client.get("/ready").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the server is not ready after 30 seconds")


main(sys.argv[1], sys.argv[2])
