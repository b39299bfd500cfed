"""What other tools printed is what their conventions give here, and the search names those tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.measures.reconcile import search
from assay.measures.reconcile.tools import TOOLS, spelled, uses
from golden.printed import FILES, Printed, case, inputs, read

ALL = [printed for path in FILES for printed in read(path)]


def test_there_are_numbers_of_many_tools() -> None:
    assert len(ALL) > 700
    assert len({printed.tool for printed in ALL}) >= 18


def test_every_tool_that_was_run_has_its_numbers() -> None:
    """A table that says "run" without a stored number would be a claim without evidence."""
    stored = {printed.tool for printed in ALL} | {"trec_eval", "trec_eval -c", "trec_eval -J"}  # see the other tests
    claimed = {tool.name for tool in TOOLS if tool.source.startswith("run")}
    assert claimed - stored == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_conventions_of_a_tool_give_what_it_printed(path: Path) -> None:
    wrong = []
    for printed in read(path):
        known = case(printed)
        ways = [
            ways
            for tool, use, ways in uses(known.asked, known.base)
            if tool.name == printed.tool and spelled(use, known.asked) == printed.call
        ]
        assert ways, f"{printed.tool} has no {printed.call}"
        values = [one.value for one in search.compute(known, [(way, "tool", ()) for way in ways])]
        if not any(abs(value - printed.value) <= printed.step for value in values):
            wrong.append((printed, values))
    assert wrong == []


def _telling() -> Iterator[Printed]:
    """Of each call the number that is farthest from ours: the one that somebody would ask about."""
    farthest: dict[tuple[str, str], tuple[float, Printed]] = {}
    for printed in ALL:
        known = case(printed)
        (ours,) = search.compute(known, [(known.base, "ours", ())])
        distance = abs(ours.value - printed.value)
        key = (printed.tool, printed.call)
        if distance > 1e-4 and distance > farthest.get(key, (0.0, printed))[0]:
            farthest[key] = distance, printed
    return (printed for _, printed in farthest.values())


TELLING = list(_telling())


def test_enough_of_them_differ_from_ours() -> None:
    assert len(TELLING) >= 40


@pytest.mark.parametrize("printed", TELLING, ids=lambda one: f"{one.tool}-{one.call}-{one.input}")
def test_the_search_names_the_tool(printed: Printed) -> None:
    run, qrels = inputs()[printed.input]
    found = assay.reconcile(run, qrels, printed.measure, f"{printed.value:.{min(printed.decimals, 5)}f}")
    named = [tool for match in found.matches for tool in match.tools]
    assert any(tool.startswith(f"{printed.tool} ") and tool.endswith(printed.call) for tool in named), named
    assert found.matches[0].kind == "tool"
    assert abs(found.ours - printed.value) > 1e-4


@pytest.mark.parametrize("value", ["0.41237", "0.90909", "0.07531"])
@pytest.mark.parametrize("name", ["graded", "tied", "short"])
def test_a_made_up_number_is_given_by_no_known_tool(name: str, value: str) -> None:
    run, qrels = inputs()[name]
    found = assay.reconcile(run, qrels, "nDCG@5", value)
    assert [match for match in found.matches if match.kind in ("ours", "tool")] == []
    if not found.matches:
        assert not found.is_explained
        assert found.nearest
        distances = [abs(match.value - float(value)) for match in found.nearest]
        assert distances == sorted(distances)
        assert distances[0] > 5e-6
