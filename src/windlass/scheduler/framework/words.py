"""How it is told why a job waits: the words of Volcano and kube-batch, with what they leave out."""

from collections.abc import Sequence
from math import ceil, floor

import numpy as np

from windlass.scheduler.framework import parts
from windlass.scheduler.framework.admission import written
from windlass.scheduler.framework.decisions import NOT_ENOUGH_RESOURCES, Trouble
from windlass.scheduler.framework.extension_points import NodeFilter
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import PODS, TOLERANCE, Vector, column, name_of, short
from windlass.scheduler.model.jobs import Job, Queue, Status, Task
from windlass.scheduler.model.queue_tree import ROOT
from windlass.scheduler.predicates.verdict import NO_NODES

NAMED = 3  # pods that are terminating
_CONSIDERED = (Status.ALLOCATED, Status.PIPELINED, Status.GATED)
"""Of tasks without a node as far as anybody was told, beside those that are pending."""


def invalid(session: Session, job: Job, reason: str, message: str) -> None:
    session.trouble(job, Trouble(reason, message, dict.fromkeys(job.pending, message)))


def queue_has_enough(session: Session, queue: Queue, job: Job) -> None:
    if not session.wants_words:
        return
    first = next(iter(job.pending.values()), None)
    if not queue.is_open:
        why = f"queue {queue.name} is not open"
    elif first is None:
        why = _share(queue)
    elif not session.placer.slots(session.placer.shapes.of(first.pod)).any():
        why = why_no_node(session, first)
    else:
        why = _limit(session, queue, first.request, queue.allocated + first.request) or _share(queue)
    _tell(session, job, why, dict.fromkeys(job.pending, why), failed=len(job.pending))


def gated(session: Session, job: Job) -> None:
    """Its pods say themselves which gates they wait for."""
    if not session.wants_words:
        return
    task = next(task for task in job.tasks.values() if task.status is Status.GATED)
    gates = " ".join(gate.name for gate in task.pod.pod.spec.scheduling_gates)
    _tell(session, job, f"{task.pod.key}: waiting for scheduling gates: [{gates}]", {}, failed=job.counts[Status.GATED])


def goes_later(session: Session, job: Job, other: Job) -> None:
    """It had to go for another job, which has not started yet."""
    why = f"it made room for {other.namespace}/{other.name}, which starts first"
    _tell(session, job, why, dict.fromkeys(job.pending, why), failed=len(job.pending))


def unplaceable(
    session: Session, queue: Queue, job: Job, failed: Sequence[Task], *, barred: bool, why: str = ""
) -> None:
    """To be called while those that found a node are still there: that is what the others lacked room beside."""
    if not session.wants_words:
        return
    pods: dict[str, str] = {}
    for task in job.tasks.values():
        where = f"Pod {task.pod.key} can possibly be assigned to {task.node}, once "
        if task.status is Status.ALLOCATED:
            pods[task.uid] = where + "minAvailable is satisfied"
        elif task.status is Status.PIPELINED:
            pods[task.uid] = where + "resource is released and minAvailable is satisfied" + _released(session, task)
    of_queue = _why_barred(session, queue, job) if barred and not failed else ""
    told: dict[int, str] = {}
    room = 0  # for some of those that failed, as not all of them have any
    for task in failed or job.pending.values():
        shape = id(session.placer.shapes.of(task.pod))
        if shape not in told:
            told[shape] = of_queue or why_no_node(session, task, why)
            room += 0 if of_queue or why else int(_with_room(session, task).sum())
        pods[task.uid] = told[shape]
    rest = next(iter(told.values()), of_queue)
    for task in job.pending.values():
        pods.setdefault(task.uid, rest)
    first = next(iter(failed), None) or next(iter(job.pending.values()), None)
    origin = f"{first.pod.key}: {pods[first.uid]}" if first is not None else of_queue or next(iter(pods.values()), "")
    number = len(failed) or len(job.pending)
    _tell(session, job, origin, pods, failed=max(number - room, min(number, 1)))


def _released(session: Session, task: Task) -> str:
    """Whose end a task waits for; empty if nobody is known to be terminating."""
    cluster = session.cluster
    node = cluster.snapshot.node(task.node)
    if node is None or not node.ending:
        return ""
    victims = cluster.preemptions.victims_of(task.job, cluster.jobs)
    ending = sorted(node.ending, key=lambda uid: (uid not in victims, node.pods[uid].key))
    named = [f"{node.pods[uid].key}{' (preempted for it)' if uid in victims else ''}" for uid in ending[:NAMED]]
    more = f" and {len(ending) - NAMED} more" if len(ending) > NAMED else ""
    return f"; terminating there: {', '.join(named)}{more}"


def _why_barred(session: Session, queue: Queue, job: Job) -> str:
    """Of a gang all of which has nodes, or that was not even tried because no pod of it would be let in.

    Empty where there is no node for it either.
    """
    asked, first = parts.asked_by(job.tasks.values()), next(iter(job.pending.values()), None)
    untried = first if not job.counts[Status.ALLOCATED] else None
    if untried is not None and not session.placer.slots(session.placer.shapes.of(untried.pod)).any():
        return ""
    limit = _limit(session, queue, asked, queue.allocated + (untried.request if untried is not None else 0))
    if limit or queue.parent not in ("", ROOT):
        return limit or f"queue {queue.name}, or one above it, may have no more of what it asks for"
    return _share(queue)


def _share(queue: Queue) -> str:
    return f"queue {queue.name} has its share: others that ask for theirs go first"


def _limit(session: Session, queue: Queue, asked: Vector, with_it: Vector) -> str:
    """What it would have more of than it ever may; empty if nothing."""
    due = session.plugins.due(queue)
    names = short(with_it, asked, due.most) if due is not None else ()
    if due is None or not names:
        return ""
    listed = ", ".join(
        f"{name}: {written(name, with_it[column(name)], ceil)} with it, {written(name, due.most[column(name)], floor)}"
        " at most"
        for name in names
    )
    return f"queue {queue.name} may have no more of what it asks for ({listed})"


def no_hyper_node(job: Job) -> str:
    """All of it must be together, and cannot be."""
    topology = job.topology
    if topology is None or not topology.hard:
        return ""
    highest = topology.highest_name if topology.highest_tier is None else topology.highest_tier
    which = f"no hyper node up to tier {highest}" if highest != "" else "no hyper node"
    return f"{which} has room for {max(1, job.min_member)} pods together"


def why_no_node(session: Session, task: Task, why: str = "") -> str:
    """What its nodes lack; and `why`, if that is not all."""
    nodes, reasons = session.placer.reasons(task.pod)
    if not nodes:
        return NO_NODES
    reasons |= _refused_by_plugins(session, task)
    if not why:
        reasons = _lacking_for_all(session, task, reasons)
    told = sorted(f"{count} {reason}" for reason, count in reasons.items())
    listed = ", ".join((*told, why) if why else told)
    if task.job.scheduler == "kube-batch":
        return f"0/{nodes} nodes are available, {listed.replace('Insufficient ', 'insufficient ')}."
    return f"0/{nodes} nodes are unavailable: {listed}."


def _refused_by_plugins(session: Session, task: Task) -> dict[str, int]:
    """How many nodes that have room are refused by a plugin, by its reason."""
    reasons: dict[str, int] = {}
    left = session.placer.slots(session.placer.shapes.of(task.pod)) >= 1
    for plugin in session.plugins.asked(NodeFilter):
        mask = plugin.node_mask(task)
        refused = int((left & ~mask).sum()) if mask is not None else 0
        if mask is not None and refused:
            reason = plugin.node_reason(task)
            reasons[reason] = reasons.get(reason, 0) + refused
            left &= mask
    return reasons


def _with_room(session: Session, task: Task) -> Vector:
    """How many like it each node has room for, if nothing but room matters."""
    shape = session.placer.shapes.of(task.pod)
    slots = session.placer.slots(shape, within=session.mask(task))
    return slots if session.placer.is_quick(shape) else np.zeros(len(slots))


def _lacking_for_all(session: Session, task: Task, reasons: dict[str, int]) -> dict[str, int]:
    """With what those nodes lack that have room for some like it, once these are there."""
    slots, table = _with_room(session, task), session.cluster.snapshot.table
    shape, found = session.placer.shapes.of(task.pod), dict(reasons)
    for number, amount in zip(shape.columns, shape.amounts, strict=True):
        full = (slots >= 1) & (np.floor((table.free(number) + TOLERANCE) / amount) <= slots)
        if full.any():
            reason = "Too many pods" if number == PODS else f"Insufficient {name_of(number)}"
            found[reason] = found.get(reason, 0) + int(full.sum())
    return found


def _tell(session: Session, job: Job, origin: str, pods: dict[str, str], *, failed: int) -> None:
    waiting = len(job.pending) + sum(job.counts[status] for status in _CONSIDERED)
    needed = max(job.min_member - (job.ready - job.counts[Status.ALLOCATED]), 0)
    head = f"{needed}/{len(job.tasks)} tasks in gang unschedulable: "
    if job.scheduler == "kube-batch":
        message = head + origin.split(": ", 1)[-1]
    else:
        states = f"{waiting - failed} Schedulable, {failed} Unschedulable"
        message = (
            f"{head}pod group is not ready, {waiting} Pending, {job.min_member} minAvailable; "
            f"Pending: {states}. Origin reason is {origin}"
        )
    session.trouble(job, Trouble(NOT_ENOUGH_RESOURCES, message, pods))
