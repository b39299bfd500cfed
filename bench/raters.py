"""`python -m bench.raters URL LOW HIGH`: raters who label as the page does, one a key of stdin, until stdin ends.

Each holds items ahead and asks for more as the page does, thinks for LOW to HIGH seconds before each answer, and sends
the answer behind the thinking. Plain sockets and one thread keep the generator light beside the server that it loads.
At the end it prints one JSON object: how many answers, and the milliseconds of each request by kind.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from urllib.parse import urlsplit

from bench.served import PROJECT

AHEAD = 6
"""Items that the page holds ahead; it asks for more when it has fewer than half."""


class Refused(Exception):  # noqa: N818
    """The server answered something else than 200."""


class Rater:
    """One rater with one connection."""

    def __init__(self, url: str, key: str, number: int, thinking: tuple[float, float]) -> None:
        at = urlsplit(url)
        self.host, self.port = at.hostname or "", at.port or 80
        self.key, self.number, self.thinking = key, number, thinking
        self.rng = random.Random(number)
        self.took: dict[str, list[float]] = {"items": [], "grades": []}
        self.held: dict[str, None] = {}

    async def work(self, ends: asyncio.Event) -> None:
        """Labels until it ends."""
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        await asyncio.sleep(self.rng.uniform(0, self.thinking[1]))  # nobody begins at the same moment
        while not ends.is_set():
            if len(self.held) < AHEAD / 2:
                await self._fill()
            if not self.held:
                raise Refused(f"rater {self.number} has nothing left to label")
            item = next(iter(self.held))
            await asyncio.sleep(self.rng.uniform(*self.thinking))
            del self.held[item]
            said = {"uid": f"load-{self.number}-{item}", "item": item,
                    "grade": self.rng.randrange(4), "took_ms": 1_000}  # fmt: skip
            await self._ask("grades", "POST", "/v1/grades", said)
        self.writer.close()

    async def _fill(self) -> None:
        told = await self._ask("items", "GET", f"/v1/projects/{PROJECT}/items?n={AHEAD + 1}")
        self.held |= {one["item"]: None for one in told["items"]}

    async def _ask(self, kind: str, method: str, path: str, content: object = None) -> dict[str, list[dict[str, str]]]:
        body = b"" if content is None else json.dumps(content).encode()
        head = (f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAuthorization: Bearer {self.key}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()  # fmt: skip
        began = time.perf_counter()
        self.writer.write(head + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:"))
        answer = await self.reader.readexactly(length)
        self.took[kind].append(1000 * (time.perf_counter() - began))
        if " 200 " not in lines[0] + " ":
            raise Refused(f"{method} {path}: {lines[0]} {answer[:200]!r}")
        found: dict[str, list[dict[str, str]]] = json.loads(answer)
        return found


async def load(url: str, keys: list[str], thinking: tuple[float, float]) -> dict[str, list[float]]:
    """Runs a rater for each key until stdin ends; the times of their requests."""
    ends = asyncio.Event()
    raters = [Rater(url, key, number, thinking) for number, key in enumerate(keys)]
    tasks = [asyncio.create_task(one.work(ends)) for one in raters]
    waiting = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    done, _ = await asyncio.wait([*tasks, asyncio.ensure_future(waiting)], return_when=asyncio.FIRST_COMPLETED)
    for one in done:
        one.result()  # a rater that could not go on
    ends.set()
    await asyncio.gather(*tasks)
    return {kind: [ms for one in raters for ms in one.took[kind]] for kind in ("items", "grades")}


if __name__ == "__main__":
    given = [sys.stdin.readline().strip() for _ in range(int(sys.argv[4]))]
    print(json.dumps(asyncio.run(load(sys.argv[1], given, (float(sys.argv[2]), float(sys.argv[3]))))))
