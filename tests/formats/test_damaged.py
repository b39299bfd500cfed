"""Damaged Parquet files end in one clear error: no panic of the library goes through, and none is printed."""

from __future__ import annotations

import io
import os
import random
from pathlib import Path

import polars as pl
import pytest

from assay.errors import InputError
from assay.flows.workbench import Workbench
from assay.formats.carried import Wishes
from assay.formats.carry import read_any
from assay.formats.damaged import decoded, hushed
from assay.formats.recognise import read
from assay.label_maps import parse_label_map
from assay.tables import Judgment
from formats.outside.test_letor_esci import examples

MANY = 150
REMEDY = "write or copy it again"


class Panic(BaseException):
    """As the library raises it: no Exception."""


def parquet(compression: str = "zstd") -> bytes:
    held = io.BytesIO()
    frame = pl.DataFrame(
        {"query_id": ["q1", "q2"] * 200, "doc_id": list(map(str, range(400))), "grade": [1.0, 0.0] * 200}
    )
    frame.write_parquet(held, compression=compression)  # type: ignore[arg-type] # one of its names
    return held.getvalue()


def broken(data: bytes, rng: random.Random) -> bytes:
    """The data with some bytes changed, mostly in the footer."""
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(made)) if rng.random() < 0.3 else rng.randrange(max(4, len(made) - 600), len(made) - 4)
        made[at] = rng.choice([0, 0x7F, 0x80, 0xFF, made[at] ^ 1, rng.randrange(256)])
    return bytes(made)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "uncompressed", "esci"])
def test_a_file_with_changed_bytes_is_read_or_refused_and_nothing_is_printed(
    compression: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(f"20261130 {compression}")
    data = examples() if compression == "esci" else parquet(compression)
    path, refused = tmp_path / "x.parquet", list[InputError]()
    for at in range(MANY):
        path.write_bytes(broken(data, rng))
        try:
            if compression == "esci":
                read_any(path, "esci", Wishes(parse_label_map("esci")))
            elif at % 2:
                read(str(path), Judgment)
            else:
                read_any(path)
        except InputError as error:
            refused.append(error)
    assert len(refused) > MANY / 4
    assert all(error.where.startswith(str(path)) and error.remedy for error in refused)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("cut", [0, 4, 11, 12, 100, -100, -8, -1])
def test_a_file_cut_short_is_refused_by_every_way_in(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet()[:cut])
    for way in (lambda: read(str(path), Judgment, "parquet"), lambda: read_any(path, "parquet"),
                lambda: read_any(path, "esci", Wishes(parse_label_map("esci"))),
                lambda: Workbench(small=10).table(str(path), Judgment, format="parquet")):  # fmt: skip
        with pytest.raises(InputError) as caught:
            way()
        assert caught.value.where == str(path)
        assert caught.value.remedy in (REMEDY, "write it anew", "export it again")


def test_a_panic_is_an_error_and_what_it_printed_is_gone(capfd: pytest.CaptureFixture[str]) -> None:
    def panics() -> None:
        os.write(
            2, b"a line of somebody else\n\nthread 'worker' (7) panicked at x.rs:1:2:\nassertion failed\nnote: run\n"
        )
        raise Panic("called `Option::unwrap()` on a `None` value")

    with pytest.raises(InputError) as caught:
        decoded(panics, "x.parquet", "Parquet")
    assert str(caught.value) == (
        f"x.parquet: is not a whole Parquet file: what it holds is damaged\n    mend: {REMEDY}"
    )
    assert capfd.readouterr().err == "a line of somebody else"


def test_what_is_printed_without_a_panic_stays(capfd: pytest.CaptureFixture[str]) -> None:
    with hushed(), hushed():
        os.write(2, b"one\n")
        os.write(2, b"two\n")
    os.write(2, b"three\n")
    assert capfd.readouterr().err == "one\ntwo\nthree\n"


def test_a_key_that_stops_the_program_stops_it() -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decoded(stopped, "x.parquet", "Parquet")
