"""What must be remembered from one reconcile to the next, in `status.controlledResources` beside what the job has made.

Almost everything can be seen in objects. What cannot: a pod that was deleted, with a policy that waits; that a group
was Unknown when that was acted upon; the scale that was acted upon; orders followed but not deleted yet; pods refused.
It is written together with what follows from it, so that a controller that is killed neither forgets nor repeats.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import micro_timestamp, timestamp
from windlass.kube.meta import parse_time

PLUGIN, CLAIM = "plugin-", "volume-pvc-"
EVICTED, UPDATED = "delayed-evicted-", "delayed-updated"
GROUP, SCALE, FOLLOWED, REFUSED = "seen-podgroup", "seen-scale", "followed-command-", "refused"
UNKNOWN = "Unknown"
FIRST_DELAY = timedelta(milliseconds=5)
MAX_REFUSALS = 15

Entries = Mapping[str, str]


def made_by_job(entries: Entries) -> dict[str, str]:
    """What stays when all else is forgotten, as when the job is killed whole: the claims."""
    return {key: value for key, value in entries.items() if key.startswith((CLAIM, FOLLOWED))}


def evictions(entries: Entries) -> dict[str, datetime]:
    """Pods that were deleted by others and whose policy waits, with the moment."""
    return {key.removeprefix(EVICTED): parse_time(value) for key, value in entries.items() if key.startswith(EVICTED)}


def with_evictions(entries: Entries, pods: Mapping[str, datetime]) -> dict[str, str]:
    others = {key: value for key, value in entries.items() if not key.startswith(EVICTED)}
    return others | {f"{EVICTED}{pod}": timestamp(moment) for pod, moment in pods.items()}


def is_followed(entries: Entries, command: str) -> bool:
    return f"{FOLLOWED}{command}" in entries


def with_followed(entries: Entries, command: str) -> dict[str, str]:
    return {**entries, f"{FOLLOWED}{command}": command}


def without_commands_gone(entries: Entries, present: Iterable[str]) -> dict[str, str]:
    kept = {f"{FOLLOWED}{command}" for command in present}
    return {key: value for key, value in entries.items() if not key.startswith(FOLLOWED) or key in kept}


def scale_of(job: Job) -> str:
    """What JobUpdated is about, in one word."""
    return ",".join([str(job.spec.min_available), *(f"{task.replicas}" for task in job.spec.tasks)])


def refusals(entries: Entries) -> int:
    return int(entries.get(REFUSED, "0").split(" ", 1)[0])


def with_refusal(entries: Entries, now: datetime) -> dict[str, str]:
    return {**entries, REFUSED: f"{refusals(entries) + 1} {micro_timestamp(now)}"}


def without(entries: Entries, key: str) -> dict[str, str]:
    return {one: value for one, value in entries.items() if one != key}


def pause(entries: Entries, now: datetime) -> timedelta:
    """How long to wait before pods are made again: 5 ms after the first refusal, then ever twice as long."""
    count, _, last = entries.get(REFUSED, "").partition(" ")
    if not last:
        return timedelta()
    return max(timedelta(), parse_time(last) + FIRST_DELAY * 2 ** int(count) - now)
