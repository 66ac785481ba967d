"""Why a job that was not placed waits, and each of its pods."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

import numpy as np

from windlass.apis.reason_text import Dialect
from windlass.apis.reasons import (
    GangPending,
    GangReason,
    GangUnschedulable,
    GroupCause,
    LimitExceeded,
    MadeRoomFor,
    NodeCause,
    NodeReason,
    NodesUnfit,
    NoHyperNode,
    NoNodes,
    OriginCause,
    QueueClosed,
    QueueOverLimit,
    QueueOverShare,
    ReleasePending,
    SchedulingGated,
    Terminating,
    counted,
    insufficient,
)
from windlass.scheduler.framework import parts
from windlass.scheduler.framework.admission import written
from windlass.scheduler.framework.decisions import PodCause, Trouble
from windlass.scheduler.framework.extension_points import NodeFilter
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import TOLERANCE, Vector, column, name_of, short
from windlass.scheduler.model.jobs import Job, Queue, Status, Task
from windlass.scheduler.model.queue_tree import ROOT

MAX_TERMINATING = 3  # pods that are named
_CONSIDERED = (Status.ALLOCATED, Status.PIPELINED, Status.GATED)
"""Of tasks without a node as far as the API shows, beside those that are pending."""


def invalid(session: Session, job: Job, reason: GangReason) -> None:
    session.trouble(job, Trouble(reason, dict.fromkeys(job.pending, reason)))


def queue_has_enough(session: Session, queue: Queue, job: Job) -> None:
    if not session.wants_words:
        return
    first = next(iter(job.pending.values()), None)
    why: OriginCause
    if not queue.is_open:
        why = QueueClosed(queue.name)
    elif first is None:
        why = QueueOverShare(queue.name)
    elif not session.placer.slots(session.placer.shapes.of(first.pod)).any():
        why = why_no_node(session, first)
    else:
        why = _limit(session, queue, first.request, queue.allocated + first.request) or QueueOverShare(queue.name)
    _record(session, job, why, dict.fromkeys(job.pending, why), failed=len(job.pending))


def gated(session: Session, job: Job) -> None:
    """Record the gates of the first pod that has some. Each pod has them in its spec, and no condition here."""
    if not session.wants_words:
        return
    task = next(task for task in job.tasks.values() if task.status is Status.GATED)
    gates = SchedulingGated(tuple(gate.name for gate in task.pod.pod.spec.scheduling_gates))
    _record(session, job, gates, {}, failed=job.counts[Status.GATED], pod=str(task.pod.key))


def goes_later(session: Session, job: Job, other: Job) -> None:
    """Record that the job was preempted for another one, which has not started yet."""
    why = MadeRoomFor(f"{other.namespace}/{other.name}")
    _record(session, job, why, dict.fromkeys(job.pending, why), failed=len(job.pending))


def unplaceable(
    session: Session, queue: Queue, job: Job, failed: Sequence[Task], *, barred: bool, why: GroupCause | None = None
) -> None:
    """Record why not all of a job's pods have nodes.

    To be called while those that found a node are still there: that is what the others lacked room beside.
    """
    if not session.wants_words:
        return
    pods = _placed(session, job)
    of_queue = _why_barred(session, queue, job) if barred and not failed else None
    by_shape: dict[int, OriginCause] = {}
    room = 0  # for some of those that failed, as not all of them have any
    for task in failed or job.pending.values():
        shape = id(session.placer.shapes.of(task.pod))
        if shape not in by_shape:
            by_shape[shape] = of_queue or why_no_node(session, task, why)
            room += 0 if of_queue or why else int(_with_room(session, task).sum())
        pods[task.uid] = by_shape[shape]
    rest = next(iter(by_shape.values()), of_queue)
    if rest is not None:
        pods = dict.fromkeys(job.pending, rest) | pods
    first = next(iter(failed), None) or next(iter(job.pending.values()), None)
    origin = pods[first.uid] if first is not None else of_queue or next(iter(pods.values()), None)
    number = len(failed) or len(job.pending)
    pod = str(first.pod.key) if first is not None else ""
    _record(session, job, origin, pods, failed=max(number - room, min(number, 1)), pod=pod)


def _placed(session: Session, job: Job) -> dict[str, OriginCause]:
    """What the tasks that have a node wait for."""
    found: dict[str, OriginCause] = {}
    for task in job.tasks.values():
        if task.status is Status.ALLOCATED:
            found[task.uid] = GangPending(str(task.pod.key), task.node)
        elif task.status is Status.PIPELINED:
            found[task.uid] = _release_pending(session, task)
    return found


def _release_pending(session: Session, task: Task) -> ReleasePending:
    """The pods whose end a task waits for, as far as they are known."""
    cluster = session.cluster
    node = cluster.snapshot.node(task.node)
    if node is None or not node.ending:
        return ReleasePending(str(task.pod.key), task.node)
    victims = cluster.preemptions.victims_of(task.job, cluster.jobs)
    ending = sorted(node.ending, key=lambda uid: (uid not in victims, node.pods[uid].key))
    named = tuple(Terminating(str(node.pods[uid].key), uid in victims) for uid in ending[:MAX_TERMINATING])
    return ReleasePending(str(task.pod.key), task.node, named, max(len(ending) - MAX_TERMINATING, 0))


def _why_barred(session: Session, queue: Queue, job: Job) -> QueueOverLimit | QueueOverShare | None:
    """Why the queue may not have a gang all of whose pods have nodes, or that was not tried for that reason.

    None where there is no node for it either.
    """
    asked, first = parts.asked_by(job.tasks.values()), next(iter(job.pending.values()), None)
    untried = first if not job.counts[Status.ALLOCATED] else None
    if untried is not None and not session.placer.slots(session.placer.shapes.of(untried.pod)).any():
        return None
    limit = _limit(session, queue, asked, queue.allocated + (untried.request if untried is not None else 0))
    if limit or queue.parent not in ("", ROOT):
        return limit or QueueOverLimit(queue.name)
    return QueueOverShare(queue.name)


def _limit(session: Session, queue: Queue, asked: Vector, with_it: Vector) -> QueueOverLimit | None:
    """The resources of which the queue would have more than it ever may; None if there are none."""
    due = session.plugins.due(queue)
    names = short(with_it, asked, due.most) if due is not None else ()
    if due is None or not names:
        return None
    limits = (
        (name, written(name, with_it[column(name)], ceil), written(name, due.most[column(name)], floor))
        for name in names
    )
    return QueueOverLimit(queue.name, tuple(LimitExceeded(*limit) for limit in limits))


def no_hyper_node(job: Job) -> NoHyperNode | None:
    """The reason of a job all of whose pods must be together, and cannot be."""
    topology = job.topology
    if topology is None or not topology.hard:
        return None
    highest = topology.highest_name if topology.highest_tier is None else topology.highest_tier
    return NoHyperNode(max(1, job.min_member), str(highest))


def why_no_node(session: Session, task: Task, why: GroupCause | None = None) -> NodeReason:
    """What the nodes lack for a task; and `why`, if that is not all."""
    nodes, causes = session.placer.reasons(task.pod)
    if not nodes:
        return NoNodes()
    causes |= _refused_by_plugins(session, task)
    if why is None:
        causes = _lacking_for_all(session, task, causes)
    return NodesUnfit(nodes, counted(causes), why)


def _refused_by_plugins(session: Session, task: Task) -> dict[NodeCause, int]:
    """How many nodes that have room are refused by a plugin, by its cause."""
    causes: dict[NodeCause, int] = {}
    left = session.placer.slots(session.placer.shapes.of(task.pod)) >= 1
    for plugin in session.plugins.asked(NodeFilter):
        mask = plugin.node_mask(task)
        refused = int((left & ~mask).sum()) if mask is not None else 0
        if mask is not None and refused:
            cause = plugin.node_cause(task)
            causes[cause] = causes.get(cause, 0) + refused
            left &= mask
    return causes


def _with_room(session: Session, task: Task) -> Vector:
    """How many like it each node has room for, if nothing but room matters."""
    shape = session.placer.shapes.of(task.pod)
    slots = session.placer.slots(shape, within=session.mask(task))
    return slots if session.placer.is_quick(shape) else np.zeros(len(slots))


def _lacking_for_all(session: Session, task: Task, causes: dict[NodeCause, int]) -> dict[NodeCause, int]:
    """The causes, with what those nodes lack that have room for some pods like it, once these are there."""
    slots, table = _with_room(session, task), session.cluster.snapshot.table
    shape, found = session.placer.shapes.of(task.pod), dict(causes)
    for number, amount in zip(shape.columns, shape.amounts, strict=True):
        full = (slots >= 1) & (np.floor((table.free(number) + TOLERANCE) / amount) <= slots)
        if full.any():
            cause = insufficient(name_of(number))
            found[cause] = found.get(cause, 0) + int(full.sum())
    return found


def _record(
    session: Session,
    job: Job,
    origin: OriginCause | None,
    pods: Mapping[str, OriginCause],
    *,
    failed: int,
    pod: str = "",
) -> None:
    waiting = len(job.pending) + sum(job.counts[status] for status in _CONSIDERED)
    reason = GangUnschedulable(
        needed=max(job.min_member - (job.ready - job.counts[Status.ALLOCATED]), 0),
        tasks=len(job.tasks),
        pending=waiting,
        unschedulable=failed,
        min_available=job.min_member,
        origin=origin,
        pod=pod,
    )
    dialect: Dialect = "kube-batch" if job.scheduler == "kube-batch" else "volcano"
    session.trouble(job, Trouble(reason, dict[str, PodCause](pods), dialect))
