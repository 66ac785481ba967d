"""The process runtime."""

import asyncio
import os
import shutil
from pathlib import Path

from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, PodFacts, PodSpec
from windlass.node.runtimes.process import links, marks, table
from windlass.node.runtimes.process.adapt import adapted
from windlass.node.runtimes.process.supervisor import memory_folder
from windlass.node.runtimes.sandbox import store
from windlass.node.runtimes.sandbox.pods import Pod
from windlass.node.runtimes.sandbox.runtime import Sandbox
from windlass.node.runtimes.sandbox.zygotes import Zygote

_LAUNCH = str(Path(__file__).with_name("launch.py"))


class Processes(Sandbox):
    """Runs containers as processes of this user, with the same supervisors as sandboxes."""

    name = "process"

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self._zygote = Zygote(self._data, _LAUNCH)

    @property
    def root_id(self) -> int:
        return os.getuid()

    @property
    def has_groups(self) -> bool:
        return os.getuid() == 0

    @property
    def hides_devices(self) -> bool:
        return False

    def host_id(self, number: int) -> int | None:
        return os.getuid() if number == 0 else None

    def _candidates(self) -> list[str]:
        return []  # there are no namespaces to join

    def _changed(self, uid: str) -> None:
        super()._changed(uid)
        pod = self._pods.get(uid)
        if pod is not None and pod.raw and not pod.alive:
            self._soon(self._kill_orphans(pod))

    async def start_pod(self, pod: PodSpec) -> PodFacts:
        if pod.sysctls:
            names = ", ".join(sorted(pod.sysctls))
            raise CannotRun(
                f"failed to create pod sandbox: sysctls {names}: pods run as plain processes on this node",
                reason="CreatePodSandboxError",
            )
        return await super().start_pod(pod)

    async def start_container(self, uid: str, container: ContainerSpec) -> ContainerFacts:
        folder = str(Path(self.log_file(uid, container.name, container.attempt)).parent)
        found = await asyncio.to_thread(table.read, self._data)
        plain = adapted(container, folder, found, uid=uid, user=os.getuid(), group=os.getgid())
        return await super().start_container(uid, plain)

    async def remove_pod(self, uid: str) -> None:
        pod = self._pods.get(uid)
        await super().remove_pod(uid)
        folder = pod.folder if pod else self._data / "node" / "pods" / uid
        await asyncio.to_thread(links.remove, str(folder))
        await asyncio.to_thread(shutil.rmtree, memory_folder(uid), ignore_errors=True)

    async def _kill_orphans(self, pod: Pod) -> None:
        """Kill what is left of a pod without a supervisor, found by the marks of its containers."""
        if pod.raw.get("boot") == store.boot_id():
            await asyncio.to_thread(marks.kill_everywhere, {run["id"] for run in pod.raw.get("containers", [])})

    def limits_by(self) -> str:
        if self._zygote.cgroup:
            return "cgroup v2"
        return (
            "looking: no cgroup v2 is delegated here. A container over its memory limit is killed when that is seen, "
            "every 100 ms; limits of CPU and of processes are not kept"
        )
