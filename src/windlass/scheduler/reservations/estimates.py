"""How long jobs run: what was said of them, or else what those of the same owner took."""

import re
from collections import deque
from collections.abc import Callable, Iterable
from statistics import median

from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.model.parsing import ESTIMATE, LONGEST, duration_of
from windlass.scheduler.model.pod_info import PodInfo

REMEMBERED = 64  # runs of each owner
OWNERS = 10_000
_RUN = re.compile(r"(-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?([-.][0-9]+)*$")

Owner = tuple[str, str]


def owner_of(job: Job) -> Owner:
    """Jobs of one namespace that differ in nothing but a number or a uid at the end of their names."""
    return owner_named(job.namespace, job.name)


def owner_named(namespace: str, job: str) -> Owner:
    return namespace, _RUN.sub("", job)


def longest(pods: Iterable[PodInfo]) -> float | None:
    """Seconds after which all of them have ended, by what they say themselves; None: one of them does not."""
    found = 0.0
    for pod in pods:
        seconds = said_of(pod)
        if seconds is None:
            return None
        found = max(found, seconds)
    return found or None


def said_of(pod: PodInfo) -> float | None:
    """Seconds that a pod takes by its deadline, or by its annotation."""
    told = (pod.pod.spec.active_deadline_seconds, duration_of(pod.pod.metadata.annotations.get(ESTIMATE, "")))
    return min((min(float(seconds), LONGEST) for seconds in told if seconds is not None), default=None)


class Estimates:
    """Learns from jobs that ended how long others may be expected to take."""

    def __init__(self) -> None:
        self._past: dict[Owner, deque[float]] = {}
        self._medians: dict[Owner, float] = {}
        self.owner_of: Callable[[Job], Owner] = owner_of

    def ended(self, job: Job, task: Task, now: float) -> None:
        """A task has done its part."""
        if 0 < task.started <= now:
            self.learn(self.owner_of(job), now - task.started)

    def learn(self, owner: Owner, seconds: float) -> None:
        """One run of it took so long."""
        if owner not in self._past and len(self._past) >= OWNERS:
            self._past.pop(next(iter(self._past)))
        self._past.setdefault(owner, deque(maxlen=REMEMBERED)).append(seconds)
        self._medians.pop(owner, None)

    def of(self, job: Job) -> float | None:
        """Seconds from start to end; None: nothing is known."""
        if job.estimate is not None:
            return job.estimate
        if not self._past:
            return None
        owner = self.owner_of(job)
        past = self._past.get(owner)
        if past is None:
            return None
        if owner not in self._medians:
            self._medians[owner] = median(past)
        return self._medians[owner]
