"""bus.volcano.sh/v1alpha1: commands to Volcano's controllers, and the lifecycle events and actions of jobs."""

from typing import Literal, TypeAlias, get_args

from windlass.kube.kind import kind
from windlass.kube.meta import Object, OwnerReference

GROUP_VERSION = "bus.volcano.sh/v1alpha1"

Event: TypeAlias = Literal[
    "*",
    "PodPending",
    "PodRunning",
    "PodFailed",
    "PodEvicted",
    "Unknown",
    "TaskCompleted",
    "OutOfSync",
    "CommandIssued",
    "JobUpdated",
    "TaskFailed",
]
ANY_EVENT: Event = "*"
INTERNAL_EVENTS: frozenset[Event] = frozenset(("OutOfSync", "CommandIssued", "PodRunning"))
"""Events that the controller raises for itself; no policy may name them."""
USER_EVENTS: tuple[Event, ...] = tuple(event for event in get_args(Event) if event not in INTERNAL_EVENTS)

JobAction: TypeAlias = Literal[
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "RestartPartition",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
]
USER_ACTIONS: tuple[JobAction, ...] = get_args(JobAction)
"""Actions that a policy may name."""
QueueAction: TypeAlias = Literal["OpenQueue", "CloseQueue"]


@kind(GROUP_VERSION, plural="commands", status=False)
class Command(Object):
    """Command to the controller of `target`, which deletes the command and then executes it."""

    action: str = ""
    target: OwnerReference | None = None
    reason: str = ""
    message: str = ""
