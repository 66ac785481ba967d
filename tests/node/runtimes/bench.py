"""What the scenarios of all runtimes share: a runtime, pods in it, and waiting for what is to become of them."""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, PodSpec
from windlass.node.runtimes.sandbox.process import SandboxProcess
from windlass.node.runtimes.sandbox.runtime import Sandbox

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


async def until(condition: Callable[[], Any], within: float = 60) -> Any:
    deadline = time.monotonic() + within
    while True:
        result = condition()
        if isinstance(result, Awaitable):
            result = await result
        if result:
            return result
        assert time.monotonic() < deadline, "it did not come to be"
        await asyncio.sleep(0.01)


class Bench:
    def __init__(self, data: Path, make: type[Sandbox]) -> None:
        self.data, self.runtime, self._make, self._numbers = data, make(data), make, count(1)

    def become_another_agent(self) -> None:
        """One that knows only what it finds."""
        self.runtime = self._make(self.data)

    async def pod(self, **fields: Any) -> str:
        uid = fields.pop("uid", None) or f"pod-{os.getpid()}-{next(self._numbers)}"
        folder = str(self.data / "node" / "pods" / uid)
        await self.runtime.start_pod(
            PodSpec(uid, "default", uid, folder, "a-host", hosts="127.0.0.1 localhost\n", **fields)
        )
        return uid

    async def start(self, uid: str, script: str, name: str = "main", attempt: int = 0, **fields: Any) -> ContainerFacts:
        fields.setdefault("environment", PATH)
        fields.setdefault("argv", ("/bin/sh", "-c", script))
        return await self.runtime.start_container(uid, ContainerSpec(name=name, attempt=attempt, **fields))

    async def ended(self, uid: str, name: str = "main", attempt: int = 0) -> ContainerFacts:
        async def run() -> ContainerFacts | None:
            facts = await self.runtime.pod_facts(uid)
            assert facts is not None
            runs = [c for c in facts.containers if (c.name, c.attempt, c.state) == (name, attempt, "exited")]
            return runs[0] if runs else None

        return await until(run)

    def output(self, uid: str, name: str = "main", attempt: int = 0) -> str:
        text = Path(self.runtime.log_file(uid, name, attempt)).read_text()
        return "".join(line.split(" ", 3)[3] for line in text.splitlines(keepends=True))

    async def says(self, uid: str, text: str, name: str = "main") -> None:
        await until(lambda: text in self.output(uid, name))

    async def run(self, script: str, **fields: Any) -> tuple[ContainerFacts, str]:
        """One container in a pod of its own, to its end."""
        uid = await self.pod()
        await self.start(uid, script, **fields)
        facts = await self.ended(uid)
        output = self.output(uid)
        await self.runtime.remove_pod(uid)
        return facts, output


async def read_all(fd: int | None) -> bytes:
    assert fd is not None
    data = b""
    while True:
        await readable(fd)
        try:
            chunk = os.read(fd, 65536)
        except BlockingIOError:
            continue
        except OSError:
            return data  # a terminal's end
        if not chunk:
            return data
        data += chunk


async def read_until(fd: int | None, text: bytes) -> bytes:
    assert fd is not None
    data = b""
    while text not in data:
        await asyncio.wait_for(readable(fd), 60)
        data += os.read(fd, 65536)
    return data


async def readable(fd: int) -> None:
    ready = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().add_reader(fd, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        asyncio.get_running_loop().remove_reader(fd)


async def finish(process: SandboxProcess) -> tuple[int, bytes]:
    output = await asyncio.wait_for(read_all(process.stdout), 60)
    code = await asyncio.wait_for(process.wait(), 60)
    process.close()
    return code, output


async def refusal(work: Awaitable[object]) -> CannotRun:
    try:
        await work
    except CannotRun as error:
        return error
    raise AssertionError("it was not refused")


def processes(word: str) -> list[str]:
    """Those with this word among their arguments, zombies aside."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in arguments:
            found.append(folder.name)
    return found


def network_of(pid: int) -> str:
    return str(Path(f"/proc/{pid}/ns/net").readlink())


async def _run(scenario: Callable[[Bench], Awaitable[None]], data: Path, make: type[Sandbox]) -> None:
    bench = Bench(data, make)
    await bench.runtime.start()
    try:
        await scenario(bench)
    finally:
        await bench.runtime.stop(pods=True)


def play(scenarios: Mapping[str, Any], make: type[Sandbox]) -> None:
    """`python scenarios.py NAME DATA-DIR`."""
    name, data = sys.argv[1:3]
    asyncio.run(_run(scenarios[name], Path(data), make))
