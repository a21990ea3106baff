"""A key that interrupts ends the command line with a sentence, from the first moments on."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
# Python itself takes some moments before any of our code runs.
FIRST, LAST = 0.08, 2.5
MOMENTS = int(os.environ.get("INFOSIFT_INTERRUPTS", "6"))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    X = np.random.default_rng(0).normal(size=(400, 30))
    pl.DataFrame(X).with_columns(y=pl.Series(X[:, 0] ** 2)).write_csv(path)
    return path


def interrupted_after(seconds, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-m", "infosift", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    return process.returncode, stderr.decode()


def moments(number):
    return np.random.default_rng(3).uniform(FIRST, LAST, number).round(3).tolist()


@pytest.mark.parametrize("seconds", moments(MOMENTS))
def test_an_interrupt_while_it_starts(table, seconds):
    code, said = interrupted_after(seconds, "select", table, "--target", "y")
    assert code in (130, 0)  # or it was done before
    assert "Traceback" not in said
    if code:
        assert said.splitlines()[-1].startswith("Interrupted")


def test_it_is_said_while_standard_error_is_silenced():
    code = (
        "import os, signal\n"
        "from infosift.progress import end_at_once\n"
        "end_at_once()\n"
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 2)\n"
        "os.kill(os.getpid(), signal.SIGINT)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (130, "Interrupted.\n")


def test_who_has_interrupts_ignored_is_left_alone(tmp_path):
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from infosift.progress import end_at_once, raise_from_here\n"
        "end_at_once(); raise_from_here()\n"
        "import os; os.kill(os.getpid(), signal.SIGINT); print('still here')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "still here"


def test_the_exit_code_is_kept_where_an_interrupt_left_an_exec(tmp_path):
    # As imports have it; python -m would end by a signal after a plain KeyboardInterrupt.
    (tmp_path / "work.py").write_text(
        "import sys\n"
        "from infosift.progress import end_at_once, raise_from_here\n"
        "end_at_once(); raise_from_here()\n"
        "try: exec('import os, signal; os.kill(os.getpid(), signal.SIGINT); sum(range(10**6))')\n"
        "except KeyboardInterrupt: sys.exit(130)"
    )
    found = subprocess.run([sys.executable, "-m", "work"], cwd=tmp_path, check=False)
    assert found.returncode == 130


def test_once_there_is_work_it_is_an_exception():
    code = (
        "import os, signal\n"
        "from infosift.progress import end_at_once, raise_from_here\n"
        "end_at_once(); raise_from_here()\n"
        "try: os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt: print('caught')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "caught"
