"""Run the benchmark: `python -m benchmarks.pipelines [speed,large,many,history]`."""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import requests

from benchmarks.gateway.platform import Platform, resident_mib
from tests.e2e.pipelines.sdk import KFP2
from tests.e2e.training.sdk_environment import sdk_python
from windlass.apps.pipelines.model import Experiment, Run, RunState
from windlass.apps.pipelines.rows import open_database

PARTS = "speed,large,many,history"
RUNS = 10_000
EMAIL, NAMESPACE = "user@example.com", "kubeflow-user-example-com"
"""The user and profile of the first start."""
SDK_SIDE = Path(__file__).with_name("sdk_side.py")


def main(parts: str) -> None:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="windlass-bench-") as folder:
        platform = Platform(Path(folder))
        platform.start()
        try:
            token = platform.windlass("user", "token", EMAIL, "--name", "bench").split()[-1]
            before = memory(platform)
            until_ready(platform, token)
            measured = sdk_side(f"{platform.url}/pipeline", token, parts)
            report(measured)
            after = memory(platform)
            for name in ("manager", "gateway"):
                print(f"{name:8s} {before[name]:.0f} MiB before the first run, {after[name]:.0f} MiB after the last")
            if "history" in parts:
                history(platform, token)
        finally:
            platform.stop()


def memory(platform: Platform) -> dict[str, float]:
    return {name: resident_mib(pid) for name, pid in platform.pids().items()}


def until_ready(platform: Platform, token: str) -> None:
    """Wait for the rights of the profile."""
    url, headers = f"{platform.url}/pipeline/apis/v2beta1/runs", {"Authorization": f"Bearer {token}"}
    until = time.monotonic() + 60
    while not requests.get(url, {"namespace": NAMESPACE}, headers=headers, timeout=60).ok:
        if time.monotonic() > until:
            raise RuntimeError(f"{EMAIL} has no rights in {NAMESPACE}")
        time.sleep(0.1)


def sdk_side(host: str, token: str, parts: str) -> dict[str, Any]:
    command = [sdk_python(*KFP2), SDK_SIDE, host, token, NAMESPACE, parts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def report(measured: dict[str, Any]) -> None:
    for name, bar in (("hello", 0.5), ("chain", 2.5)):
        if name in measured:
            ours, theirs = statistics.median(measured[name]), statistics.median(measured[f"local {name}"])
            print(
                f"{name:6s} {ours:.2f} s (at most {bar})   kfp.local {theirs:.2f} s   {theirs / ours:.1f} times as fast"
            )
    if "cached" in measured:
        print(f"cached {statistics.median(measured['cached']):.2f} s (at most 1)")
    if "loop" in measured:
        loop = measured["loop"]
        print(f"loop of 1,000, 20 at once: {loop['seconds']} s, then read in {loop['read']} s (at most 1)")
    if "many" in measured:
        many = measured["many"]
        print(f"50 runs of 20 tasks: {many['seconds']} s, {many['tasks']} tasks (1000)")


def history(platform: Platform, token: str) -> None:
    """A page of a long history, read over HTTP."""
    asyncio.run(fill(platform.folder / "pipelines" / "pipelines.db"))
    headers = {"Authorization": f"Bearer {token}"}
    url = f"{platform.url}/pipeline/apis/v2beta1/runs"
    taken: list[float] = []
    page = ""
    for _ in range(20):
        query = {"namespace": NAMESPACE, "page_size": "20", "sort_by": "created_at desc", "page_token": page}
        began = time.perf_counter()
        answer = requests.get(url, query, headers=headers, timeout=60)
        taken.append(time.perf_counter() - began)
        page = answer.json()["next_page_token"]
    print(
        f"a page of {RUNS:,} runs: {statistics.median(taken) * 1000:.0f} ms, at most {max(taken) * 1000:.0f} ms (200)"
    )


async def fill(file: Path) -> None:
    database = await open_database(f"sqlite:///{file}")
    await database.create(Experiment(experiment_id="history", namespace=NAMESPACE, display_name="history"))
    for start in range(0, RUNS, 500):
        await database.create(*(a_run(number) for number in range(start, start + 500)))
    await database.close()


def a_run(number: int) -> Run:
    return Run(
        run_id=f"history-{number}",
        namespace=NAMESPACE,
        display_name=f"run {number}",
        resource_name=f"history-{number}",
        experiment_id="history",
        created_at=1_700_000_000.0 + number,
        finished_at=1_700_000_060.0 + number,
        state=RunState.SUCCEEDED,
        spec={"pipelineInfo": {"name": "history"}},
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else PARTS)
