"""Run the benchmark: `python -m benchmarks.install WHEEL`."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from benchmarks.gateway.platform import NAMESPACE, Platform

OBJECTS = 200
LARGEST = 5
LOCK = Path(__file__).parents[2] / "requirements.lock"
MIB = 1 << 20

# The targets of the whole platform on 2 cores, in seconds and MiB.
FIRST_JOB_SECONDS, STOP_SECONDS, RESTART_SECONDS, DISK_MIB = 60, 5, 5, 400


class Clock:
    seconds = 0.0


@contextmanager
def timed() -> Iterator[Clock]:
    clock, began = Clock(), time.monotonic()
    yield clock
    clock.seconds = time.monotonic() - began


def show(what: str, figure: float, unit: str, target: float | None = None) -> None:
    beside = "" if target is None else f"   target ≤ {target:g} {unit}   {'met' if figure <= target else 'MISSED'}"
    print(f"{what:58} {figure:7.1f} {unit}{beside}", flush=True)


def install(folder: Path, wheel: Path) -> tuple[float, float]:
    """Make a virtual environment with Windlass; seconds for the locked dependencies, and for all else."""
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    with timed() as environment:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    with timed() as dependencies:
        subprocess.run([*pip, "--require-hashes", "-r", str(LOCK)], check=True)
    with timed() as own:
        subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    return dependencies.seconds, environment.seconds + own.seconds


def job(name: str) -> dict[str, Any]:
    """A TFJob whose image is the programs of this machine: nothing is built for it."""
    container = {"name": "tensorflow", "image": "busybox", "command": ["sleep", "600"]}
    template = {"spec": {"containers": [container]}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2, "restartPolicy": "Never", "template": template}}},
    }


def config_map(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"object-{number}", "namespace": NAMESPACE},
        "data": {"text": "x" * 500},
    }


def run_first_job(platform: Platform) -> None:
    """Return when all pods of a first TFJob run."""
    platform.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, job("first"))
    platform.kubectl("wait", "--for=condition=Running", "tfjob/first", f"--namespace={NAMESPACE}", "--timeout=120s")


def stop(platform: Platform) -> float:
    """Return the seconds from `windlass down` to the end of the last process."""
    pids = [*platform.pids().values(), *platform.helpers()]
    with timed() as clock:
        platform.windlass("down")
        while any(is_running(pid) for pid in pids):
            time.sleep(0.01)
    return clock.seconds


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def restart(platform: Platform, session: requests.Session) -> float:
    """Return the seconds from the command to an answer for a session of before."""
    platform.start(session, lambda page: 'id="login"' not in page.text and page.ok)
    return platform.first_page_after


def disk_mib(*folders: Path) -> float:
    """Return the space that folders take on disk; a file with several names counts once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for folder in folders:
        for top, _, names in os.walk(folder):
            for name in names:
                info = (Path(top) / name).lstat()
                if (info.st_dev, info.st_ino) not in seen:
                    seen.add((info.st_dev, info.st_ino))
                    total += info.st_blocks * 512
    return total / MIB


def largest_packages(environment: Path) -> list[tuple[str, float]]:
    (site,) = environment.glob("lib/python*/site-packages")
    sizes = [(folder.name, disk_mib(folder)) for folder in site.iterdir() if folder.is_dir()]
    return sorted(sizes, key=lambda entry: -entry[1])[:LARGEST]


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python -m benchmarks.install WHEEL", file=sys.stderr)
        return 2
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(prefix="windlass-install-") as top:
        environment, data = Path(top) / "venv", Path(top) / "data"
        dependencies, own = install(environment, Path(sys.argv[1]))
        platform = Platform(data, command=(str(environment / "bin" / "windlass"),))
        with timed() as started:
            platform.start()
        try:
            with timed() as first_job:
                run_first_job(platform)
            show("dependencies from the package index", dependencies, "s")
            show("virtual environment and wheel", own, "s")
            show("command to the login page", platform.first_page_after, "s")
            total = own + started.seconds + first_job.seconds
            show("fresh environment to the first TFJob Running, without index", total, "s", FIRST_JOB_SECONDS)
            show("the same with dependencies", total + dependencies, "s", FIRST_JOB_SECONDS)
            show("disk: environment and data directory", disk_mib(environment, data), "MiB", DISK_MIB)
            show("  of it the data directory", disk_mib(data), "MiB")
            for name, size in largest_packages(environment):
                show(f"  of it {name}", size, "MiB")
            platform.apply(*map(config_map, range(OBJECTS)))
            session = platform.sign_in()
            show("`windlass down`, with two pods, to the last process", stop(platform), "s", STOP_SECONDS)
            took = restart(platform, session)
            show(f"restart with {OBJECTS} objects to a page of the same session", took, "s", RESTART_SECONDS)
        finally:
            platform.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
