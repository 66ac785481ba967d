"""What is asked and free of each resource, and what each node says to the pods that need one."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from windlass.apis.reason_text import node_cause
from windlass.apis.reasons import NodeCause
from windlass.scheduler.explain.answer import Amount, NodeGroup, PodKind
from windlass.scheduler.framework.extension_points import NodeFilter
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import PODS, Mask, Vector, name_of, named
from windlass.scheduler.model.jobs import Task
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.predicates import checks, refusal_of
from windlass.scheduler.predicates.verdict import Refusal

NAMED = 3  # nodes of each group
KEPT = NodeCause("KeptForOthers")


def amounts_of(table: NodeTable, asked: Vector, a_pod: Vector, allowed: Mask) -> tuple[Amount, ...]:
    """Of each resource that is asked for; places for pods only where they are what is short."""
    total = table.total()
    found: list[Amount] = []
    for column in np.flatnonzero(asked).tolist():
        free = np.maximum(table.free(column), 0)[allowed]
        most = float(free.max()) if len(free) else 0.0
        wanted, one = float(asked[column]), float(a_pod[column])
        amount = Amount(name_of(column), wanted, one, float(free.sum()), most, float(total[column]))
        if column != PODS or amount.lacks:
            found.append(amount)
    return tuple(found)


def allowed(placer: Placer, pods: Iterable[PodInfo]) -> Mask:
    """The nodes that any of the pods may be on, however full they are."""
    shapes = {id(shape): shape for shape in map(placer.shapes.of, pods)}
    mask: Mask = np.logical_or.reduce([placer.allowed(shape) for shape in shapes.values()])
    return mask


def lacking(session: Session, tasks: Iterable[Task], number: int) -> list[Task]:
    """Those that would be placed next, as many as are needed."""
    return sorted(tasks, key=session.task_key)[:number]


def pod_kinds(session: Session, tasks: Sequence[Task]) -> tuple[PodKind, ...]:
    """Tasks that are alike, and what the nodes say to each kind."""
    shapes = session.placer.shapes
    kinds: dict[tuple[str, int], list[Task]] = {}
    for task in tasks:
        kinds.setdefault((task.role, id(shapes.of(task.pod))), []).append(task)
    return tuple(
        PodKind(role, len(alike), _asks(alike[0].pod), tuple(_groups_of(session, alike[0])))
        for (role, _), alike in kinds.items()
    )


def _asks(pod: PodInfo) -> dict[str, float]:
    return {name: amount for name, amount in named(pod.vector).items() if name != "pods"}


def _groups_of(session: Session, task: Task) -> list[NodeGroup]:
    """By the scheduler's predicates, its plugins, and whom room is kept for."""
    snapshot, placer = session.cluster.snapshot, session.placer
    refused = refusals(task.pod, snapshot)
    slots = placer.slots(placer.shapes.of(task.pod))
    masks = [
        (mask, plugin.node_cause(task))
        for plugin in session.plugins.asked(NodeFilter)
        if (mask := plugin.node_mask(task)) is not None
    ]
    open_to = session.keep_out(task.job)
    if open_to is not None:
        masks.append((open_to, KEPT))
    room: dict[str, int] = {}
    for node in snapshot.nodes:
        number = snapshot.table.index[node.name]
        if node.name in refused:
            continue
        cause = next((cause for mask, cause in masks if not mask[number]), None)
        if cause is None and slots[number] < 1:
            cause = KEPT
        if cause is None:
            room[node.name] = int(min(slots[number], 1e6))
        else:
            refused[node.name] = (cause,)
    return grouped(refused, room)


def refusals(pod: PodInfo, snapshot: Snapshot) -> dict[str, tuple[NodeCause, ...]]:
    """Why not, of each node that will not do."""
    questions = checks(pod, snapshot)
    if isinstance(questions, Refusal):
        return {node.name: questions.causes for node in snapshot.nodes}
    found: dict[str, tuple[NodeCause, ...]] = {}
    for node in snapshot.nodes:
        refusal = refusal_of(pod, node, questions, snapshot)
        if refusal is not None:
            found[node.name] = refusal.causes
    return found


def grouped(refused: Mapping[str, tuple[NodeCause, ...]], room: Mapping[str, int]) -> list[NodeGroup]:
    """Nodes with room first, then by how many say the same."""
    found: list[NodeGroup] = []
    if room:
        found.append(NodeGroup(len(room), _some(room), room=sum(room.values())))
    by_causes: dict[tuple[NodeCause, ...], list[str]] = {}
    for name, causes in refused.items():
        by_causes.setdefault(tuple(sorted(causes, key=node_cause)), []).append(name)
    for causes, names in sorted(by_causes.items(), key=lambda one: (-len(one[1]), list(map(node_cause, one[0])))):
        found.append(NodeGroup(len(names), _some(names), causes))
    return found


def _some(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names)[:NAMED])
