"""A world of one training job, in memory: its plans are carried out as the applier would, or cut short as by a kill."""

from datetime import datetime
from typing import Any, cast

import msgspec

from windlass.apis.core_v1 import ContainerStatus, Pod, PodCondition, PodStatus, Service
from windlass.apps.training.controllers.engine.reconcile import controller
from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.kinds.common import JobCondition
from windlass.apps.training.options import Options
from windlass.kube import testing
from windlass.kube.controller import Controller, Observed
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.plan import Event, Plan

Key = tuple[str, str]


def replicas(count: int | None = 1, policy: str = "", container: str = "tensorflow", **template: Any) -> dict[str, Any]:
    """One entry of a replica map."""
    made: dict[str, Any] = {
        "template": {"spec": {"containers": [{"name": container, "image": "trainer"}], **template}},
    }
    if count is not None:
        made["replicas"] = count
    return made | ({"restartPolicy": policy} if policy else {})


class World:
    """`kind` with `spec`, as it would be applied. `step` reconciles once; `settle` until nothing changes."""

    def __init__(self, kind: str, spec: dict[str, Any], *, annotations: dict[str, str] | None = None, **options: Any):
        framework = BY_KIND[kind]
        self.start(controller(framework, Options(**options)), {"annotations": annotations or {}}, spec)

    def start(self, controller: Controller[Any], metadata: dict[str, Any], spec: dict[str, Any]) -> None:
        self.world = testing.World(controller, namespace="team-a")
        self.controller = controller
        kind = KINDS.of(controller.kind)
        metadata = {"name": "demo", "uid": "job-uid", "creationTimestamp": timestamp(self.now), **metadata}
        self.put({"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, "spec": spec})

    # --- what can be seen

    @property
    def now(self) -> datetime:
        return self.world.now

    @property
    def events(self) -> list[Event]:
        return self.world.events

    @property
    def job(self) -> Any:
        """The job; None once it is gone."""
        return self.world.find(self.controller.kind, "demo")

    @property
    def there(self) -> Any:
        assert self.job is not None, "the job is gone"
        return self.job

    @property
    def pods(self) -> testing.Objects[Pod]:
        return self.world.all(Pod)

    @property
    def objects(self) -> dict[Key, Any]:
        """All but the job; groups as JSON, as the controllers see them."""
        own = KINDS.of(self.controller.kind)
        return {
            (kind.name, key.name): obj
            if kind.name == "PodGroup" or kind.struct is None
            else self.world.get(cast(Any, kind.struct), key.name)
            for (kind, key), obj in self.world.server.objects.items()
            if kind != own
        }

    @property
    def status_writes(self) -> int:
        return self.world.server.status_writes

    @property
    def created_pods(self) -> list[str]:
        return [obj["metadata"]["name"] for obj in self.world.server.created if obj["kind"] == "Pod"]

    @property
    def sent(self) -> dict[str, Any]:
        """Pods by name, as they were last sent."""
        return {obj["metadata"]["name"]: obj for obj in self.world.server.created if obj["kind"] == "Pod"}

    @property
    def services(self) -> list[str]:
        return sorted(self.world.all(Service))

    @property
    def conditions(self) -> list[str]:
        """`Type` of those that are true, `Type=False` of the others, oldest first."""
        shown = {"True": "", "False": "=False"}
        return [one.type + shown[one.status] for one in self.there.status.conditions]

    def condition(self, type: str) -> JobCondition:
        return next(one for one in self.there.status.conditions if one.type == type)

    def counts(self, replica_type: str) -> tuple[int, int, int]:
        status = self.there.status.replica_statuses[replica_type]
        return status.active, status.succeeded, status.failed

    def environment(self, pod: str) -> dict[str, str]:
        """What the container that trains is told, as the pod was sent."""
        return {one["name"]: one.get("value", "") for one in self.sent[pod]["spec"]["containers"][0]["env"]}

    def told(self, reason: str) -> list[str]:
        return [note.message for note in self.events if note.reason == reason]

    # --- what others do

    def edit(self, change: dict[str, Any]) -> None:
        self.world.change(self.controller.kind, "demo", change)

    def run(self, *names: str, restarts: int = 0) -> None:
        """These pods (or all that wait) run."""
        for name in names or [n for n, pod in self.pods.items() if pod.status.phase in ("", "Pending")]:
            self.set_pod(name, "Running", {"running": {}}, restarts=restarts)

    def end(self, name: str, code: int = 0, reason: str = "", message: str = "") -> None:
        """The container that trains ends, and with it the pod."""
        how = {"exitCode": code, "reason": reason or ("Error" if code else "Completed"), "message": message}
        self.set_pod(name, "Failed" if code else "Succeeded", {"terminated": how})

    def set_pod(
        self, name: str, phase: str, state: dict[str, Any] | None = None, *, restarts: int = 0, **status: Any
    ) -> None:
        pod = self.pods[name]
        main = ContainerStatus(
            name=pod.spec.containers[0].name, state=state or {}, restart_count=restarts, image="trainer"
        )
        containers = [main] if state is not None else []
        changed = PodStatus(phase=phase, container_statuses=containers, **status)
        self.put(msgspec.structs.replace(pod, status=changed))

    def unschedulable(self, name: str) -> None:
        condition = PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message="no GPU is free")
        self.set_pod(name, "Pending", conditions=[condition])

    def delete(self, name: str, *, lingers: bool = False) -> None:
        """A user deletes a pod; one that lingers is still ending its containers."""
        if lingers:
            self.world.change(Pod, name, {"metadata": {"deletionTimestamp": timestamp(self.now)}})
        else:
            self.world.finish_deletion(Pod, name)

    def put(self, obj: Any) -> None:
        """An object appears that the job has not made."""
        self.world.put(obj)

    def wait(self, seconds: float) -> None:
        self.world.wait(seconds)

    # --- what the controller does

    def step(self, kill_after: int | None = None) -> Plan:
        return self.world.step("demo", kill_after=kill_after)

    def observed(self) -> Observed:
        return self.world.observed(self.there)

    def plan(self) -> Plan:
        return self.world.plan("demo")

    def settle(self) -> Plan:
        for _ in range(50):
            before = self.world.server.version
            plan = self.step()
            if self.world.server.version == before:
                return plan
        raise AssertionError("the job does not settle")


def uids(world: World) -> dict[str, str]:
    return {name: pod.metadata.uid for name, pod in world.pods.items()}
