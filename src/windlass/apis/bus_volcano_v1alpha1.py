"""bus.volcano.sh/v1alpha1: orders to Volcano's controllers, and the events and actions of a job's life."""

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
"""What a policy may ask for."""
QueueAction: TypeAlias = Literal["OpenQueue", "CloseQueue"]


@kind(GROUP_VERSION, plural="commands", status=False)
class Command(Object):
    """An order to the controller of `target`, which deletes the order and then follows it."""

    action: str = ""
    target: OwnerReference | None = None
    reason: str = ""
    message: str = ""
