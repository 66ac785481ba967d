"""A world of one training job, in memory: its plans are carried out as the applier would, or cut short as by a kill."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from windlass.apis.core_v1 import ContainerStatus, Pod, PodCondition, PodStatus
from windlass.apis.training.common import JobCondition, TrainingJob
from windlass.apis.training.frameworks import BY_KIND
from windlass.apis.training.options import Options
from windlass.controllers.training.engine.reconcile import controller
from windlass.kube.applier import merge_difference
from windlass.kube.controller import Deed, Note, Plan, Seen
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.objects import AnyObject, key_of, owner_reference, wire
from windlass.kube.patch import merge_patch

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
    """`kind` with `spec`, as it would be applied. `step` makes one look; `settle` looks until nothing changes."""

    def __init__(self, kind: str, spec: dict[str, Any], *, annotations: dict[str, str] | None = None, **options: Any):
        framework = BY_KIND[kind]
        self.controller = controller(framework, Options(**options))
        self.objects: dict[Key, Any] = {}
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.events: list[Note] = []
        self.writes = 0
        self.made_pods: list[str] = []
        self.sent: dict[str, Any] = {}
        self._count = 0
        metadata = {
            "name": "demo",
            "namespace": "team-a",
            "uid": "job-uid",
            "resourceVersion": "1",
            "creationTimestamp": timestamp(self.now),
            "annotations": annotations or {},
        }
        self.job: TrainingJob | None = msgspec.convert({"metadata": metadata, "spec": spec}, framework.kind)

    # --- what can be seen

    @property
    def there(self) -> TrainingJob:
        assert self.job is not None, "the job is gone"
        return self.job

    @property
    def pods(self) -> dict[str, Pod]:
        return {name: obj for (kind, name), obj in self.objects.items() if kind == "Pod"}

    @property
    def services(self) -> list[str]:
        return sorted(name for kind, name in self.objects if kind == "Service")

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
        self._set_job(merge_patch.apply(wire(self.there), change))

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
        self._put(
            "Pod", msgspec.structs.replace(pod, status=PodStatus(phase=phase, container_statuses=containers, **status))
        )

    def unschedulable(self, name: str) -> None:
        condition = PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message="no GPU is free")
        self.set_pod(name, "Pending", conditions=[condition])

    def delete(self, name: str, *, lingers: bool = False) -> None:
        """Somebody deletes a pod; one that lingers is still ending its containers."""
        if lingers:
            pod = self.pods[name]
            metadata = msgspec.structs.replace(pod.metadata, deletion_timestamp=timestamp(self.now))
            self._put("Pod", msgspec.structs.replace(pod, metadata=metadata))
        else:
            del self.objects["Pod", name]

    def put(self, obj: Any, *, owned: bool = False) -> None:
        """An object appears that the job has not made."""
        self._put(KINDS.of(type(obj)).name if not isinstance(obj, dict) else obj["kind"], obj, owned=owned)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    # --- what the controller does

    def step(self) -> Plan:
        plan = self.look()
        for _ in self.carried_out(plan):
            pass
        return plan

    def look(self) -> Plan:
        if self.job is None:
            return Plan()
        return self.controller.reconcile(self.job, self.seen())

    def seen(self) -> Seen:
        return Seen.just(*self.objects.values(), of=self.job, now=self.now)

    def settle(self) -> Plan:
        for _ in range(20):
            before = self._snapshot()
            plan = self.step()
            if self._snapshot() == before:
                return plan
        raise AssertionError("the job does not come to rest")

    def carried_out(self, plan: Plan) -> Iterator[None]:
        """Write by write: whoever stops in between has been killed there."""
        for obj, patch in plan.patch:
            if isinstance(obj, dict):
                self._put(obj["kind"], merge_patch.apply(obj, patch))
            else:
                self.edit(patch)
            yield
        for child in plan.apply:
            self._apply(wire(child))
            yield
        for child in plan.create:
            self._create(wire(child))
            yield
        for child in plan.delete:
            self._delete(child)
            yield
        if self.job is None:
            return
        if plan.status is not None:
            old, new = (msgspec.to_builtins(status) for status in (self.job.status, plan.status))
            difference = merge_difference(old, new)
            if difference:
                self.writes += 1
                self.edit({"status": difference})
                yield
        self.events.extend(plan.events)

    def _tell(self, verb: Any, obj: Any) -> None:
        assert self.controller.tell is not None
        note = self.controller.tell(self.there, Deed(verb, obj))
        if note is not None:
            self.events.append(note)

    def _create(self, made: dict[str, Any]) -> None:
        key = made["kind"], made["metadata"]["name"]
        if key in self.objects:
            return
        self._tell("create", made)
        self._put(made["kind"], made, owned=True)
        if made["kind"] == "Pod":
            self.made_pods.append(made["metadata"]["name"])
            self.sent[made["metadata"]["name"]] = made

    def _apply(self, made: dict[str, Any]) -> None:
        known = self.objects.get((made["kind"], made["metadata"]["name"]))
        if known is not None:
            made = merge_patch.apply(wire(known), made)
        self._put(made["kind"], made, owned=True)

    def _delete(self, obj: AnyObject) -> None:
        self._tell("delete", obj)
        if obj is self.job:
            self.job = None
            self.objects.clear()
        else:
            self.objects.pop((wire(obj)["kind"], key_of(obj).name), None)

    def _put(self, kind: str, obj: Any, *, owned: bool | None = None) -> None:
        self._count += 1
        value = wire(obj) if not isinstance(obj, dict) else obj
        metadata = {"uid": f"{kind.lower()}-{self._count}", **value["metadata"], "resourceVersion": str(self._count)}
        declared = KINDS.find(value["apiVersion"], kind)
        if declared is None or declared.namespaced:
            metadata["namespace"] = "team-a"
        if owned and self.job is not None:
            owner = owner_reference(self.job, KINDS.of(type(self.job)))
            metadata["ownerReferences"] = [msgspec.to_builtins(owner)]
        value = {**value, "metadata": metadata}
        if kind != "PodGroup" and declared is not None and declared.struct is not None:  # groups are seen as JSON
            value = msgspec.convert(_bare(value), declared.struct)
        self.objects[kind, metadata["name"]] = value

    def _set_job(self, value: dict[str, Any]) -> None:
        value["metadata"]["resourceVersion"] = str(int(value["metadata"]["resourceVersion"]) + 1)
        self.job = msgspec.convert(_bare(value), type(self.there))

    def _snapshot(self) -> Any:
        return self.job and msgspec.to_builtins(self.job), {key: _unversioned(obj) for key, obj in self.objects.items()}


def _unversioned(obj: Any) -> dict[str, Any]:
    """An object but for its version: one that is applied unchanged is the same."""
    value = wire(obj)
    return {**value, "metadata": {**value["metadata"], "resourceVersion": ""}}


def _bare(value: dict[str, Any]) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key not in ("apiVersion", "kind")}


def uids(world: World) -> dict[str, str]:
    return {name: pod.metadata.uid for name, pod in world.pods.items()}
