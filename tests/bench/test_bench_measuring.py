"""What a child used is measured rightly, and a run that ended badly is not a figure."""

import sys

import pytest
from bench.measure import RunError, environment, run

BURN = "import time\nwhile time.process_time() < {0}: pass"


def test_the_processor_time_of_a_child_is_counted(tmp_path):
    used = run([sys.executable, "-c", BURN.format(0.3)], tmp_path / "out")
    assert 0.3 <= used.cpu_s < 3
    assert used.wall_s >= 0.3


def test_the_processor_time_of_the_childs_children_is_counted(tmp_path):
    inner = BURN.format(0.3)
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}], check=True)"
    assert run([sys.executable, "-c", outer], tmp_path / "out").cpu_s >= 0.3


def test_waiting_costs_wall_clock_and_no_processor(tmp_path):
    used = run([sys.executable, "-c", "import time; time.sleep(0.5)"], tmp_path / "out")
    assert used.wall_s >= 0.5
    assert used.cpu_s < 0.4


def test_memory_is_the_childs_and_not_that_of_the_process_that_asks(tmp_path):
    ballast = bytearray(300 * 2**20)
    small = run([sys.executable, "-c", "pass"], tmp_path / "out").peak_bytes
    large = run([sys.executable, "-c", "x = bytearray(200 * 2**20)"], tmp_path / "out").peak_bytes
    assert small < 100 * 2**20 < len(ballast)
    assert 200 * 2**20 <= large < 300 * 2**20


def test_a_bad_status_is_an_error_with_what_the_program_said(tmp_path):
    code = "import sys; print('some output'); sys.exit('it went wrong')"
    with pytest.raises(RunError, match=r"status 1 from: [\s\S]*it went wrong"):
        run([sys.executable, "-c", code], tmp_path / "out")


def test_a_program_that_was_killed_or_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(RunError, match="status -9"):
        run([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"], tmp_path / "out")
    with pytest.raises(RunError, match="status 127"):
        run([str(tmp_path / "no-such-program")], tmp_path / "out")


def test_a_program_that_does_not_end_is_killed_at_the_limit(tmp_path):
    with pytest.raises(RunError, match="status -9"):
        run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path / "out", limit_s=1)


def test_standard_output_lands_in_the_file(tmp_path):
    run([sys.executable, "-c", "print('values')"], tmp_path / "out")
    assert (tmp_path / "out").read_text() == "values\n"


def test_timed_runs_may_keep_bytecode_and_see_no_settings_of_ours(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("ASSAY_MEASURES", "P@1")
    assert not {"PYTHONDONTWRITEBYTECODE", "ASSAY_MEASURES"} & set(environment())
