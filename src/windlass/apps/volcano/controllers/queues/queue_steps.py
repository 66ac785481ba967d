"""Queue -> its state, its place under a parent, and how many pod groups are in it. Pure; `queue_service` acts.

A queue closes in two steps, `Closing` while groups remain and then `Closed`, and so do the queues below it, which are
marked: opening the parent opens exactly those again. Each reconcile takes one step only, so that a crash between two of
them loses nothing: a queue is marked before it is closed, and opened before its mark is taken away.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis.scheduling_volcano_v1beta1 import Queue, QueueSpec, QueueStatus
from windlass.apps.volcano.controllers.names import (
    CLOSE_QUEUE,
    CLOSED,
    CLOSED_BY_PARENT,
    CLOSING,
    DEFAULT_QUEUE,
    OPEN,
    OPEN_QUEUE,
    ROOT_QUEUE,
)
from windlass.kube.json import Object as Json
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Event

Phases = Mapping[str, int]
"""How many groups of a queue are in each phase; those without one count under the empty word."""

PROVIDED = (ROOT_QUEUE, DEFAULT_QUEUE)
"""Queues that are always there: the root of all, and the one for gangs that name none."""
OPENED = Event(reason=OPEN_QUEUE, message="Open queue succeed")
SHUT = Event(reason=CLOSE_QUEUE, message="Close queue succeed")


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one reconcile: a change of the object itself, or else its status."""

    status: QueueStatus
    patch: Json | None = None
    event: Event | None = None


def step(queue: Queue, groups: Phases, parent: Queue | None) -> Step:
    """`parent` is None where the queue has none, or one that is not there."""
    status = with_counts(queue.status, groups)
    if not queue.spec.parent and queue.metadata.name != ROOT_QUEUE:
        return Step(status, patch={"spec": {"parent": ROOT_QUEUE}})
    state, is_marked = queue.status.state or OPEN, is_closed_by_parent(queue)
    if is_shut(parent):
        if state != OPEN:
            return Step(_in_state(status, settled(state, groups)))
        if not is_marked:
            return Step(status, patch=marked(True))
        return Step(_in_state(status, shut_state(groups)), event=SHUT)
    if is_marked and state in (CLOSING, CLOSED):
        return Step(_in_state(status, OPEN), event=OPENED)
    if is_marked:
        return Step(status, patch=marked(False))
    return Step(_in_state(status, settled(state, groups)))


def provided(name: str) -> Queue:
    """One of those that are always there, as Volcano's scheduler makes it; its state comes with the first look."""
    metadata = ObjectMeta(name=name)
    return Queue(metadata=metadata, spec=QueueSpec(weight=1, reclaimable=name != ROOT_QUEUE))


def with_counts(status: QueueStatus, groups: Phases) -> QueueStatus:
    """The status with the current counts; what the scheduler writes there (`allocated`) is left as it is."""
    return msgspec.structs.replace(
        status,
        unknown=groups.get("Unknown", 0),
        pending=groups.get("Pending", 0),
        running=groups.get("Running", 0),
        inqueue=groups.get("Inqueue", 0),
        completed=groups.get("Completed", 0),
    )


def kube_batch_status(_: kube_batch.Queue, groups: Phases) -> kube_batch.QueueStatus:
    """kube-batch's queues have no state, only counts."""
    return kube_batch.QueueStatus(
        unknown=groups.get("Unknown", 0), pending=groups.get("Pending", 0), running=groups.get("Running", 0)
    )


def shut_state(groups: Phases) -> str:
    """What a queue that is closed now becomes."""
    return CLOSING if any(groups.values()) else CLOSED


def settled(state: str, groups: Phases) -> str:
    """A closing queue is closed once its last group is gone; other states stay."""
    return shut_state(groups) if state == CLOSING else state


def is_shut(queue: Queue | None) -> bool:
    return queue is not None and queue.status.state in (CLOSING, CLOSED)


def is_closed_by_parent(queue: Queue) -> bool:
    return queue.metadata.annotations.get(CLOSED_BY_PARENT) == "true"


def marked(is_marked: bool) -> Json:
    """The patch that marks a queue as closed by its parent, or takes the mark away."""
    return {"metadata": {"annotations": {CLOSED_BY_PARENT: "true" if is_marked else None}}}


def _in_state(status: QueueStatus, state: str) -> QueueStatus:
    return msgspec.structs.replace(status, state=state)
