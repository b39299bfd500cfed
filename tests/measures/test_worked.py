"""Every number in tests/worked can be checked with a calculator; the product gives the same."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

from assay.measures.grammar import parse
from assay.measures.measure import MEASURES
from measures.lists import Shown, ranking

FILES = sorted((Path(__file__).parent.parent / "worked").glob("*.toml"))
CASES = [case | {"file": file.stem} for file in FILES for case in tomllib.loads(file.read_text("utf-8"))["case"]]
CONVENTIONS = ("ties", "unlisted", "rel")


def _name(case: dict[str, Any]) -> str:
    return f"{case['file']}: {case['measure']} of {case['shown']}"


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_the_value_is_the_one_on_paper(case: dict[str, Any]):
    chosen = {key: case[key] for key in CONVENTIONS if key in case}
    query = Shown.of(case["shown"], case["judged"], case.get("scores"))
    (measure,) = parse(case["measure"])
    got = float(measure.compute(ranking(query, **chosen))[0])
    if case["value"] == "n/a":
        assert math.isnan(got)
    else:
        assert got == pytest.approx(case["value"], abs=5e-7), case["why"]


def test_every_measure_of_the_house_is_worked():
    house = {name for name in MEASURES.names() if MEASURES.find(name).function.__module__.startswith("assay.measures.")}
    assert len(house) >= 19
    assert house <= {parse(case["measure"])[0].name for case in CASES}
