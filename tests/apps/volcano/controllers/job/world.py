"""A world of one Job of Volcano, in memory: plans are carried out as the applier would, or cut short as by a kill."""

from typing import Any

import msgspec

from tests.apps.training.controllers.engine.world import World
from windlass.apis.core_v1 import Pod, Secret
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.children.ssh_keys import KeyPair, secret, uses_keys
from windlass.apps.volcano.controllers.job.phases import AT_WORK
from windlass.apps.volcano.controllers.job.plugins import ssh
from windlass.apps.volcano.controllers.job.reconcile import CONTROLLER
from windlass.apps.volcano.kinds.batch import GROUP_VERSION, Job
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta, OwnerReference
from windlass.kube.objects import owner_reference, wire
from windlass.kube.patch import merge_patch
from windlass.kube.plan import Plan

GROUP = "demo-job-uid"
KEYS = KeyPair("private", "public\n")


def task(name: str, replicas: int = 1, *policies: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A task of pods with one container."""
    pod = {"spec": {"containers": [{"name": name, "image": "trainer"}]}}
    return {"name": name, "replicas": replicas, "template": pod, "policies": list(policies), **more}


def on(event: str | int, action: str, timeout: str | None = None) -> dict[str, Any]:
    """A policy for an event, or for an exit code."""
    what: dict[str, Any] = {"exitCode": event} if isinstance(event, int) else {"event": event}
    return {**what, "action": action} | ({"timeout": timeout} if timeout else {})


class JobWorld(World):
    """demo in team-a. `lingers`: pods that are deleted end only when `gone` is called."""

    def __init__(self, *tasks: dict[str, Any], lingers: bool = False, **spec: Any) -> None:
        self.start(CONTROLLER, spec.pop("metadata", {}), {"tasks": list(tasks) or [task("worker", 2)], **spec})
        self.world.server.lingering = lambda obj: lingers and obj["kind"] == "Pod"

    # --- what can be seen

    @property
    def status(self) -> Any:
        return self.there.status

    @property
    def phase(self) -> str:
        return self.status.state.phase

    @property
    def group(self) -> dict[str, Any] | None:
        return self.objects.get(("PodGroup", GROUP))

    @property
    def kinds(self) -> list[str]:
        """What there is beside pods."""
        return sorted(f"{kind}/{name}" for kind, name in self.objects if kind not in ("Pod", "Command"))

    def versions(self) -> dict[str, str]:
        return {name: pod.metadata.annotations[names.JOB_VERSION] for name, pod in self.pods.items()}

    # --- what others do

    def admit(self, phase: str = "Inqueue", **status: Any) -> None:
        """The scheduler admits the group."""
        assert self.group is not None
        self.put({**self.group, "status": {"phase": phase, **status}})

    def command(self, action: str, uid: str = "", name: str = "") -> None:
        target = OwnerReference(api_version=GROUP_VERSION, kind="Job", name="demo", uid=uid)
        name = name or f"{action.lower()}-{self.world.server.version}"
        self.put(Command(metadata=ObjectMeta(name=name), action=action, target=target))

    def gone(self, *names: str) -> None:
        """Pods that were deleted have ended."""
        for name in names or [name for name, pod in self.pods.items() if pod.metadata.deletion_timestamp]:
            self.world.finish_deletion(Pod, name)

    def started(self) -> "JobWorld":
        """All pods run."""
        self.settle()
        self.admit()
        self.settle()
        self.run()
        self.settle()
        return self

    # --- what the controller does

    def step(self, kill_after: int | None = None) -> Plan:
        self.make_keys()
        return super().step(kill_after)

    def make_keys(self) -> None:
        if self.job is not None and uses_keys(self.job) and self.status.state.phase in AT_WORK:
            name = ssh.secret_name(self.job)
            if ("Secret", name) not in self.objects:
                made: Secret = secret(self.job, lambda: KEYS)
                owner = msgspec.to_builtins(owner_reference(self.job, KINDS.of(Job)))
                self.put(merge_patch.apply(wire(made), {"metadata": {"ownerReferences": [owner]}}))
