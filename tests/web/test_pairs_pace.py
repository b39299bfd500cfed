"""Who compares documents faster than anybody reads is stopped as who grades them is."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from web.compared import comparing
from web.visiting import Visitor, key

Visit = Callable[..., Visitor]


class Rater:
    """Somebody who compares by a key."""

    def __init__(self, guest: Visitor, folder: Path) -> None:
        self.guest, self.n = guest, 0
        self.head = {"authorization": f"Bearer {key(folder, 'rater', 'rater')}"}

    def asks(self) -> dict[str, Any]:
        answer = self.guest.get("/v1/projects/duel/pairs?n=1", headers=self.head)
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    def answers(self, took_ms: int | None, times: int) -> None:
        for _ in range(times):
            (one,) = self.asks()["items"]
            self.n += 1
            said = {"uid": f"rater-{self.n:06}", "item": one["item"], "left": one["left"]["doc_id"], "choice": "tie"}
            answer = self.guest.post("/v1/preferences", json=said | {"took_ms": took_ms}, headers=self.head)
            assert answer.status_code == 200


def test_six_of_ten_choices_that_are_too_fast_stop_a_rater_until_the_rater_goes_on(folder: Path, visit: Visit) -> None:
    comparing(folder, docs=5, min_seconds=1.0)  # 20 pairs; the letters, over 120, take no longer, as each comes again
    who = Rater(visit(), folder)
    who.answers(1_000, 4)
    who.answers(999, 6)
    assert who.asks() == {"items": [], "rater": "rater", "waits": "pace"}
    assert who.guest.post("/v1/projects/duel/go-on", headers=who.head).json() == {"goes_on": True}
    told = who.asks()
    assert (len(told["items"]), told["waits"]) == (1, "")
    lead = {"authorization": f"Bearer {key(folder, 'lead', 'lead')}"}
    page = who.guest.get("/project/duel/pairs", headers=lead).text
    ((name, row),) = re.findall(r'<tr><th scope="row" dir="auto">(\w+)</th>(.*?)</tr>', page.split('id="raters-h"')[1])
    assert (name, re.findall(r">([^<]+)</td>", row)[-2:]) == ("rater", ["6", "1"])
    assert "Too fast: in less than 1 s." in page
    text = who.guest.get("/project/duel/preferences.csv", headers=lead).text.removeprefix("\ufeff")
    assert [row["is_fast"] for row in csv.DictReader(io.StringIO(text))] == ["False"] * 4 + ["True"] * 6


@pytest.mark.parametrize(("seconds", "took_ms"), [(0.0, 1), (2.0, None)])
def test_no_least_time_and_no_time_stop_nobody(folder: Path, visit: Visit, seconds: float, took_ms: int | None) -> None:
    comparing(folder, docs=5, min_seconds=seconds)
    who = Rater(visit(), folder)
    who.answers(took_ms, 12)
    assert who.asks()["waits"] == ""
