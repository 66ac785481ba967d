"""The benchmark runs: not how fast the server is, only that it can still be measured."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.api.traced import NAMES

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(300)  # twenty seconds on a quiet machine
@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk, the load generator, is not on the PATH")
def test_a_quick_run_measures_every_part_and_prints_the_table(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.api", "--quick", "--folder", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    first_words = {line.split(",")[0] for line in done.stdout.splitlines()}
    assert {"ready", "create", "get", "patch", "memory", "20 watchers", "a lone create"} <= first_words
    for step in NAMES:
        assert re.search(rf"^{re.escape(step)} +\d+ µs +\d+%$", done.stdout, re.MULTILINE), step
    assert list(tmp_path.iterdir()) == []
