"""Limits that cgroups v2 keep, on a machine that has them: `story.py sandbox|process DATA-DIR`, as root or a user."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from windlass.node.runtimes.base import ContainerFacts, ContainerSpec, Limits, PodSpec
from windlass.node.runtimes.process.runtime import Processes
from windlass.node.runtimes.sandbox.runtime import Sandbox

PYTHON = "/usr/bin/python3"
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
FOREVER = ("/bin/sleep", "1000")
PATIENCE = 60.0
BOMB = """
import os, time
try:
    while os.fork():
        pass
except BlockingIOError:
    print("refused", flush=True)
time.sleep(1000)
"""


async def until(condition: Callable[[], Awaitable[Any]]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (found := await condition()):
        assert time.monotonic() < deadline, "it did not come to be"
        await asyncio.sleep(0.05)
    return found


class World:
    def __init__(self, runtime: Sandbox, data: Path) -> None:
        self.runtime, self.data = runtime, data

    def folders(self) -> list[Path]:
        """Of containers, wherever they were made."""
        return list(Path("/sys/fs/cgroup").glob("**/pod-*.main.0"))

    async def start(self, uid: str, *argv: str, **limits: int) -> None:
        folder = str(self.data / "node" / "pods" / uid)
        await self.runtime.start_pod(PodSpec(uid, "default", uid, folder, "a-host", hosts="127.0.0.1 localhost\n"))
        spec = ContainerSpec(name="main", attempt=0, argv=argv, environment=ENVIRONMENT, limits=Limits(**limits))
        await self.runtime.start_container(uid, spec)

    async def ended(self, uid: str) -> ContainerFacts:
        async def run() -> ContainerFacts | None:
            facts = await self.runtime.pod_facts(uid)
            return next((run for run in facts.containers if run.state == "exited"), None) if facts else None

        return await until(run)


async def memory_is_kept(world: World) -> None:
    await world.start("pod-hog", PYTHON, "-c", "x = bytearray(300 * 2**20)", memory=50 * 2**20)
    facts = await world.ended("pod-hog")
    assert (facts.exit_code, facts.oom_killed) == (137, True), facts
    await world.runtime.remove_pod("pod-hog")


async def processor_time_is_kept(world: World) -> None:
    began = time.monotonic()
    await world.start("pod-busy", "/bin/sh", "-c", "while :; do :; done", cpu_millis=200)
    (folder,) = world.folders()
    assert (folder / "cpu.max").read_text() == "20000 100000\n"

    async def throttled() -> bool:
        return int(dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())["nr_throttled"]) >= 20

    await until(throttled)
    used = (await world.runtime.usage("pod-busy"))["main"].cpu_seconds
    assert 0 < used < 0.5 * (time.monotonic() - began), used
    await world.runtime.remove_pod("pod-busy")


async def processes_are_counted_and_kept(world: World) -> None:
    await world.start("pod-bomb", PYTHON, "-c", BOMB, pids=20)
    (folder,) = world.folders()

    async def refused() -> bool:
        return "refused" in Path(world.runtime.log_file("pod-bomb", "main", 0)).read_text()

    assert (folder / "pids.max").read_text() == "20\n"
    await until(refused)
    assert (await world.runtime.usage("pod-bomb"))["main"].processes <= 20
    await world.runtime.remove_pod("pod-bomb")


async def nothing_is_left_when_a_supervisor_is_killed(world: World) -> None:
    await world.start("pod-left", *FOREVER)
    facts = await world.runtime.pod_facts("pod-left")
    assert facts is not None
    (supervisor,) = (int(each.name) for each in Path("/proc").glob("[0-9]*") if _is_supervisor(each))
    os.kill(supervisor, signal.SIGKILL)

    async def gone() -> bool:
        now = await world.runtime.pod_facts("pod-left")
        return now is not None and not now.alive

    await until(gone)

    async def forgotten() -> bool:
        await world.runtime.remove_pod("pod-left")
        return not any((folder / "cgroup.procs").read_text() for folder in world.folders())

    await until(forgotten)


def _is_supervisor(process: Path) -> bool:
    try:
        return (process / "comm").read_text() == "windlass-pod\n"
    except OSError:
        return False


async def main(kind: str, data: Path) -> None:
    runtime = {"sandbox": Sandbox, "process": Processes}[kind](data)
    await runtime.start()
    assert runtime.limits_by() == "cgroup v2", runtime.limits_by()
    world = World(runtime, data)
    for story in (memory_is_kept, processor_time_is_kept, processes_are_counted_and_kept):
        await story(world)
        assert world.folders() == [], story.__name__
    await nothing_is_left_when_a_supervisor_is_killed(world)
    await runtime.stop(pods=True)
    again = type(runtime)(data)
    await again.start()
    assert world.folders() == [], "swept by the next agent"
    await again.stop(pods=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
