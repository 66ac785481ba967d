"""The benchmarks of the scheduler run: not how fast it is, only that it can still be measured."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def measured(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pods_are_counted_from_create_to_bound() -> None:
    told = measured("benchmarks.scheduler.api", "--nodes", "5", "--pods", "20")
    assert "20 pods on 5 nodes, create to bound" in told
    assert "processor time of the manager" in told


def test_a_filled_store_is_started_on_and_a_pod_that_waits_is_bound() -> None:
    told = measured("benchmarks.scheduler.restart", "--nodes", "5", "--pods", "50")
    assert "start to first bind" in told


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk, the load generator, is not on the PATH")
def test_gets_beside_pods_that_wait_are_compared_with_gets_beside_an_idle_manager() -> None:
    told = measured("benchmarks.scheduler.pending", "--pods", "50", "--seconds", "1", "--rounds", "1")
    assert "gets beside 50 pending pods" in told
    assert "idle manager" in told
