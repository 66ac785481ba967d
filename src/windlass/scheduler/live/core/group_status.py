"""What a PodGroup's status says, by its kind: phase, counts, conditions. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_list
from windlass.scheduler.framework.decisions import Trouble
from windlass.scheduler.model.pod_groups import COSCHEDULING, KUBE_BATCH, PodGroup

READY = "tasks in gang are ready to be scheduled"
ENDED = ("Succeeded", "Failed")
_COUNTS = ("running", "succeeded", "failed")


@dataclass(frozen=True, slots=True)
class Count:
    """A group's pods: `scheduled` are all that have, or had, a node; those that are `leaving` theirs do not count."""

    pods: int = 0
    scheduled: int = 0
    leaving: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0

    @classmethod
    def of(cls, pods: Iterable[Pod], is_placed: "set[str]") -> "Count":
        listed = list(pods)
        phases = [pod.status.phase for pod in listed]
        placed = [pod for pod in listed if pod.spec.node_name or pod.metadata.uid in is_placed]
        leaving = sum(bool(pod.metadata.deletion_timestamp) and pod.status.phase not in ENDED for pod in placed)
        return cls(
            pods=len(listed),
            scheduled=len(placed) - leaving,
            leaving=leaving,
            running=phases.count("Running"),
            succeeded=phases.count("Succeeded"),
            failed=phases.count("Failed"),
        )


def status_of(group: PodGroup, count: Count, *, admitted: bool, trouble: Trouble | None, now: str, cycle: str) -> Json:
    """The whole status; equal to the old one but for what has changed."""
    if group.kind == COSCHEDULING:
        return _coscheduling(group, count, now)
    phase = _phase(group, count, admitted=admitted, trouble=trouble)
    status: Json = {"phase": phase, **_counts(count)}
    conditions = _conditions(group, count, trouble, now, cycle)
    return status | ({"conditions": conditions} if conditions else {})


def _counts(count: Count) -> Json:
    """A count of 0 is not written, as upstream's `omitempty` has it."""
    return {name: getattr(count, name) for name in _COUNTS if getattr(count, name)}


def _phase(group: PodGroup, count: Count, *, admitted: bool, trouble: Trouble | None) -> str:
    if group.phase == "Completed" and not count.pods:
        return "Completed"  # they were cleared away
    if count.running and trouble is not None:
        return "Unknown"
    if count.scheduled and count.scheduled >= group.min_member:
        over = count.succeeded + count.failed == count.scheduled
        return "Completed" if over and group.kind != KUBE_BATCH else "Running"
    if group.phase == "Running" and count.leaving and count.scheduled + count.leaving >= group.min_member:
        return "Running"  # until they have gone
    return "Inqueue" if admitted and group.kind != KUBE_BATCH else "Pending"


def _conditions(group: PodGroup, count: Count, trouble: Trouble | None, now: str, cycle: str) -> list[Json]:
    old = {str(each.get("type")): each for each in dig_list(group.status, "conditions")}
    ready = bool(count.scheduled) and count.scheduled >= group.min_member
    if trouble is not None:
        told = [_condition(old, "Unschedulable", "True", trouble.code, trouble.message, now, cycle)]
        told += [_condition(old, "Scheduled", "False", "", "", now, cycle)] if "Scheduled" in old else []
        return told
    if not ready:
        return list(old.values())
    told = [_condition(old, "Unschedulable", "False", "", "", now, cycle)] if "Unschedulable" in old else []
    if group.kind != KUBE_BATCH:
        told.append(_condition(old, "Scheduled", "True", READY, "", now, cycle))
    return told


def _condition(old: dict[str, Json], type: str, status: str, reason: str, message: str, now: str, cycle: str) -> Json:
    before = old.get(type, {})
    told: Json = {"type": type, "status": status}
    told |= {key: text for key, text in (("reason", reason), ("message", message)) if text}
    if {key: before.get(key) for key in ("type", "status", "reason", "message") if before.get(key)} == told:
        return before
    since = before.get("lastTransitionTime") if before.get("status") == status else None
    return told | {"transitionID": cycle, "lastTransitionTime": since or now}


def _coscheduling(group: PodGroup, count: Count, now: str) -> Json:
    """The phases of scheduler-plugins' own controller."""
    status: Json = {"phase": _coscheduling_phase(group, count), **_counts(count)}
    kept = {key: group.status[key] for key in ("occupiedBy", "scheduleStartTime") if group.status.get(key)}
    if status["phase"] == "Scheduling" and "scheduleStartTime" not in kept:
        kept["scheduleStartTime"] = now
    return status | kept


def _coscheduling_phase(group: PodGroup, count: Count) -> str:
    least = group.min_member
    if group.phase in ("Finished", "Failed") and not count.pods:
        return group.phase  # they were cleared away
    if count.succeeded and count.succeeded >= least:
        return "Finished"
    if count.failed and count.failed + count.running + count.succeeded >= least:
        return "Failed"
    if not count.pods or count.pods < least:
        return "Pending"
    return "Running" if count.running + count.succeeded >= least else "Scheduling"
