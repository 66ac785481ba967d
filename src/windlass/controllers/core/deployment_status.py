"""What a Deployment says of itself: counts, and the conditions Available, Progressing and ReplicaFailure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from windlass.apis.apps_v1 import Deployment, DeploymentStatus, WorkloadCondition
from windlass.apis.core_v1 import ConditionStatus
from windlass.controllers.core.deployment_history import UNLIMITED, History, size
from windlass.controllers.core.rollout_arithmetic import min_available, replicas_of
from windlass.kube.conditions import find, status_of, without_condition
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after

AVAILABLE, PROGRESSING, REPLICA_FAILURE = "Available", "Progressing", "ReplicaFailure"
DONE, TIMED_OUT, PAUSED = "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "DeploymentPaused"
Conditions = Sequence[WorkloadCondition]


def has_deadline(deployment: Deployment) -> bool:
    return deployment.spec.progress_deadline_seconds not in (None, UNLIMITED)


def with_condition(conditions: Conditions, new: WorkloadCondition, now: datetime) -> list[WorkloadCondition]:
    """`new` at the end, in place of the one of its type; that one stays if it has the same status and reason."""
    old = find(conditions, new.type)
    if old is not None and (old.status, old.reason) == (new.status, new.reason):
        return list(conditions)
    same = old.last_transition_time if old is not None and old.status == new.status else None
    moment = timestamp(now)
    dated = msgspec.structs.replace(new, last_update_time=moment, last_transition_time=same or moment)
    return [*without_condition(conditions, new.type), dated]


def progressing(
    conditions: Conditions, status: ConditionStatus, reason: str, message: str, now: datetime
) -> list[WorkloadCondition]:
    told = WorkloadCondition(type=PROGRESSING, status=status, reason=reason, message=message)
    return with_condition(conditions, told, now)


def with_conditions(deployment: Deployment, conditions: Conditions) -> Deployment:
    status = msgspec.structs.replace(deployment.status, conditions=list(conditions))
    return msgspec.structs.replace(deployment, status=status)


def paused_or_resumed(deployment: Deployment, now: datetime) -> Deployment:
    """With the condition that says so, where the deadline is counted and not over yet: paused time does not count."""
    conditions = deployment.status.conditions
    current = find(conditions, PROGRESSING)
    if not has_deadline(deployment) or (current is not None and current.reason == TIMED_OUT):
        return deployment
    was_paused = current is not None and current.reason == PAUSED
    if deployment.spec.paused and not was_paused:
        conditions = progressing(conditions, "Unknown", PAUSED, "Deployment is paused", now)
    elif was_paused and not deployment.spec.paused:
        conditions = progressing(conditions, "Unknown", "DeploymentResumed", "Deployment is resumed", now)
    return with_conditions(deployment, conditions)


def counted(deployment: Deployment, past: History, now: datetime) -> DeploymentStatus:
    """Numbers, and whether enough pods are available."""
    available = sum(one.status.available_replicas for one in past.all)
    enough = available >= min_available(deployment)
    told = WorkloadCondition(
        type=AVAILABLE,
        status=status_of(enough),
        reason="MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable",
        message=f"Deployment {'has' if enough else 'does not have'} minimum availability.",
    )
    return DeploymentStatus(
        observed_generation=deployment.metadata.generation,
        replicas=sum(one.status.replicas or 0 for one in past.all),
        updated_replicas=(past.new.status.replicas or 0) if past.new is not None else 0,
        ready_replicas=sum(one.status.ready_replicas for one in past.all),
        available_replicas=available,
        unavailable_replicas=max(0, sum(map(size, past.all)) - available),
        terminating_replicas=sum(one.status.terminating_replicas or 0 for one in past.all),
        collision_count=deployment.status.collision_count,
        conditions=with_condition(deployment.status.conditions, told, now),
    )


def rolling_out(deployment: Deployment, past: History, now: datetime) -> DeploymentStatus:
    """As `counted`, and how the rollout goes."""
    status = counted(deployment, past, now)
    conditions = status.conditions
    if not has_deadline(deployment):
        conditions = without_condition(conditions, PROGRESSING)
    else:
        conditions = _progress(deployment, status, past, now)
    return msgspec.structs.replace(status, conditions=with_failures(conditions, past, now))


def _progress(
    deployment: Deployment, status: DeploymentStatus, past: History, now: datetime
) -> list[WorkloadCondition]:
    current, conditions = find(deployment.status.conditions, PROGRESSING), status.conditions
    if current is not None and current.reason == DONE and status.replicas == status.updated_replicas:
        return list(conditions)
    what = (
        f'ReplicaSet "{past.new.metadata.name}"' if past.new is not None else f'Deployment "{deployment.metadata.name}"'
    )
    if is_complete(deployment, status):
        return progressing(conditions, "True", DONE, f"{what} has successfully progressed.", now)
    if has_progressed(deployment.status, status):
        told = WorkloadCondition(
            type=PROGRESSING,
            status="True",
            last_update_time=timestamp(now),
            last_transition_time=(current.last_transition_time if current and current.status == "True" else None)
            or timestamp(now),
            reason="ReplicaSetUpdated",
            message=f"{what} is progressing.",
        )
        return [*without_condition(conditions, PROGRESSING), told]
    if _timed_out(deployment, status, now):
        return progressing(conditions, "False", TIMED_OUT, f"{what} has timed out progressing.", now)
    return list(conditions)


def refused(status: DeploymentStatus, reason: str, message: str, now: datetime) -> DeploymentStatus:
    """The status of a Deployment of which a ReplicaSet could not be changed."""
    told = WorkloadCondition(type=REPLICA_FAILURE, status="True", reason=reason, message=message)
    return msgspec.structs.replace(status, conditions=with_condition(status.conditions, told, now))


def with_failures(conditions: Conditions, past: History, now: datetime) -> list[WorkloadCondition]:
    """That of the new ReplicaSet, else that of an old one."""
    for one in [past.new, *past.old] if past.new is not None else past.old:
        failure = find(one.status.conditions, REPLICA_FAILURE)
        if failure is not None:
            return with_condition(conditions, failure, now)
    return without_condition(conditions, REPLICA_FAILURE)


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    wanted = replicas_of(deployment)
    return (
        status.updated_replicas == status.replicas == status.available_replicas == wanted
        and status.observed_generation >= deployment.metadata.generation
    )


def has_progressed(old: DeploymentStatus, new: DeploymentStatus) -> bool:
    return (
        new.updated_replicas > old.updated_replicas
        or new.replicas - new.updated_replicas < old.replicas - old.updated_replicas
        or new.ready_replicas > old.ready_replicas
        or new.available_replicas > old.available_replicas
    )


def _timed_out(deployment: Deployment, status: DeploymentStatus, now: datetime) -> bool:
    current = find(status.conditions, PROGRESSING)
    if current is None or current.reason == DONE:
        return False
    left = time_left(deployment, status, now)
    return current.reason == TIMED_OUT or (left is not None and left < timedelta())


def time_left(deployment: Deployment, status: DeploymentStatus, now: datetime) -> timedelta | None:
    """Until a rollout that does nothing counts as stuck; None where nobody waits for that."""
    current, deadline = find(status.conditions, PROGRESSING), deployment.spec.progress_deadline_seconds
    if current is None or current.last_update_time is None or deadline is None or not has_deadline(deployment):
        return None
    if current.reason in (DONE, TIMED_OUT, PAUSED):
        return None
    return moment_after(parse_time(current.last_update_time), deadline) - now
