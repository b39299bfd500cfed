"""How growth is read off, and that what a command starts is counted with it."""

import json
import subprocess
import sys

import pytest
from bench.scale import FAMILY, JUDGED, SMALL, Used, _ndcg, exponent, table


def test_the_exponent_of_a_power_is_that_power():
    assert exponent([1, 10, 100, 1000], [3 * n**1.5 for n in (1, 10, 100, 1000)]) == pytest.approx(1.5)


def test_what_a_small_log_needs_is_taken_off_before_growth_is_read():
    kept = [Used("duckdb", "cells", n, 10, 5 + n / 1e6, 1, 2**20, 0, 0, 1.0) for n in (SMALL, 10**6, 10**7, 10**8)]
    (line,) = [line for line in table(kept) if line.startswith("| `cells` | ") and line.count("|") == 5]
    assert line == "| `cells` | 1.00 | 1.00 s | 0.00 |"


def test_the_expected_ndcg_is_that_of_the_grades_by_hand():
    # at ranks 1, 10, 3, 50: 3 + 2 / log2 11 + 1 / log2 4; at best: 3 + 2 / log2 3 + 1 / log2 4 + 1 / log2 5
    assert JUDGED == {1: 3, 3: 1, 10: 2, 50: 1}
    assert _ndcg(0) == pytest.approx((3 + 2 / 3.4594316 + 0.5) / (3 + 2 / 1.5849625 + 0.5 + 1 / 2.3219281), rel=1e-6)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans over")
def test_what_outlives_the_command_is_waited_for_and_counted(tmp_path):
    burn = "import time\nwhile time.process_time() < 0.5: pass"
    command = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}])"
    told = tmp_path / "told"
    launcher = [sys.executable, "-I", "-S", str(FAMILY), str(tmp_path / "out"), str(tmp_path / "err"), str(told), "60"]
    subprocess.run([*launcher, sys.executable, "-c", command], check=True)
    numbers = json.loads(told.read_text("utf-8"))
    assert numbers["status"] == 0
    assert numbers["cpu_s"] >= 0.5
