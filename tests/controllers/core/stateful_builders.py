"""StatefulSets, their pods and claims, and a world in which plans come true at once."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from windlass.apis.apps_v1 import ControllerRevision, StatefulSet, StatefulSetSpec
from windlass.apis.core_v1 import PersistentVolumeClaim, Pod, PodCondition, PodStatus
from windlass.controllers.core.stateful_sets import reconcile
from windlass.kube.controller import Plan, Seen
from windlass.kube.kind import KINDS
from windlass.kube.meta import LabelSelector, ObjectMeta
from windlass.kube.objects import owner_reference

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
CLAIM = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}


def a_template(image: str = "nginx:1") -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": image}]}}


def a_set(replicas: int = 3, image: str = "nginx:1", **spec: Any) -> StatefulSet:
    given: dict[str, Any] = {
        "pod_management_policy": "OrderedReady",
        "update_strategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        "service_name": "web",
        **spec,
    }
    return StatefulSet(
        metadata=ObjectMeta(name="web", namespace="n", uid="s1", generation=1),
        spec=StatefulSetSpec(
            replicas=replicas, selector=LabelSelector(match_labels={"app": "web"}), template=a_template(image), **given
        ),
    )


@dataclass
class World:
    """A set, and what is there; `step` carries out one plan."""

    stateful: StatefulSet
    pods: dict[str, Pod] = field(default_factory=dict[str, Pod])
    claims: dict[str, PersistentVolumeClaim] = field(default_factory=dict[str, PersistentVolumeClaim])
    revisions: dict[str, ControllerRevision] = field(default_factory=dict[str, ControllerRevision])
    now: datetime = NOW
    made: int = 0

    def plan(self) -> Plan:
        there = [*self.pods.values(), *self.claims.values(), *self.revisions.values()]
        return reconcile(self.stateful, Seen.just(*there, of=self.stateful, now=self.now))

    def step(self) -> Plan:
        plan = self.plan()
        for claim in plan.beside:
            self._put(PersistentVolumeClaim, claim, owned=False)
        for obj, patch in plan.patch:
            self._patch(obj, patch)
        for child in plan.create:
            assert isinstance(child, dict)
            self._put(Pod if child["kind"] == "Pod" else ControllerRevision, child, owned=True)
        for child in plan.delete:
            kept = self.pods if isinstance(child, Pod) else self.revisions
            assert isinstance(child, Pod | ControllerRevision)
            del kept[child.metadata.name]
        if plan.status is not None:
            self.stateful = msgspec.structs.replace(self.stateful, status=plan.status)
        return plan

    def run(self, steps: int = 50) -> None:
        """Until nothing moves, with every pod coming up at once."""
        for _ in range(steps):
            self.bring_up()
            plan = self.step()
            if not (plan.create or plan.delete):
                return
        raise AssertionError("it never comes to rest")

    def bring_up(self, *names: str) -> None:
        for name in names or tuple(self.pods):
            self.set_status(name, "Running", ready=True)

    def set_status(self, name: str, phase: str, *, ready: bool = False, since: str = "2026-01-01T11:00:00Z") -> None:
        condition = PodCondition(type="Ready", status="True" if ready else "False", last_transition_time=since)
        status = PodStatus(phase=phase, conditions=[condition])
        self.pods[name] = msgspec.structs.replace(self.pods[name], status=status)

    def going(self, name: str) -> None:
        pod = self.pods[name]
        metadata = msgspec.structs.replace(pod.metadata, deletion_timestamp="2026-01-01T11:00:00Z")
        self.pods[name] = msgspec.structs.replace(pod, metadata=metadata)

    def change(self, **spec: Any) -> None:
        changed = msgspec.structs.replace(self.stateful.spec, **spec)
        metadata = msgspec.structs.replace(self.stateful.metadata, generation=self.stateful.metadata.generation + 1)
        self.stateful = msgspec.structs.replace(self.stateful, spec=changed, metadata=metadata)

    def images(self) -> dict[str, str]:
        return {name: pod.spec.containers[0].image for name, pod in sorted(self.pods.items())}

    def _put(self, kind: type[Any], child: Any, *, owned: bool) -> None:
        obj = msgspec.convert(child, kind)
        self.made += 1
        owners = obj.metadata.owner_references
        if owned:
            owners = [owner_reference(self.stateful, KINDS.of(StatefulSet))]
        metadata = msgspec.structs.replace(obj.metadata, uid=f"u{self.made}", owner_references=owners)
        obj = msgspec.structs.replace(obj, metadata=metadata)
        if kind is Pod:
            obj = msgspec.structs.replace(obj, status=PodStatus(phase="Pending"))
        self._of(kind)[metadata.name] = obj

    def _patch(self, obj: Any, patch: Any) -> None:
        merged = msgspec.to_builtins(obj)
        for key, value in patch.items():
            merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
        merged["metadata"] = {key: value for key, value in merged["metadata"].items() if value is not None}
        self._of(type(obj))[obj.metadata.name] = msgspec.convert(merged, type(obj))

    def _of(self, kind: type[Any]) -> dict[str, Any]:
        return {Pod: self.pods, PersistentVolumeClaim: self.claims, ControllerRevision: self.revisions}[kind]
