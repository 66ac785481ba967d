"""StatefulSets, their pods and claims, and a world in which plans come true at once."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from windlass.apis.apps_v1 import ControllerRevision, StatefulSet, StatefulSetSpec
from windlass.apis.core_v1 import PersistentVolumeClaim, Pod, PodCondition, PodStatus
from windlass.controllers.core.stateful_sets import CONTROLLER
from windlass.kube import testing
from windlass.kube.meta import LabelSelector, ObjectMeta
from windlass.kube.plan import Plan

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


class World:
    """One StatefulSet; `step` reconciles it once."""

    def __init__(self, stateful: StatefulSet) -> None:
        self.world = testing.World(CONTROLLER, namespace="n", now=NOW)
        self.world.server.collects_garbage = False
        self.world.put(stateful)

    @property
    def stateful(self) -> StatefulSet:
        return self.world.get(StatefulSet, "web")

    @property
    def pods(self) -> testing.Objects[Pod]:
        return self.world.all(Pod)

    @property
    def claims(self) -> testing.Objects[PersistentVolumeClaim]:
        return self.world.all(PersistentVolumeClaim)

    @property
    def revisions(self) -> testing.Objects[ControllerRevision]:
        return self.world.all(ControllerRevision)

    def plan(self) -> Plan:
        return self.world.plan("web")

    def step(self) -> Plan:
        return self.world.step("web")

    def run(self, steps: int = 50) -> None:
        """Reconcile until no pod is created or deleted, with every pod becoming ready at once."""
        for _ in range(steps):
            self.bring_up()
            plan = self.step()
            if not (testing.created(plan) or testing.deleted(plan)):
                return
        raise AssertionError("the set does not settle")

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
        stateful = self.stateful
        self.world.put(msgspec.structs.replace(stateful, spec=msgspec.structs.replace(stateful.spec, **spec)))

    def images(self) -> dict[str, str]:
        return {name: pod.spec.containers[0].image for name, pod in sorted(self.pods.items())}
