"""Validation of references to a queue: it must exist and be open, and the queue of a job must be a leaf.

A new queue without a state counts as open: its controller sets the state a moment later.
"""

from collections.abc import Iterable, Mapping

from windlass.apps.volcano.wording import queue_not_found
from windlass.kube.json import Object, dig

ROOT = "root"


def state_of(queue: Object) -> str:
    return str(dig(queue, "status", "state") or "Open")


def children_of(name: str, queues: Iterable[Object]) -> list[str]:
    """Return the sorted names of the queues whose parent is `name`."""
    return sorted(str(queue["metadata"]["name"]) for queue in queues if dig(queue, "spec", "parent") == name)


def job_queue_problems(name: str, queues: Mapping[str, Object]) -> str:
    """Why a job may not use the queue; empty if it may."""
    queue = queues.get(name)
    if queue is None:
        return f" unable to find job queue: {queue_not_found(name)};"
    found, state = "", state_of(queue)
    if state != "Open":
        found += f" can only submit job to queue with state `Open`, queue `{name}` status is `{state}`;"
    if name == ROOT:
        return f"{found} can not submit job to root queue;"
    children = children_of(name, queues.values())
    if children:
        found += f" can only submit job to leaf queue, queue `{name}` has {len(children)} child queues;"
    return found


def pod_group_queue_problem(name: str, queue: Object | None) -> str:
    """Why a PodGroup may not use the queue; empty if it may."""
    if queue is None:
        return f"unable to find queue: {queue_not_found(name)}"
    state = state_of(queue)
    if state != "Open":
        return f"can only submit PodGroup to queue with state `Open`, queue `{name}` status is `{state}`."
    return ""
