"""Deployments, ReplicaSets and pods for tests, and a world in which their plans come true at once."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from windlass.apis.apps_v1 import Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus
from windlass.apis.core_v1 import Pod, PodCondition, PodSpec, PodStatus
from windlass.controllers.core import deployments
from windlass.kube import testing
from windlass.kube.json import timestamp
from windlass.kube.meta import LabelSelector, ObjectMeta, OwnerReference
from windlass.kube.plan import Plan

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
    """One Deployment and its ReplicaSets, whose pods become ready when a test says so."""

    def __init__(self, deployment: Deployment) -> None:
        self.world = testing.World(deployments.CONTROLLER, namespace="n", now=NOW)
        self.world.put(deployment)

    @property
    def deployment(self) -> Deployment:
        return self.world.get(Deployment, "web")

    @property
    def sets(self) -> testing.Objects[ReplicaSet]:
        return self.world.all(ReplicaSet)

    @property
    def events(self) -> list[str]:
        return [note.message for note in self.world.events]

    def step(self) -> Plan:
        return self.world.step("web")

    def settle(self) -> None:
        self.world.settle()

    def change(self, **spec: Any) -> None:
        deployment = self.deployment
        self.world.put(msgspec.structs.replace(deployment, spec=msgspec.structs.replace(deployment.spec, **spec)))

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
