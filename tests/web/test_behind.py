"""What takes long is counted behind the requests that ask for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from assay.web import behind
from assay.web.behind import Behind


class Slow:
    """A count that ends when it is told to, and says how often it was made."""

    def __init__(self) -> None:
        self.made, self.now = 0, 0.0
        self.may_end = threading.Event()

    def __call__(self) -> int:
        self.made += 1
        self.may_end.wait(10)
        self.now += 2  # it took two seconds
        return self.made


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def counts(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> Iterator[Behind[int]]:
    monkeypatch.setattr(behind, "PATIENCE_S", 0.05)
    opened = Behind[int](lambda: slow.now)
    yield opened
    slow.may_end.set()
    opened.close()


def until_counted(counts: Behind[int], count: Callable[[], int], value: int) -> None:
    for _ in range(200):
        found = counts.get("a", count)
        if found is not None and found.value == value:
            return
        time.sleep(0.01)
    pytest.fail(f"the count never became {value}")


def test_who_asks_does_not_wait_for_the_first_count_and_nobody_starts_a_second(slow: Slow, counts: Behind[int]) -> None:
    assert counts.get("a", slow) is None
    assert counts.get("a", slow) is None
    assert slow.made == 1
    slow.may_end.set()
    until_counted(counts, slow, 1)


def test_the_last_count_stands_until_the_next_is_due_and_while_it_is_made(slow: Slow, counts: Behind[int]) -> None:
    slow.may_end.set()
    until_counted(counts, slow, 1)
    slow.now += 19
    found = counts.get("a", slow)
    assert found is not None
    assert (found.value, found.is_counting, slow.made) == (1, False, 1)  # it took 2 s: not before 20 s are over
    slow.now += 2
    slow.may_end.clear()
    found = counts.get("a", slow)
    assert found is not None
    assert (found.value, found.is_counting) == (1, True)
    slow.may_end.set()
    until_counted(counts, slow, 2)


def test_what_a_count_raises_is_raised_to_who_asks_and_the_next_counts_again(counts: Behind[int]) -> None:
    def wrong() -> int:
        raise ValueError("no store")

    with pytest.raises(ValueError, match="no store"):
        counts.get("a", wrong)
    found = counts.get("a", lambda: 7)
    assert found is not None
    assert found.value == 7


def test_old_counts_are_forgotten(counts: Behind[int]) -> None:
    for i in range(200):
        assert counts.get(str(i), lambda i=i: i) is not None
    assert len(counts._kept) <= behind.REMEMBERED
