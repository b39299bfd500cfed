"""No name of a reference program is left out in silence: it is reproduced, or it stands in a table with its reason."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

import assay
from golden.reference import SPELLED_ALIKE, is_listed, not_reproduced, outputs

OUTPUTS = outputs()
QUERIES = ("num_q",)
"""Counts of queries, compared with the number of queries that we average over."""


@pytest.mark.shared
def test_every_name_is_reproduced_or_listed_with_a_reason_and_never_both():
    neither, both = set(), set()
    for output in OUTPUTS:
        for name in output.names():
            ours, listed = output.ours(name) is not None or name in QUERIES, is_listed(output.tool, name)
            if not ours and not listed:
                neither.add((output.tool, name))
            if ours and listed:
                both.add((output.tool, name))
    assert not neither, f"neither reproduced nor listed: {sorted(neither)}"
    assert not both, f"reproduced and listed as not: {sorted(both)}"


@pytest.mark.shared
@pytest.mark.parametrize("entry", not_reproduced()["names"], ids=lambda entry: f"{entry['tool']} {entry['name']}")
def test_every_listed_name_occurs(entry: dict[str, str]):
    assert any(
        output.tool == entry["tool"] and fnmatchcase(name, entry["name"])
        for output in OUTPUTS
        for name in output.names()
    )


@pytest.mark.shared
@pytest.mark.parametrize("entry", not_reproduced()["values"], ids=lambda entry: entry["output"])
def test_every_value_left_out_occurs_and_is_reproduced_elsewhere(entry: dict[str, str | list[str]]):
    files = [output for output in OUTPUTS if fnmatchcase(output.label, str(entry["output"]))]
    assert files
    for pattern in entry["names"]:
        names = {name for output in files for name in output.names() if fnmatchcase(name, pattern)}
        assert names
        assert any(output.ours(name) for output in files for name in names)


@pytest.mark.shared
def test_every_reproduced_name_can_be_typed_as_the_other_program_spells_it():
    names = {
        (output, name): text
        for output in OUTPUTS
        for name in output.names()
        if (text := output.ours(name)) and (output.tool, name.partition("@")[0]) not in SPELLED_ALIKE
    }
    wrong = {(o.tool, name, text) for (o, name), text in names.items() if assay.parse(name) != assay.parse(text)}
    assert not wrong


def test_every_entry_has_its_reason():
    for entry in not_reproduced()["names"]:
        assert entry["why"] in ("out of scope", "value not to copy")
        assert len(entry["reason"]) > 20
    for entry in not_reproduced()["values"]:
        assert len(entry["reason"]) > 20
