from __future__ import annotations

import pickle

import pytest

from assay.errors import (
    AssayError,
    EngineError,
    InputError,
    MissingExtra,
    NotEnoughEvidence,
    did_you_mean,
    first_line,
    nearest,
)


def test_a_message_says_what_where_the_line_and_how_to_mend_it() -> None:
    error = InputError("expected 4 columns, found 3", "qrels.txt:2", "add the missing column", line="q1 0 d2")
    assert str(error) == (
        "qrels.txt:2: expected 4 columns, found 3\n    q1 0 d2\n    mend: add the missing column"
    )  # fmt: skip


def test_a_message_without_a_place_begins_with_what_is_wrong() -> None:
    assert str(InputError("unknown measure")) == "unknown measure"


def test_the_first_three_faults_are_shown_and_the_rest_is_counted() -> None:
    error = InputError(
        "is wrong", "a:1", "mend it", more=["a:2: is wrong", "a:3: is wrong", "a:4: is wrong"], count=1234
    )
    assert str(error) == (
        "a:1: is wrong\n    mend: mend it\n\na:2: is wrong\na:3: is wrong\nand 1,231 more. Nothing was written."
    )  # fmt: skip


def test_two_faults_hide_none() -> None:
    assert "more" not in str(InputError("is wrong", "a:1", more=["a:2: is wrong"]))


def test_an_error_survives_the_way_to_another_process() -> None:
    error = InputError("w", "a:1", "r", line="l", more=["a:2: w"], count=9)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is InputError
    assert str(copy) == str(error)
    assert (copy.what, copy.where, copy.remedy, copy.line, copy.more, copy.count) == (
        "w",
        "a:1",
        "r",
        "l",
        ("a:2: w",),
        9,
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("w"), 3),
        (MissingExtra("duckdb", "logs", "reading logs"), 3),
        (EngineError("no answer"), 3),
        (NotEnoughEvidence("too few"), 2),
    ],
)
def test_every_error_is_an_assay_error_with_its_exit_code(error: AssayError, code: int) -> None:
    assert isinstance(error, AssayError)
    assert error.exit_code == code


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtra("duckdb", "logs", "reading click logs")
    assert str(error) == "reading click logs needs duckdb\n    mend: pip install 'assay[logs]'"


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("ndgc", ["nDCG", "AP", "RR"]) == ["nDCG"]
    assert did_you_mean("nDGC", ["nDCG", "AP"]) == "; did you mean nDCG?"


def test_nothing_is_proposed_where_nothing_is_close() -> None:
    assert nearest("bpref", ["nDCG", "AP"]) == []
    assert did_you_mean("xyz", ["nDCG"]) == ""


def test_the_first_line_of_an_error_is_its_kind_where_it_says_nothing() -> None:
    assert first_line(OSError("\ndisk full\nat block 7")) == "disk full"
    assert first_line(OSError(" \n")) == "OSError"
