"""From objects of the API to what the core decides about."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list, dig_object
from windlass.kube.objects import key_of, uid_of
from windlass.kube.selector import NOTHING, LabelSelector, from_object
from windlass.scheduler.model.amounts import amounts_of, units_of
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Job, Queue, Status, SubGroups, Task, Topology
from windlass.scheduler.model.pod_groups import COMPONENTS, OF_QUOTAS, VOLCANO, PodGroup, role_of
from windlass.scheduler.model.pod_info import PodInfo

TASK_PRIORITY = "volcano.sh/task-priority"
TASK_INDEX = "volcano.sh/task-index"
ESTIMATE = "volcano.sh/running-estimate"
"""Annotation of a PodGroup: how long its job is expected to run, as `90s`, `30m`, `2h` or a number of seconds."""
_OF_NODES = ("cpu", "memory", "ephemeral-storage")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}

_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_PLAIN = re.compile(_NUMBER)
_PARTS = re.compile(rf"({_NUMBER})(ns|us|µs|ms|s|m|h|d)")
_LONGEST_TEXT = 100
LONGEST = 100 * 365 * 86400.0  # seconds; a longer duration counts as this one
_LAST_DAY = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


def seconds_of(text: str | None) -> float:
    """A timestamp of the API as seconds; 0 where there is none."""
    if not text:
        return 0.0
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):  # naive ones of the first years are beyond what the platform counts
        return 0.0


def moment_of(seconds: float) -> datetime:
    """Seconds as a moment that can be written; what is beyond the year 9999 is its last day."""
    return datetime.fromtimestamp(min(max(seconds, 0.0), _LAST_DAY), UTC)


def waits_since(pod: Pod) -> float:
    """When a pod was first marked unschedulable; 0 where it was not."""
    found = (one for one in pod.status.conditions if one.type == "PodScheduled" and one.status == "False")
    return next((seconds_of(one.last_transition_time) for one in found), 0.0)


def finished_at(pod: Pod) -> float:
    """When the last container of a pod ended; 0 where nobody says."""
    ends = (dig(one.state, "terminated", "finishedAt") for one in pod.status.container_statuses)
    return max((seconds_of(end) for end in ends), default=0.0)


def duration_of(text: str) -> float | None:
    """`1h30m`, `90s`, `500ms`, `90`; None if it is none of these."""
    text = text.strip().replace("μ", "µ")  # the letter and the sign for micro, which Go takes both
    if _PLAIN.fullmatch(text):
        return min(float(text), LONGEST)
    parts = _PARTS.findall(text) if len(text) <= _LONGEST_TEXT else []
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return min(sum(float(number) * _UNITS[unit] for number, unit in parts), LONGEST)


def job_of(group: PodGroup, priority: int = 0, preemption_policy: str = "PreemptLowerPriority") -> Job:
    """A job without its tasks. Only Volcano's groups wait to be admitted; others are admitted from the start."""
    obj, key = group.obj, group.key
    annotations = dig_object(obj, "metadata", "annotations")
    is_volcano = group.kind == VOLCANO
    phase = group.phase if is_volcano else "Inqueue"
    return Job(
        group.uid,
        key.namespace,
        key.name,
        queue=str(dig(obj, "spec", "queue") or "default"),
        priority=priority,
        preemption_policy=preemption_policy,
        min_member=group.min_member,
        min_tasks=dict(group.min_tasks),
        min_resources=vector(group.min_resources) if is_volcano and group.min_resources is not None else None,
        quota_asked=_quota_asked(dig_object(obj, "spec", "minResources")),
        created=seconds_of(dig(obj, "metadata", "creationTimestamp")),
        phase=phase or "Pending",
        annotations=annotations,
        labels=dig_object(obj, "metadata", "labels"),
        topology=_topology(dig(obj, "spec", "networkTopology")),
        sub_groups=tuple(_sub_groups(one) for one in dig_list(obj, "spec", "subGroupPolicy")),
        estimate=duration_of(str(annotations.get(ESTIMATE, ""))),
        scheduler=COMPONENTS[group.kind],
        ref=(group.kind, key),
    )


def _quota_asked(listed: Mapping[str, Any]) -> dict[str, float]:
    """By the names that quotas use. What is written for nodes (`cpu`, `nvidia.com/gpu`) is asked for as a request."""
    written = units_of(listed)
    found = dict(written)
    for name, value in written.items():
        if not name.startswith(OF_QUOTAS) and (name in _OF_NODES or "/" in name):
            found.setdefault(f"requests.{name}", value)
    return found


def _topology(given: Any) -> Topology | None:
    if not isinstance(given, dict) or not given:
        return None
    tier = given.get("highestTierAllowed")
    return Topology(given.get("mode", "hard") != "soft", int(tier) if tier is not None else None,
                    str(given.get("highestTierName") or ""))  # fmt: skip


def _sub_groups(given: Json) -> SubGroups:
    selector = given.get("labelSelector")
    return SubGroups(
        name=str(given.get("name") or ""),
        size=int(given.get("subGroupSize") or 1),
        least=int(given.get("minSubGroups") or 0),
        topology=_topology(given.get("networkTopology")),
        selector=_selector(selector) if selector else None,
        label_keys=tuple(given.get("matchLabelKeys") or ()),
    )


def _selector(given: Json) -> LabelSelector:
    """One that cannot be read selects nothing."""
    try:
        return from_object(given)
    except ValueError:
        return NOTHING


def queue_of(obj: Json) -> Queue:
    """Of Volcano or kube-batch; one of which no state is known is open."""
    state = dig(obj, "status", "state")
    return Queue.of(
        key_of(obj).name,
        dig_object(obj, "spec"),
        amounts_of,
        is_open=state in (None, "", "Open", "Unknown"),
        created=seconds_of(dig(obj, "metadata", "creationTimestamp")),
        uid=uid_of(obj),
        annotations=dig_object(obj, "metadata", "annotations"),
    )


def status_of(pod: Pod) -> Status | None:
    """What has become of a pod; None: it counts for nothing (it goes without ever having had a node)."""
    if pod.status.phase == "Succeeded":
        return Status.SUCCEEDED
    if pod.status.phase == "Failed":
        return Status.FAILED
    if pod.metadata.deletion_timestamp:
        return Status.RELEASING if pod.spec.node_name else None
    if pod.spec.node_name:
        return Status.RUNNING if pod.status.phase == "Running" else Status.BOUND
    return Status.GATED if pod.spec.scheduling_gates else Status.PENDING


def task_of(pod: Pod, info: PodInfo | None = None) -> Task | None:
    """A pod as a task of its job; None where it counts for nothing."""
    status = status_of(pod)
    if status is None:
        return None
    annotations = pod.metadata.annotations
    return Task(
        info or PodInfo(pod),
        role_of(pod),
        status=status,
        node=pod.spec.node_name,
        priority=_number(annotations.get(TASK_PRIORITY)),
        index=_index(pod),
        created=seconds_of(pod.metadata.creation_timestamp),
        started=seconds_of(pod.status.start_time),
    )


def _index(pod: Pod) -> int:
    """Which of its role it is: by its annotation, or by the end of its name (`worker-10` comes after `worker-9`)."""
    text = _number(pod.metadata.annotations.get(TASK_INDEX))
    return text if text is not None else _number(pod.metadata.name.rpartition("-")[2]) or 0


def _number(text: str | None) -> int | None:
    try:
        return int(text) if text else None
    except ValueError:
        return None
