"""The recycle bin: a deleted profile keeps its objects for a day, without access and without running pods.

Each workload has one field that stops it. Its value before is kept in an annotation, by which a restore finds it.
Volcano Jobs have no such field (`volcano_jobs`). Pods that are not stopped so are deleted, and a quota of no pods keeps
them from coming back.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windlass.apis.apps_v1 import Deployment, ReplicaSet, StatefulSet
from windlass.apis.batch_v1 import CronJob, Job
from windlass.apis.core_v1 import Pod, ResourceQuota, ResourceQuotaSpec
from windlass.apis.rbac_v1 import RoleBinding
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import STOPPED
from windlass.apps.pipelines.kinds.argo import CronWorkflow, Workflow
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.names import COMPLETED_LABEL
from windlass.apps.profiles.controllers import volcano_jobs
from windlass.apps.profiles.controllers.roots import is_root
from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.names import BEFORE_DELETION, DELETED_AT
from windlass.apps.trainer.kinds import TrainJob
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.volcano.kinds.batch import CronJob as VolcanoCronJob
from windlass.apps.volcano.kinds.batch import Job as VolcanoJob
from windlass.kube.controller import Observed
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, parse, timestamp
from windlass.kube.meta import Object, ObjectMeta, parse_time
from windlass.kube.objects import is_deleting, wire
from windlass.kube.plan import CreateUnowned, Delete, Patch
from windlass.kube.view import View, typed

KEPT_FOR = timedelta(hours=24)
QUOTA_NAME = "windlass-recycle-bin"


@dataclass(frozen=True)
class Stop:
    """The field that stops objects of a kind."""

    kind: type[Object]
    path: tuple[str, ...]
    value: Callable[[datetime], Any]
    labels: str = ""
    """Selects the objects that can run, of a kind whose finished objects are many and large."""

    @property
    def source(self) -> View[Any]:
        """The objects to stop, as they are watched."""
        return typed(self.kind).narrowed(labels=self.labels) if self.labels else typed(self.kind)

    def patch(self, value: Any, before: str | None) -> Json:
        """Set the field, and the annotation with the value that it had."""
        patch: Json = {"metadata": {"annotations": {BEFORE_DELETION: before}}}
        inner = patch
        for key in self.path[:-1]:
            inner = inner.setdefault(key, {})
        inner[self.path[-1]] = value
        return patch


def _always(value: Any) -> Callable[[datetime], Any]:
    return lambda now: value


STOPS: tuple[Stop, ...] = (
    Stop(Notebook, ("metadata", "annotations", STOPPED), timestamp),
    Stop(ScheduledWorkflow, ("spec", "enabled"), _always(False)),
    *(Stop(kind, ("spec", "suspend"), _always(True)) for kind in (CronWorkflow, VolcanoCronJob, CronJob)),
    Stop(Workflow, ("spec", "suspend"), _always(True), labels=f"{COMPLETED_LABEL}!=true"),
    *(Stop(framework.kind, ("spec", "runPolicy", "suspend"), _always(True)) for framework in FRAMEWORKS),
    *(Stop(kind, ("spec", "suspend"), _always(True)) for kind in (TrainJob, JobSet, Job)),
    *(Stop(kind, ("spec", "replicas"), _always(0)) for kind in (Deployment, StatefulSet, ReplicaSet)),
    Stop(RoleBinding, ("subjects",), _always([])),
)
"""From those that make others to those that are made: a Deployment of another object is left to that one."""

WORKLOADS: tuple[type[Object], ...] = (*(stop.kind for stop in STOPS), VolcanoJob)
"""Kinds that the bin stops."""


def sources(kinds: Sequence[type[Object]]) -> list[View[Any]]:
    """What the bin reads of these kinds."""
    return [
        *(stop.source for stop in STOPS if stop.kind in kinds),
        *([typed(VolcanoJob)] if VolcanoJob in kinds else []),
    ]


def deleted_at(profile: Profile) -> datetime | None:
    """When the profile was put in the bin; None if it is not there."""
    text = profile.metadata.annotations.get(DELETED_AT)
    if not text:
        return None
    try:
        return parse_time(text)
    except ValueError:
        return None


def no_pods(profile: Profile) -> ResourceQuota:
    return ResourceQuota(
        metadata=ObjectMeta(name=QUOTA_NAME, namespace=profile.metadata.name),
        spec=ResourceQuotaSpec(hard={"pods": "0"}),
    )


def stopping(
    namespace: str, observed: Observed, kinds: Sequence[type[Object]], now: datetime
) -> list[Patch | CreateUnowned | Delete]:
    """Stop whatever runs in the namespace and is not stopped yet."""
    actions: list[Patch | CreateUnowned | Delete] = []
    for stop, obj in _objects(namespace, observed, kinds):
        if BEFORE_DELETION not in obj.metadata.annotations:
            before = json.dumps(dig(wire(obj), *stop.path))
            actions.append(Patch(obj, stop.patch(stop.value(now), before)))
    if VolcanoJob in kinds:
        actions += volcano_jobs.stopping(observed.all(VolcanoJob, namespace))
    return [*actions, *(Delete(pod) for pod in observed.all(Pod, namespace) if not is_deleting(pod))]


def restoring(namespace: str, observed: Observed, kinds: Sequence[type[Object]]) -> list[Patch | CreateUnowned]:
    """Bring back what was stopped."""
    actions: list[Patch | CreateUnowned] = [
        Patch(obj, stop.patch(_value(obj), None))
        for stop, obj in _objects(namespace, observed, kinds)
        if BEFORE_DELETION in obj.metadata.annotations
    ]
    if VolcanoJob in kinds:
        actions += volcano_jobs.restoring(observed.all(VolcanoJob, namespace))
    return actions


def _objects(namespace: str, observed: Observed, kinds: Sequence[type[Object]]) -> Iterator[tuple[Stop, Object]]:
    for stop in STOPS:
        if stop.kind in kinds:
            for obj in observed.all(stop.source, namespace):
                if (is_root(obj) or stop.kind is RoleBinding) and not is_deleting(obj):
                    yield stop, obj


def _value(obj: Object) -> Any:
    try:
        return parse(obj.metadata.annotations[BEFORE_DELETION])
    except ValueError:
        return None
