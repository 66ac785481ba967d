"""Pods that take all they can get hurt themselves alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node_hard.platform import Object, Platform, pod, python
from tests.support import eventually

pytestmark = pytest.mark.timeout(300)

MIB = 2**20
_BOMB = """
import os, signal
print("boom", flush=True)
while True:
    try:
        os.fork()
    except BlockingIOError:
        signal.pause()
"""
_GROW = """
import time
held = []
while True:
    held.append(bytearray(b"x" * (4 << 20)))
    time.sleep(0.01)
"""
_LEAP = "held = bytearray(b'x') * (1 << 30)\nimport time\ntime.sleep(1000)"


@pytest.fixture(scope="module")
def canary(windlass: Platform) -> None:
    windlass.run(pod("canary", "exec sleep infinity", restart="Always"))
    windlass.phase("canary", "Running")


@pytest.fixture(autouse=True)
def all_is_well(windlass: Platform, canary: None) -> Iterator[None]:
    """Whatever a test does: afterwards the node is ready, what ran runs, and more can run."""
    agent = windlass.pid("node")
    yield
    assert windlass.node_is_ready()
    assert windlass.pid("node") == agent
    assert windlass.pod("canary")["status"]["containerStatuses"][0]["restartCount"] == 0
    windlass.run(pod("after", "echo fine"))
    assert windlass.ended("after")["status"]["phase"] == "Succeeded"
    windlass.gone("after")


def _last_state(windlass: Platform, name: str) -> Object:
    return windlass.ended(name)["status"]["containerStatuses"][0]["state"]["terminated"]


def _limited(name: str, program: str, memory: str, **more: str) -> Object:
    made = python(name, program, **more)
    made["spec"]["containers"][0]["resources"] = {"limits": {"memory": memory}}
    return made


@pytest.mark.parametrize(("name", "program"), [("grows", _GROW), ("leaps", _LEAP)])
def test_a_memory_hog_is_killed_and_told_of(windlass: Platform, name: str, program: str) -> None:
    windlass.run(_limited(name, program, "64Mi"))
    state = _last_state(windlass, name)
    assert (state["reason"], state["exitCode"]) == ("OOMKilled", 137)
    assert windlass.pod(name)["status"]["phase"] == "Failed"


def test_memory_that_children_take_counts(windlass: Platform) -> None:
    script = "for i in 1 2 3 4; do python3 -c 'import time; x = b\"x\" * (40 << 20); time.sleep(1000)' & done; wait"
    made = pod("brood", script)
    made["spec"]["containers"][0]["resources"] = {"limits": {"memory": "100Mi"}}
    windlass.run(made)
    assert _last_state(windlass, "brood")["reason"] == "OOMKilled"


def test_a_hog_that_is_restarted_backs_off_with_its_last_state_told(windlass: Platform) -> None:
    windlass.run(_limited("again", _GROW, "64Mi", restart="Always"))

    def last() -> Object:
        status = windlass.pod("again")["status"].get("containerStatuses", [{}])[0]
        return status.get("lastState", {}).get("terminated", {}) if status.get("restartCount") else {}

    assert eventually(last, 120, "a restart")["reason"] == "OOMKilled"
    windlass.gone("again")


def test_a_fork_bomb_is_contained_and_can_be_deleted(windlass: Platform) -> None:
    windlass.run(python("bomb", _BOMB))
    windlass.phase("bomb", "Running")
    supervisor = windlass.facts_of(windlass.pod("bomb"))["pid"]
    eventually(lambda: _population(supervisor) > 1000, 120, "a crowd")
    windlass.run(pod("neighbour", "echo undisturbed"))
    assert windlass.ended("neighbour")["status"]["phase"] == "Succeeded"
    assert _population(supervisor) <= 4100
    assert windlass.node_is_ready()
    windlass.gone("bomb")
    eventually(lambda: _population(supervisor) == 0, 60, "the end of all of them")


def _population(supervisor: int) -> int:
    """How many processes descend from it."""
    parents: dict[int, int] = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(each.name)] = int((each / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    waiting, count = [supervisor], 0
    while waiting:
        found = children.get(waiting.pop(), [])
        count += len(found)
        waiting += found
    return count


def test_a_pod_that_fills_its_volume_is_evicted(windlass: Platform) -> None:
    made = pod(
        "filler",
        "dd if=/dev/zero of=/own/much bs=1M count=8; exec sleep infinity",
        volumes=[{"name": "own", "emptyDir": {"sizeLimit": "1Mi"}}],
        container={"volumeMounts": [{"name": "own", "mountPath": "/own"}]},
    )
    windlass.run(made)
    status = windlass.phase("filler", "Failed")["status"]
    assert status["reason"] == "Evicted"
    assert status["message"] == 'Usage of EmptyDir volume "own" exceeds the limit "1Mi". '


def test_a_pod_that_writes_without_end_fills_neither_disk_nor_memory(windlass: Platform) -> None:
    agent = windlass.pid("node")
    before = _resident(agent)
    windlass.run(pod("chatter", "exec yes the same again and again", restart="Always"))
    found = windlass.phase("chatter", "Running")
    folder = windlass.folder_of(found) / "containers" / "main" / "0"
    eventually(lambda: (folder / "output.log.4").exists(), 150, "four old logs")
    inode = (folder / "output.log.4").stat().st_ino
    eventually(lambda: (folder / "output.log.4").stat().st_ino != inode, 90, "the oldest goes")
    assert sum(map(_size, folder.glob("output.log*"))) < 60 * MIB
    assert _resident(agent) - before < 40 * MIB
    assert _resident(windlass.facts_of(found)["pid"]) < 60 * MIB
    assert windlass.logs("chatter", tailLines="2") == "the same again and again\n" * 2
    windlass.gone("chatter")


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # it has another name since
        return 0


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
