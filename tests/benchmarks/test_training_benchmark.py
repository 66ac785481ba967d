"""The benchmark of training runs: not how fast it is, only that it can still be measured."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_quick_run_measures_a_look_and_prints_its_line() -> None:
    command = [sys.executable, "-m", "benchmarks.training", "--quick", "--only", "reconcile"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "one look at a job among 1,000 pods" in done.stdout
