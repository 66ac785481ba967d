"""What is worth telling while a job is followed, and whose log to read. Decides only."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.apis.trainer.names import NODE
from windlass.apis.training.job import OURS
from windlass.jobs.state import train_job
from windlass.jobs.state.job_state import has_ended, job_state, replicas, why
from windlass.jobs.submit.framework_templates import SHAPES
from windlass.kube.json import dig, dig_list, dig_object

MAIN = {"ChainerJob": "chainer", train_job.KIND: NODE} | {shape.kind: shape.container for shape in SHAPES.values()}
MAIN_ANNOTATION = f"{OURS}main-container"
TOLD_EVENTS = ("Pulling",)
"""Of events that are no warning, those that explain a wait. An environment may take minutes to build."""
Object = Mapping[str, Any]


@dataclass(frozen=True)
class News:
    """A line about a job. `runs`: it says that the job, or all of its replicas, run now."""

    text: str
    runs: bool = False


@dataclass
class Told:
    """Remembers what was told, so that each thing is told once."""

    state: str = ""
    all_run: bool = False
    events: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    def news(self, job: Object | None, *, begun: bool = False) -> Iterator[News]:
        """What is new about a job, but for its end.

        `begun`: a replica has started. That is told before the replica's lines, which may be read before the job's
        conditions say that it runs.
        """
        if job is None or has_ended(job):
            return
        state = job_state(job)
        if begun and not self.state and state in ("Pending", "Created"):
            state = "Running"
        if state != self.state and state not in ("Pending", "Created"):
            self.state = state
            text = f"restarting: {why(job)}" if state == "Restarting" else state.lower()
            yield News(text, runs=state == "Running")
        ready, total = replicas(job)
        if state == "Running" and ready == total > 1 and not self.all_run:
            yield News(f"all {total} replicas run", runs=True)
        self.all_run = ready == total

    def new_events(self, events: Iterable[Object], known: Mapping[str, str]) -> Iterator[str]:
        """Warnings about the job or its pods (`known`: what to call them, by uid), and what they wait for."""
        for event in events:
            name = known.get(str(dig(event, "involvedObject", "uid") or ""))
            if name is None or (event.get("type") != "Warning" and event.get("reason") not in TOLD_EVENTS):
                continue
            found = (name, str(event.get("reason")), str(event.get("message")))
            if found not in self.events:
                self.events.add(found)
                yield ": ".join(word for word in found if word)


def ending(job: Object) -> str:
    return f"{job_state(job).lower()}: {why(job)}"


def stream_of(pod: Object, kind: str) -> tuple[str, int] | None:
    """Which run of the main container there is a log of: the pod's uid and how often it was restarted.

    One that waits to be restarted has that of its last run, which may have been too short to be seen.
    """
    main = main_container(pod, kind)
    for status in dig_list(pod, "status", "containerStatuses"):
        has_run = ("state", "running"), ("state", "terminated"), ("lastState", "terminated")
        if status.get("name") == main and any(dig(status, *where) for where in has_run):
            return str(dig(pod, "metadata", "uid")), int(status.get("restartCount") or 0)
    return None


def is_over(pod: Object) -> bool:
    """Whether it writes no more."""
    return bool(dig(pod, "metadata", "deletionTimestamp")) or dig(pod, "status", "phase") in ("Succeeded", "Failed")


def main_container(pod: Object, kind: str) -> str:
    """The container that trains: the one that an annotation names, or the framework, else the first."""
    names = [str(one.get("name")) for one in dig_list(pod, "spec", "containers")]
    for wanted in (dig_object(pod, "metadata", "annotations").get(MAIN_ANNOTATION), MAIN.get(kind)):
        if wanted in names:
            return str(wanted)
    return names[0] if names else ""


def is_meant(told: str | None, replica: str, pod: str) -> bool:
    """Whether `worker-1`, `worker` or the pod's own name means this one; who says nothing means all."""
    return told in (None, replica, replica.rpartition("-")[0], pod)
