"""Deployment -> a ReplicaSet for each template that it has had, and pods moved from the old to the new by its strategy.

Each reconcile takes one step: create the new ReplicaSet, grow it, shrink the old. What the ReplicaSets then report of
their pods triggers the next. The rules and messages are Kubernetes'.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec

from windlass.apis.apps_v1 import Deployment, DeploymentStatus, ReplicaSet
from windlass.apis.core_v1 import ConditionStatus
from windlass.controllers.core.belonging import Belonging, belonging, letting_go
from windlass.controllers.core.deployment_history import (
    REVISION,
    History,
    forgotten,
    history,
    new_replica_set,
    promoted_annotations,
    scale_annotations,
    size,
)
from windlass.controllers.core.deployment_scaling import Sizes, emptied, is_scaling, new_size, rescaled, rolled
from windlass.controllers.core.deployment_status import (
    PROGRESSING,
    counted,
    has_deadline,
    is_complete,
    paused_or_resumed,
    progressing,
    refused,
    rolling_out,
    time_left,
    with_conditions,
    with_failures,
)
from windlass.controllers.core.rollout_arithmetic import is_rolling
from windlass.kube import refusals
from windlass.kube.conditions import find
from windlass.kube.controller import Controller, Matching, Observed, matches
from windlass.kube.json import Object as Json
from windlass.kube.objects import AnyObject, key_of
from windlass.kube.plan import Adopt, Create, Delete, Event, Outcome, Patch, Plan

CREATE_ERROR = "ReplicaSetCreateError"


def reconcile(deployment: Deployment, observed: Observed) -> Plan:
    sets = belonging(deployment, deployment.spec.selector, observed.owned(ReplicaSet), observed.orphans(ReplicaSet))
    past = history(deployment, sets.ours)
    if deployment.metadata.deletion_timestamp is not None:
        return Plan(status=counted(deployment, past, observed.now))
    number = _revision(deployment, past)
    if number and number != deployment.metadata.annotations.get(REVISION):
        revised = {"metadata": {"annotations": {REVISION: number}}}
        return Plan([*_released(sets, deployment), Patch(deployment, revised), *map(Adopt, sets.adopt)])
    deployment = paused_or_resumed(deployment, observed.now)
    if past.new is not None and has_deadline(deployment) and find(deployment.status.conditions, PROGRESSING) is None:
        message = f'Found new replica set "{past.new.metadata.name}"'
        deployment = _progressing(deployment, "True", "FoundNewReplicaSet", message, observed.now)
    if deployment.spec.paused or is_scaling(deployment, past):
        return _rescale(deployment, past, sets, observed)
    return (
        _roll(deployment, past, sets, observed)
        if is_rolling(deployment)
        else _recreate(deployment, past, sets, observed)
    )


def _revision(deployment: Deployment, past: History) -> str:
    """That of the new ReplicaSet, as it is or is about to be."""
    if past.new is None:
        return ""
    annotations = {**past.new.metadata.annotations, **promoted_annotations(deployment, past.new, past)}
    return annotations.get(REVISION, "")


def _rescale(deployment: Deployment, past: History, sets: Belonging[ReplicaSet], observed: Observed) -> Plan:
    """Scale without rolling out: the Deployment is paused, or its replica count has changed."""
    sizes = rescaled(deployment, past)
    status = counted(deployment, past, observed.now)
    status = msgspec.structs.replace(status, conditions=with_failures(status.conditions, past, observed.now))
    return Plan(
        [
            *_released(sets, deployment),
            *_changes(deployment, past, sizes),
            *map(Adopt, sets.adopt),
            *map(Delete, forgotten(deployment, past) if deployment.spec.paused else []),
        ],
        status=status,
        status_if_refused=partial(_not_changed, status, observed.now),
    )


def _roll(deployment: Deployment, past: History, sets: Belonging[ReplicaSet], observed: Observed) -> Plan:
    if past.new is None:
        return _make_new(deployment, past, sets, observed)
    return _go_on(deployment, past, sets, rolled(deployment, past), observed)


def _recreate(deployment: Deployment, past: History, sets: Belonging[ReplicaSet], observed: Observed) -> Plan:
    """All old pods are gone, and not only being deleted, before the first new one."""
    if emptied(past) or any(map(_has_pods, past.old)):
        return _go_on(deployment, past, sets, emptied(past), observed)
    if past.new is None:
        return _make_new(deployment, past, sets, observed)
    return _go_on(deployment, past, sets, {past.new.metadata.name: new_size(deployment, past)}, observed)


def _has_pods(one: ReplicaSet) -> bool:
    status = one.status
    return bool(status.replicas or status.terminating_replicas) or status.observed_generation < one.metadata.generation


def _go_on(
    deployment: Deployment, past: History, sets: Belonging[ReplicaSet], sizes: Sizes, observed: Observed
) -> Plan:
    sizes = {one.metadata.name: sizes[one.metadata.name] for one in past.all if _resized(one, sizes)}
    status = rolling_out(deployment, past, observed.now)
    settled = not sizes and is_complete(deployment, deployment.status)
    return Plan(
        [
            *_released(sets, deployment),
            *_changes(deployment, past, sizes),
            *map(Adopt, sets.adopt),
            *map(Delete, forgotten(deployment, past) if settled else []),
        ],
        status=status,
        status_if_refused=partial(_not_changed, status, observed.now),
        again_in=_when_stuck(deployment, status, observed.now),
    )


def _not_changed(status: DeploymentStatus, now: datetime, why: Sequence[Outcome]) -> DeploymentStatus:
    return refused(status, refusals.reason_of(why[0]), refusals.explain(why[0]), now)


def _resized(one: ReplicaSet, sizes: Sizes) -> bool:
    return sizes.get(one.metadata.name, size(one)) != size(one)


def _make_new(deployment: Deployment, past: History, sets: Belonging[ReplicaSet], observed: Observed) -> Plan:
    new = new_replica_set(deployment, past, new_size(deployment, past))
    name = new.metadata.name
    if observed.one(ReplicaSet, name) is not None:  # of another template or another owner: the next hash is another
        collisions = (deployment.status.collision_count or 0) + 1
        return Plan(status=msgspec.structs.replace(deployment.status, collision_count=collisions))
    made = deployment
    if has_deadline(deployment):
        made = _progressing(
            deployment, "True", "NewReplicaSetCreated", f'Created new replica set "{name}"', observed.now
        )
    status = rolling_out(made, History(new, past.old), observed.now)

    def not_made(why: Sequence[Outcome]) -> DeploymentStatus:
        if not has_deadline(deployment):
            return counted(deployment, past, observed.now)
        failed = _progressing(deployment, "False", CREATE_ERROR, _failed(name, why[0].server_message), observed.now)
        return counted(failed, past, observed.now)

    return Plan(
        [*_released(sets, deployment), *map(Adopt, sets.adopt), Create(new)],
        status=status,
        status_if_refused=not_made,
        again_in=_when_stuck(deployment, status, observed.now),
    )


def _progressing(
    deployment: Deployment, status: ConditionStatus, reason: str, message: str, now: datetime
) -> Deployment:
    return with_conditions(deployment, progressing(deployment.status.conditions, status, reason, message, now))


def _released(sets: Belonging[ReplicaSet], deployment: Deployment) -> list[Patch]:
    return [Patch(stray, letting_go(stray, deployment)) for stray in sets.release]


def _changes(deployment: Deployment, past: History, sizes: Sizes) -> list[Patch]:
    """One merge patch for each ReplicaSet of which something is to change."""
    patches: list[Patch] = []
    for one in past.all:
        spec: Json = {}
        annotations: dict[str, str] = {}
        if one is past.new:
            annotations = promoted_annotations(deployment, one, past)
            if one.spec.min_ready_seconds != deployment.spec.min_ready_seconds:
                spec["minReadySeconds"] = deployment.spec.min_ready_seconds
        if one.metadata.name in sizes:
            noted, wanted = one.metadata.annotations, scale_annotations(deployment)
            annotations |= {key: value for key, value in wanted.items() if noted.get(key) != value}
            if _resized(one, sizes):
                spec["replicas"] = sizes[one.metadata.name]
        patch: Json = {"spec": spec} if spec else {}
        if annotations:
            patch["metadata"] = {"annotations": annotations}
        if patch:
            patches.append(Patch(one, patch))
    return patches


def _when_stuck(deployment: Deployment, status: DeploymentStatus, now: datetime) -> timedelta | None:
    """A second after the deadline, to say so."""
    left = None if is_complete(deployment, status) else time_left(deployment, status, now)
    return max(left, timedelta()) + timedelta(seconds=1) if left is not None else None


def _failed(name: str, message: str) -> str:
    return f'Failed to create new replica set "{name}": {message}'


def event_for(_: Deployment, outcome: Outcome) -> Event | None:
    """`Scaled up replica set web-5d8 from 0 to 3`, as Kubernetes words it."""
    if outcome.verb == "delete" or (
        outcome.error is not None and (outcome.verb == "patch" or not refusals.reportable([outcome]))
    ):
        return None
    name = key_of(outcome.obj).name
    if outcome.error is not None:
        return Event(reason=CREATE_ERROR, message=_failed(name, outcome.server_message), warning=True)
    before = size(outcome.before) if isinstance(outcome.before, ReplicaSet) else 0
    after = _size_of(outcome.obj)
    if after == before or (outcome.before is not None and not isinstance(outcome.before, ReplicaSet)):
        return None
    direction = "up" if after > before else "down"
    return Event(reason="ScalingReplicaSet", message=f"Scaled {direction} replica set {name} from {before} to {after}")


def _size_of(obj: AnyObject) -> int:
    return int(obj["spec"].get("replicas") or 0) if isinstance(obj, dict) else 0


def _selects_orphan(deployment: Deployment, replica_set: ReplicaSet) -> bool:
    labels = replica_set.metadata.labels
    return replica_set.metadata.controller is None and matches(deployment.spec.selector, labels)


CONTROLLER = Controller(
    "deployment-controller",
    Deployment,
    reconcile,
    owns=[ReplicaSet],
    watches=[(ReplicaSet, Matching(_selects_orphan))],
    event_for=event_for,
    workers=5,
)
