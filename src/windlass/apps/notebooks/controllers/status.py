"""The status of a notebook: that of its pod and of the container named like it."""

from datetime import datetime

from msgspec.structs import replace

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.core_v1 import Pod, PodCondition
from windlass.apps.notebooks.kinds import NotebookStatus
from windlass.kube.json import timestamp


def observed_status(
    name: str, workload: StatefulSet | None, pod: Pod | None, before: NotebookStatus, now: datetime
) -> NotebookStatus:
    states = {status.name: status.state for status in pod.status.container_statuses} if pod else {}
    known = {condition.type: condition for condition in before.conditions or ()}
    conditions = [_condition(condition, known.get(condition.type), now) for condition in _conditions(pod)]
    return NotebookStatus(
        ready_replicas=workload.status.ready_replicas if workload else 0,
        container_state=states.get(name) or {},
        conditions=conditions,
    )


def _conditions(pod: Pod | None) -> list[PodCondition]:
    return pod.status.conditions if pod else []


def _condition(condition: PodCondition, before: PodCondition | None, now: datetime) -> PodCondition:
    """With the times that the pod does not say: as they were written before, or now."""
    probe = condition.last_probe_time or (before.last_probe_time if before else None) or timestamp(now)
    return replace(
        condition, last_probe_time=probe, last_transition_time=condition.last_transition_time or timestamp(now)
    )
