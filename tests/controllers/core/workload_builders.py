"""Deployments, ReplicaSets and pods for tests, and a world in which their plans come true at once."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from windlass.apis.apps_v1 import Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus
from windlass.apis.core_v1 import Pod, PodCondition, PodSpec, PodStatus
from windlass.controllers.core import deployments
from windlass.kube.controller import Deed, Plan, Seen
from windlass.kube.json import timestamp
from windlass.kube.meta import LabelSelector, ObjectMeta, OwnerReference
from windlass.kube.objects import wire
from windlass.kube.patch import merge_patch

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
APP = {"app": "web"}


def a_template(image: str = "nginx:1") -> dict[str, Any]:
    return {"metadata": {"labels": dict(APP)}, "spec": {"containers": [{"name": "c", "image": image}]}}


def a_deployment(replicas: int = 3, image: str = "nginx:1", **spec: Any) -> Deployment:
    given: dict[str, Any] = {
        "selector": LabelSelector(match_labels=dict(APP)),
        "template": a_template(image),
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        "progress_deadline_seconds": 600,
        "revision_history_limit": 10,
        **spec,
    }
    metadata = ObjectMeta(name="web", namespace="n", uid="d", resource_version="1", generation=1)
    return Deployment(metadata=metadata, spec=DeploymentSpec(replicas=replicas, **given))


def a_replica_set(replicas: int = 3, pods: int = 0, name: str = "web", **metadata: Any) -> ReplicaSet:
    given = {"namespace": "n", "uid": name, "resource_version": "1", "generation": 1, "labels": APP, **metadata}
    spec = ReplicaSetSpec(replicas=replicas, selector=LabelSelector(match_labels=dict(APP)), template=a_template())
    return ReplicaSet(metadata=ObjectMeta(name=name, **given), spec=spec, status=ReplicaSetStatus(replicas=pods))


def owned_by(owner: Any) -> list[OwnerReference]:
    kind = type(owner).__name__
    version = "v1" if kind == "ReplicationController" else "apps/v1"
    name, uid = owner.metadata.name, owner.metadata.uid
    return [OwnerReference(api_version=version, kind=kind, name=name, uid=uid, controller=True)]


def a_pod(
    name: str,
    owner: Any = None,
    *,
    phase: str = "Pending",
    ready: timedelta | None = None,
    node: str = "",
    created: timedelta = timedelta(hours=1),
    labels: dict[str, str] | None = None,
    **metadata: Any,
) -> Pod:
    """`ready`: for how long it has been."""
    conditions = [] if ready is None else [_ready_since(NOW - ready)]
    made = ObjectMeta(
        name=name,
        namespace="n",
        uid=f"uid-{name}",
        resource_version="1",
        creation_timestamp=timestamp(NOW - created),
        labels=APP if labels is None else labels,
        owner_references=owned_by(owner) if owner is not None else [],
        **metadata,
    )
    status = PodStatus(phase="Running" if ready is not None else phase, conditions=conditions)
    return Pod(metadata=made, spec=PodSpec(node_name=node), status=status)


def _ready_since(moment: datetime) -> PodCondition:
    return PodCondition(type="Ready", status="True", last_transition_time=timestamp(moment))


class World:
    """One Deployment and its ReplicaSets. Plans come true as they are made; pods become ready when a test says so."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment, self.now = deployment, NOW
        self.sets: dict[str, ReplicaSet] = {}
        self.events: list[str] = []
        self.made = 0

    def look(self) -> Plan:
        seen = Seen.just(*self.sets.values(), of=self.deployment, now=self.now)
        plan = deployments.reconcile(self.deployment, seen)
        for obj, patch in plan.patch:
            self._patched(obj, patch)
        for child in plan.create:
            self._created(child)
        for child in plan.delete:
            assert isinstance(child, ReplicaSet)
            del self.sets[child.metadata.name]
        if plan.status is not None:
            self.deployment = msgspec.structs.replace(self.deployment, status=plan.status)
        return plan

    def settle(self, looks: int = 20) -> None:
        """Look until nothing changes any more."""
        for _ in range(looks):
            before = (self.deployment, dict(self.sets))
            self.look()
            if before == (self.deployment, self.sets):
                return
        raise AssertionError("it never settles")

    def _patched(self, obj: Any, patch: Any) -> None:
        new: Any = msgspec.convert(merge_patch.apply(msgspec.to_builtins(obj), patch), type(obj))
        if isinstance(new, ReplicaSet):
            metadata = msgspec.structs.replace(new.metadata, generation=new.metadata.generation + 1)
            self.sets[new.metadata.name] = msgspec.structs.replace(new, metadata=metadata)
            self._tell(Deed("patch", wire(new), before=obj))
        else:
            self.deployment = new

    def _created(self, child: Any) -> None:
        self.made += 1
        metadata = msgspec.structs.replace(
            child.metadata,
            uid=f"rs-{self.made}",
            generation=1,
            creation_timestamp=timestamp(NOW + timedelta(seconds=self.made)),
            owner_references=owned_by(self.deployment),
        )
        self.sets[child.metadata.name] = msgspec.structs.replace(child, metadata=metadata)
        self._tell(Deed("create", wire(child)))

    def _tell(self, deed: Deed) -> None:
        note = deployments.tell(self.deployment, deed)
        self.events += [note.message] if note is not None else []

    def change(self, **spec: Any) -> None:
        metadata = msgspec.structs.replace(self.deployment.metadata, generation=self.deployment.metadata.generation + 1)
        changed = msgspec.structs.replace(self.deployment.spec, **spec)
        self.deployment = msgspec.structs.replace(self.deployment, metadata=metadata, spec=changed)

    def pods(self, name: str, ready: int | None = None, terminating: int = 0) -> None:
        """The ReplicaSet has its pods, of which `ready` are ready; all of them unless said otherwise."""
        one = self.sets[name]
        count = one.spec.replicas or 0
        status = ReplicaSetStatus(
            replicas=count,
            ready_replicas=count if ready is None else ready,
            available_replicas=count if ready is None else ready,
            terminating_replicas=terminating,
            observed_generation=one.metadata.generation,
        )
        self.sets[name] = msgspec.structs.replace(one, status=status)

    def all_pods(self) -> None:
        for name in self.sets:
            self.pods(name)

    def roll(self) -> None:
        """Until done, with pods that become ready at once."""
        for _ in range(200):
            self.settle()
            before = dict(self.sets)
            self.all_pods()
            self.settle()
            if before == self.sets:
                return
        raise AssertionError("it never ends")

    @property
    def sizes(self) -> dict[str, int | None]:
        return {name: one.spec.replicas for name, one in self.sets.items()}

    def condition(self, type: str) -> tuple[str, str, str]:
        found = next(c for c in self.deployment.status.conditions if c.type == type)
        return found.status, found.reason, found.message
