"""What pods say of being made to go."""

from collections.abc import Mapping

from windlass.scheduler.model.jobs import Job, Task
from windlass.scheduler.model.parsing import duration_of

PREEMPTABLE, COOLDOWN = "volcano.sh/preemptable", "volcano.sh/cooldown-time"


def annotation(task: Task, name: str) -> str:
    """What the pod says of something, by an annotation or else by a label."""
    metadata = task.pod.pod.metadata
    return metadata.annotations.get(name) or metadata.labels.get(name) or ""


def is_protected(task: Task) -> bool:
    """It says that it must not go; pods may, unless they say so."""
    return annotation(task, PREEMPTABLE).lower() == "false"


def offers_itself(task: Task) -> bool:
    """It says that it may go."""
    return annotation(task, PREEMPTABLE).lower() == "true"


def job_offers_itself(job: Job) -> bool:
    both: tuple[Mapping[str, str], ...] = (job.annotations, job.labels)
    return any(one.get(PREEMPTABLE, "").lower() == "true" for one in both)


def is_cooling_down(task: Task, now: float) -> bool:
    """It has run for less than the time that it wants for itself at first."""
    wants = duration_of(annotation(task, COOLDOWN))
    return wants is not None and now - (task.started or task.created) < wants
