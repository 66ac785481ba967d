"""The view of queues: the tree, what each uses, and what waits in it. Pure; `windlass queue` uses the same state."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from windlass.apps.volcano.queues import queue_state
from windlass.apps.volcano.queues.queue_state import GroupRow, group_rows, queue_rows
from windlass.apps.volcano.web.queue_view import QueueResource, QueueRow, QueuesView, WaitingGang
from windlass.gateway.views.capacity import MAIN, node_rows, ordered
from windlass.gateway.views.parts import Amount
from windlass.gateway.views.reading import amount, amount_of, name_of, namespace_of, text, time_text
from windlass.gateway.views.visibility import Visible
from windlass.gateway.views.whys import gang_why
from windlass.kube.json import Object, dig, dig_list, timestamp

WAITING_PHASES = ("", "Pending", "Inqueue", "Unknown")


@dataclass(frozen=True)
class QueueObjects:
    """Of the whole cluster; names of what the user may not see are left out of the view."""

    queues: Sequence[Object]
    groups: Sequence[Object]
    priorities: Sequence[Object]
    nodes: Sequence[Object]
    pods: Sequence[Object]


def queues_view(objects: QueueObjects, visible: Visible, now: datetime) -> QueuesView:
    waiting: defaultdict[str, list[Object]] = defaultdict(list)
    for group in objects.groups:
        if is_waiting(group):
            waiting[text(dig(group, "spec", "queue")) or "default"].append(group)
    by_name = {name_of(queue): queue for queue in objects.queues}
    nodes = node_rows(objects.nodes, objects.pods)
    offered = {one.resource for node in nodes for one in node.resources} & {*MAIN}
    rows = tuple(
        _row(row, by_name[row.name], _line(waiting[row.name], objects.priorities, now), offered, visible, now)
        for row in queue_rows(objects.queues)
    )
    named = {one.resource for row in rows for one in row.resources}
    named |= {one.resource for node in nodes for one in node.resources}
    return QueuesView(queues=rows, nodes=nodes, resources=tuple(ordered(named)))


def is_waiting(group: Object) -> bool:
    """Whether a gang has not got its pods placed."""
    return text(dig(group, "status", "phase")) in WAITING_PHASES


def _line(groups: Sequence[Object], priorities: Sequence[Object], now: datetime) -> list[tuple[GroupRow, Object]]:
    """The gangs of a queue with their objects, in scheduling order."""
    by_key = {(namespace_of(group), name_of(group)): group for group in groups}
    return [(row, by_key[row.namespace, row.name]) for row in group_rows(groups, priorities, now)]


def _row(
    row: queue_state.QueueRow,
    queue: Object,
    line: Sequence[tuple[GroupRow, Object]],
    offered: AbstractSet[str],
    visible: Visible,
    now: datetime,
) -> QueueRow:
    seen = tuple(
        _gang(at, one, group, visible, now) for at, (one, group) in enumerate(line, start=1) if one.namespace in visible
    )
    return QueueRow(
        name=row.name,
        parent="" if row.depth == 0 else row.parent,
        depth=row.depth,
        state=row.state,
        weight=row.weight,
        reclaimable=dig(queue, "spec", "reclaimable") is not False,
        resources=_resources(row, offered),
        running=row.counts.get("running", 0),
        pending=row.counts.get("pending", 0),
        inqueue=row.counts.get("inqueue", 0),
        completed=row.counts.get("completed", 0),
        waiting=seen,
        hidden_waiting=len(line) - len(seen),
    )


def _gang(position: int, row: GroupRow, group: Object, visible: Visible, now: datetime) -> WaitingGang:
    owner = next((one for one in dig_list(group, "metadata", "ownerReferences") if dig(one, "controller")), None)
    return WaitingGang(
        position=position,
        namespace=row.namespace,
        name=row.name,
        kind=text(dig(owner, "kind")),
        job=text(dig(owner, "name")),
        phase=row.state,
        min_member=row.min_member,
        priority=row.priority,
        since=time_text(dig(group, "metadata", "creationTimestamp")) or timestamp(now),
        waited_seconds=round(row.age, 1),
        why=gang_why(group, visible),
    )


def _resources(row: queue_state.QueueRow, offered: AbstractSet[str]) -> tuple[QueueResource, ...]:
    """What the queue has anything of, and the main resources that nodes offer: an idle queue shows that it is."""
    named = {*offered, *row.allocated, *row.deserved, *row.capability, *row.guarantee} - {*queue_state.UNCOUNTED}
    return tuple(_resource(name, row) for name in ordered(named))


def _resource(name: str, row: queue_state.QueueRow) -> QueueResource:
    allocated, deserved = amount_of(row.allocated.get(name, "0"), name), _given(row.deserved, name)
    lent = max(0.0, deserved.value - allocated.value) if deserved is not None else 0.0
    borrowed = max(0.0, allocated.value - deserved.value) if deserved is not None else 0.0
    return QueueResource(
        resource=name,
        allocated=allocated,
        deserved=deserved,
        guarantee=_given(row.guarantee, name),
        capability=_given(row.capability, name),
        lent=amount(name, lent),
        borrowed=amount(name, borrowed),
    )


def _given(amounts: Mapping[str, str], name: str) -> Amount | None:
    return amount_of(amounts[name], name) if name in amounts else None
