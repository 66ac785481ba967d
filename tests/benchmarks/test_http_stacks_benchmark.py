"""The benchmark of HTTP stacks runs: not how fast they are, only that they can still be measured."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk, the load generator, is not on the PATH")
def test_a_quick_run_measures_both_stacks_and_the_backend() -> None:
    command = [sys.executable, "-m", "benchmarks.http_stacks", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    head, *rows = done.stdout.splitlines()[1:]
    assert head.split("  ")[-1].strip() == "Starlette"
    assert len(rows) == 5
    assert all(row.count("(") == 3 for row in rows)
