"""Starts a writer, loads it, kills it at a moment that nobody chose, starts it again, and counts.

A writer is any program that reads ids from its stdin, a line each, and answers each with the same line when what the id
stands for is durable. The harness sends ids, kills with SIGKILL, and afterwards asks the store: what was answered must
be there once, what was sent and not answered at most once, and what was sent again must not be there twice.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What the harness knows.

    Args:
        sent: ids in the order in which they were sent first.
        answered: ids that the writer said are durable.
        kills: how often it was killed.
        killed_idle: of these, how often nothing was unanswered: such a kill proves little.
        killed_at_work: of these, how often it was waited for that something was answered and something was not.
    """

    sent: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    kills: int = 0
    killed_idle: int = 0
    killed_at_work: int = 0


@dataclass
class Harness:
    """One writer under fire.

    Args:
        command: that starts it; it says `ready` before it takes ids.
        seed: of the moments.
        longest_s: of a life between two kills.
        ahead: ids that are sent before their answers come.
    """

    command: list[str]
    seed: int
    longest_s: float = 0.25
    ahead: int = 40
    tally: Tally = field(default_factory=Tally)

    def run(self, kills: int) -> Tally:
        """Kills so often, then lets the writer end well with all that was never answered sent again."""
        rng = random.Random(self.seed)
        unanswered: list[str] = []
        for _ in range(kills):
            unanswered = self._life(unanswered, rng.uniform(0.0, self.longest_s), rng.random() < 0.5)
        self._end(unanswered)
        return self.tally

    def _start(self) -> subprocess.Popen[str]:
        writer = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n", "the writer did not start"
        return writer

    def _life(self, again: list[str], seconds: float, works: bool) -> list[str]:
        """One life: what was not answered before is sent again first; what is not answered at its end.

        A life that `works` is not ended before something was answered in it, nor while nothing is unanswered: on a busy
        machine few would get there.
        """
        writer = self._start()
        assert writer.stdin is not None
        assert writer.stdout is not None
        waiting = dict.fromkeys(again)
        lock, room = threading.Lock(), threading.Semaphore(self.ahead)
        is_over, has_answered = threading.Event(), threading.Event()

        def send() -> None:
            queued = list(again)
            while not is_over.is_set():
                if not room.acquire(timeout=0.05):
                    continue
                one = queued.pop(0) if queued else self._new()
                with lock:
                    waiting[one] = None
                try:
                    writer.stdin.write(one + "\n")  # type: ignore[union-attr]
                except (BrokenPipeError, ValueError):
                    return

        def read() -> None:
            for line in writer.stdout:  # type: ignore[union-attr]
                if line.endswith("\n"):  # a line that was cut by the kill answers nothing
                    with lock:
                        self.tally.answered.add(line.strip())
                        waiting.pop(line.strip(), None)
                    room.release()
                    has_answered.set()

        threads = [threading.Thread(target=one, daemon=True) for one in (send, read)]
        for one in threads:
            one.start()
        time.sleep(seconds)
        if works:
            has_answered.wait(60)
        self._kill(writer, waiting, lock, works)
        is_over.set()
        writer.wait()
        for one in threads:
            one.join()
        for pipe in (writer.stdin, writer.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # what was written to it last has nobody to go to
        self.tally.kills += 1
        return list(waiting)

    def _kill(self, writer: subprocess.Popen[str], waiting: dict[str, None], lock: threading.Lock, works: bool) -> None:
        """Kills; of a life that works, at the first moment from now at which something is unanswered."""
        end = time.monotonic() + 60
        while True:
            with lock:
                if waiting or not works or time.monotonic() > end:
                    self.tally.killed_idle += not waiting
                    self.tally.killed_at_work += works and bool(waiting)
                    os.killpg(writer.pid, signal.SIGKILL)
                    return
            time.sleep(0)

    def _end(self, again: list[str]) -> None:
        writer = self._start()
        said, _ = writer.communicate("".join(f"{one}\n" for one in again), timeout=120)
        assert writer.returncode == 0
        self.tally.answered.update(said.split())

    def _new(self) -> str:
        one = f"uid-{self.seed}-{len(self.tally.sent):08}"
        self.tally.sent.append(one)
        return one
