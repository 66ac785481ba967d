"""A Windlass with a node for one run of the benchmark, and what its processes use."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from windlass.apis.core_v1 import Namespace, Node, Pod
from windlass.kube.client import Client
from windlass.kube.connect import by_socket
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import untyped

POD = KINDS.of(Pod)
_TICKS = os.sysconf("SC_CLK_TCK")


class Platform:
    """Started on a folder of its own; `client` is the administrator's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client: Client

    async def __aenter__(self) -> "Platform":
        self._windlass("up", "--detach", "--no-gateway", "--port=0")
        self.client = by_socket(self.folder / "run/api.sock", token_file=self.folder / "credentials/admin.token")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()
        self._windlass("down", "--timeout=120")

    def _windlass(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "windlass", *arguments, f"--data-dir={self.folder}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    async def node_name(self) -> str:
        nodes = (await self.client.list(KINDS.of(Node))).items
        return str(dig(nodes[0], "metadata", "name"))

    async def until(self, namespace: str, phase: str, count: int) -> None:
        """Wait until so many pods of a namespace are in a phase."""
        reached: set[str] = set()
        async for change in self.client.watch(untyped(POD), namespace, initial_events=True):
            if change.object is not None and dig(change.object, "status", "phase") == phase:
                reached.add(str(dig(change.object, "metadata", "name")))
            if len(reached) >= count:
                return

    async def namespace(self, name: str) -> str:
        """A fresh one for a part."""
        await self.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        return name

    async def clear(self, namespace: str) -> None:
        """Remove all of it and wait until its pods are gone, so that the next part begins on a quiet machine."""
        await self.client.delete(KINDS.of(Namespace), Key("", namespace))
        while (await self.client.list(POD, namespace)).items:  # noqa: ASYNC110 - it asks another process
            await asyncio.sleep(0.2)

    def own_pids(self) -> list[int]:
        """Windlass' own processes: components, zygote, network helper and the supervisors of pods."""
        mark, found = os.fsencode(self.folder), list[int]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    line = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if b"windlass" in line and (mark in line or b"sandbox/launch.py" in line or b"network" in line):
                    found.append(int(entry.name))
        return found


def memory(pids: list[int]) -> float:
    """Megabytes: each process' proportional share, so that what forks share is counted once."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total * 1024 / 1e6


def cpu(pids: list[int]) -> float:
    """Seconds of processor time so far."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / _TICKS
    return total


def a_pod(name: str, namespace: str, command: list[str], *, node: str = "") -> Object:
    spec: Object = {
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": "busybox", "command": command}],
    }
    if node:
        spec["nodeName"] = node
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


async def at_once(client: Client, objects: list[Object], in_flight: int = 16) -> None:
    """Create all of them, so many at a time."""
    waiting = list(reversed(objects))

    async def one_by_one() -> None:
        while waiting:
            await client.create(waiting.pop())

    await asyncio.gather(*(one_by_one() for _ in range(in_flight)))
