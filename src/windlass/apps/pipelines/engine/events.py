"""Events of a run: what has become of the effects of its engine, and what users asked for."""

from typing import TypeAlias

from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs
from windlass.apps.pipelines.model import Artifact, Task, Values
from windlass.kube.meta import Struct


class Event(Struct):
    pass


class Advance(Event):
    """Nothing happened but time: start the run, a retry that is due, or end what is overdue."""


class PodCreated(Event):
    task_id: str
    pod_name: str
    pod_uid: str


class PodStarted(Event):
    """The container runs."""

    task_id: str


class PodWaits(Event):
    """The pod does not start yet, for a reason that users should know."""

    task_id: str
    message: str
    """Empty once the reason is gone."""


class PodSucceeded(Event):
    task_id: str
    outputs: ContainerOutputs
    pod_name: str = ""
    """If given, the event is ignored unless this is the pod of the task's current attempt."""


class PodFailed(Event):
    """The pod failed, could not be created, or is gone."""

    task_id: str
    message: str
    exit_code: int | None = None
    """None if no container ran, so that no attempt of `retryPolicy` follows."""
    pod_name: str = ""
    """If given, the event is ignored unless this is the pod of the task's current attempt."""


class CacheAnswered(Event):
    task_id: str
    hit: Task | None = None
    """An earlier task with the same fingerprint whose artifacts still exist."""
    artifacts: list[Artifact] = []
    """The records of the artifacts among its outputs."""


class Imported(Event):
    task_id: str
    artifact: Artifact


class OperationDone(Event):
    """A claim was created or deleted."""

    task_id: str
    outputs: Values = Values()


class OperationFailed(Event):
    """An import or an operation on a claim failed."""

    task_id: str
    message: str


class Terminated(Event):
    """A user ended the run, or it exceeded its deadline."""

    message: str = ""
    """Why the run failed; empty if a user ended it."""


class Retried(Event):
    """A user asked to run again what has failed."""


AnyEvent: TypeAlias = (
    Advance
    | PodCreated
    | PodStarted
    | PodWaits
    | PodSucceeded
    | PodFailed
    | CacheAnswered
    | Imported
    | OperationDone
    | OperationFailed
    | Terminated
    | Retried
)
