"""What to report while a job is followed, and which logs to read. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.apps.trainer.names import NODE
from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.job import OURS
from windlass.apps.training.jobs.state import train_job
from windlass.apps.training.jobs.state.job_state import has_ended, job_state, replicas, why
from windlass.kube.json import dig, dig_list, dig_object

MAIN_CONTAINERS = {kind: framework.container for kind, framework in BY_KIND.items()} | {
    "ChainerJob": "chainer",
    train_job.KIND: NODE,
}
MAIN_ANNOTATION = f"{OURS}main-container"
REPORTED_EVENTS = ("Pulling",)
"""Normal events that explain a wait: building an environment may take minutes."""
Object = Mapping[str, Any]


@dataclass(frozen=True)
class ProgressNote:
    """A line about a job. `runs`: it reports that the job, or all of its replicas, run."""

    text: str
    runs: bool = False


@dataclass
class ReportedProgress:
    """What was already reported, so that everything is reported once."""

    state: str = ""
    all_run: bool = False
    events: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    def changes(self, job: Object | None, *, begun: bool = False) -> Iterator[ProgressNote]:
        """Changes of a job's state, except its end.

        `begun`: a replica has started. This is reported before the replica's lines, which may arrive before the job's
        conditions.
        """
        if job is None or has_ended(job):
            return
        state = job_state(job)
        if begun and not self.state and state in ("Pending", "Created"):
            state = "Running"
        if state != self.state and state not in ("Pending", "Created"):
            self.state = state
            text = f"restarting: {why(job)}" if state == "Restarting" else state.lower()
            yield ProgressNote(text, runs=state == "Running")
        ready, total = replicas(job)
        if state == "Running" and ready == total > 1 and not self.all_run:
            yield ProgressNote(f"all {total} replicas are running", runs=True)
        self.all_run = ready == total

    def new_events(self, events: Iterable[Object], known: Mapping[str, str]) -> Iterator[str]:
        """New warnings about the job or its pods (`known`: their names by uid), and what they wait for."""
        for event in events:
            name = known.get(str(dig(event, "involvedObject", "uid") or ""))
            if name is None or (event.get("type") != "Warning" and event.get("reason") not in REPORTED_EVENTS):
                continue
            found = (name, str(event.get("reason")), str(event.get("message")))
            if found not in self.events:
                self.events.add(found)
                yield ": ".join(word for word in found if word)


def ending(job: Object) -> str:
    return f"{job_state(job).lower()}: {why(job)}"


def stream_of(pod: Object, kind: str) -> tuple[str, int] | None:
    """The run of the main container that has a log: the pod's uid and its restart count.

    A container that waits to be restarted has the log of its last run, which may have been too short to be observed.
    """
    main = main_container(pod, kind)
    for status in dig_list(pod, "status", "containerStatuses"):
        has_run = ("state", "running"), ("state", "terminated"), ("lastState", "terminated")
        if status.get("name") == main and any(dig(status, *where) for where in has_run):
            return str(dig(pod, "metadata", "uid")), int(status.get("restartCount") or 0)
    return None


def is_over(pod: Object) -> bool:
    """Whether the pod writes no more logs."""
    return bool(dig(pod, "metadata", "deletionTimestamp")) or dig(pod, "status", "phase") in ("Succeeded", "Failed")


def main_container(pod: Object, kind: str) -> str:
    """The container that trains: the one in the annotation, else the framework's, else the first."""
    names = [str(one.get("name")) for one in dig_list(pod, "spec", "containers")]
    for wanted in (dig_object(pod, "metadata", "annotations").get(MAIN_ANNOTATION), MAIN_CONTAINERS.get(kind)):
        if wanted in names:
            return str(wanted)
    return names[0] if names else ""


def is_meant(selector: str | None, replica: str, pod: str) -> bool:
    """Whether `worker-1`, `worker` or the pod's name selects this replica; None selects all."""
    return selector in (None, replica, replica.rpartition("-")[0], pod)
