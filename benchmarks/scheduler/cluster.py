"""A control plane without a node agent for one run of a benchmark, and nodes and pods for it that nothing runs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from windlass.kube.client import Client
from windlass.kube.connect import by_kubeconfig
from windlass.kube.json import Object

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Use:
    """Processor seconds of each process so far."""

    server: float
    manager: float
    client: float

    def since(self, before: "Use") -> "Use":
        return Use(self.server - before.server, self.manager - before.manager, self.client - before.client)


@dataclass(frozen=True)
class ControlPlane:
    """One that runs on `folder`."""

    folder: Path
    url: str
    server: int
    """The process of the API server."""
    manager: int

    async def client(self) -> Client:
        """The administrator's, over HTTPS."""
        return await by_kubeconfig(self.folder / "kubeconfig")

    def use(self) -> Use:
        return Use(_cpu(self.server), _cpu(self.manager), time.process_time())

    def memory(self) -> tuple[float, float]:
        """Megabytes of the server and of the manager."""
        return _resident(self.server), _resident(self.manager)


@contextmanager
def running(folder: Path) -> Iterator[ControlPlane]:
    windlass(folder, "up", "--detach", "--no-gateway", "--no-node", "--port=0")
    try:
        yield plane_on(folder)
    finally:
        windlass(folder, "down", "--timeout=120")


def plane_on(folder: Path) -> ControlPlane:
    """The one that runs on a folder."""
    said = json.loads(windlass(folder, "status", "-o", "json"))
    pids = {each["name"]: int(each["pid"]) for each in said["components"]}
    return ControlPlane(folder, str(said["addresses"]["api"]), pids["server"], pids["manager"])


def windlass(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "windlass", *arguments, f"--data-dir={folder}"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024 / 1e6


def a_node(number: int, *, cpu: int = 32, memory: str = "256Gi") -> Object:
    """One that is ready and has no agent: nobody ever heard a heartbeat of it, so nobody misses one."""
    name = f"node-{number:05}"
    offers = {"cpu": str(cpu), "memory": memory, "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "as the benchmark says"}
    status = {"capacity": offers, "allocatable": offers, "conditions": [ready]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def a_pod(name: str, namespace: str = "default", *, cpu: str = "100m", memory: str = "500Mi") -> Object:
    requests = {"cpu": cpu, "memory": memory}
    container = {"name": "main", "image": "busybox", "resources": {"requests": requests}}
    metadata = {"name": name, "namespace": namespace, "labels": {"app": "benchmark"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
