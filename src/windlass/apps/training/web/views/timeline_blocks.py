"""The Gantt chart of nodes and gangs: the past and the present from pods, the future from a forecast. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from windlass.apis.assumptions import Assumption
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.apps.training.web.structs.timeline import Block, TimelineGang, TimelineNode, TimelineView
from windlass.apps.training.web.views.assumptions import assumption_views
from windlass.gateway.views.capacity import pod_requests
from windlass.gateway.views.reading import amount_of, name_of, namespace_of, text, time_of
from windlass.gateway.views.visibility import Visible
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

PAST = timedelta(hours=6)
FUTURE = timedelta(hours=6)
MAX_BLOCKS = 2000
SHORTEST = timedelta(seconds=1)


@dataclass(frozen=True)
class Expected:
    """A gang on a node in the future, or the end of one that runs there."""

    gang: str
    node: str
    start: float
    """Seconds since 1970."""
    end: float | None
    """None: nobody knows."""
    pods: int


@dataclass(frozen=True)
class Outlook:
    """What the simulator foretells. Gangs are `namespace/name`."""

    blocks: Sequence[Expected] = ()
    never: Sequence[str] = ()
    """Gangs that would not start by what is known."""
    assumptions: Sequence[Assumption] = ()


@dataclass
class _Span:
    start: datetime
    end: datetime
    state: str
    pods: int = 0
    share: float = 0.0


@dataclass(frozen=True)
class _Chart:
    spans: dict[tuple[str, str], list[_Span]] = field(default_factory=dict[tuple[str, str], list[_Span]])
    """By node and gang."""


def timeline_view(
    nodes: Sequence[Object],
    pods: Iterable[Object],
    groups: Iterable[Object],
    outlook: Outlook,
    visible: Visible,
    now: datetime,
) -> TimelineView:
    start, end = now - PAST, now + FUTURE
    offered = {name_of(node): _allocatable(node) for node in nodes}
    chart = _Chart()
    owned: dict[str, Object] = {}
    for pod in pods:
        owned[gang_of(pod)] = pod
        _put_pod(chart, pod, offered, start, now)
    _put_outlook(chart, outlook, now, end)
    ids = _Ids(visible, owned | {f"{namespace_of(group)}/{name_of(group)}": group for group in groups})
    names = [name for name in sorted({*offered, *(node for node, _ in chart.spans)})]
    blocks, lanes = _blocks(chart, ids)
    waiting = tuple(ids.of(name) for name in outlook.never if visible.sees(name))
    return TimelineView(
        now=timestamp(now),
        start=timestamp(start),
        end=timestamp(end),
        nodes=tuple(TimelineNode(name=name, lanes=lanes.get(name, 1)) for name in names),
        gangs=tuple(ids.gangs.values()),
        blocks=tuple(blocks[:MAX_BLOCKS]),
        assumptions=assumption_views(outlook.assumptions),
        waiting_without_forecast=waiting,
    )


class _Ids:
    """Gives every gang an id: its name for those that the user may see, a number for others."""

    def __init__(self, visible: Visible, owned: Mapping[str, Object]) -> None:
        """`owned` are the PodGroups, and pods that are of none, by their gang."""
        self._visible, self._owned = visible, owned
        self._known: dict[str, str] = {}
        self.gangs: dict[str, TimelineGang] = {}

    def of(self, gang: str) -> str:
        known = self._known.get(gang)
        if known is None:
            known = gang if self._visible.sees(gang) else f"#{len(self._known)}"
            self._known[gang] = known
            self.gangs[known] = self._gang(known, gang)
        return known

    def _gang(self, id_: str, gang: str) -> TimelineGang:
        is_own = self._visible.sees(gang)
        namespace, _, name = gang.partition("/") if is_own else ("", "", "")
        group = self._owned.get(gang) if is_own else None
        owner = next((one for one in dig_list(group, "metadata", "ownerReferences") if dig(one, "controller")), None)
        return TimelineGang(
            id=id_,
            namespace=namespace,
            name=name,
            kind=text(dig(owner, "kind")),
            job=text(dig(owner, "name")),
            queue=text(dig(group, "spec", "queue")),
            is_own=is_own,
        )


def gang_of(pod: Object) -> str:
    """The gang of a pod, else the pod itself, as `namespace/name`."""
    group = text(dig_object(pod, "metadata", "annotations").get(POD_GROUP_NAME_ANNOTATION))
    return f"{namespace_of(pod)}/{group or name_of(pod)}"


def _put_pod(
    chart: _Chart, pod: Object, offered: Mapping[str, Mapping[str, float]], since: datetime, now: datetime
) -> None:
    node, began = text(dig(pod, "spec", "nodeName")), time_of(dig(pod, "status", "startTime"))
    if not node or began is None:
        return
    has_ended = dig(pod, "status", "phase") in ("Succeeded", "Failed")
    ended = _ended(pod) or began if has_ended else now
    if ended < since or began > now:
        return
    span = _Span(max(began, since), max(ended, began + SHORTEST), "past" if has_ended else "running", 1)
    span.share = _share(pod, offered.get(node, {}))
    _merge(chart.spans.setdefault((node, gang_of(pod)), []), span)


def _merge(spans: list[_Span], added: _Span) -> None:
    """Pods of a gang that run on a node at the same time are one block."""
    for span in spans:
        if span.state == added.state and span.start <= added.end and added.start <= span.end:
            span.start, span.end = min(span.start, added.start), max(span.end, added.end)
            span.pods, span.share = span.pods + added.pods, span.share + added.share
            return
    spans.append(added)


def _ended(pod: Object) -> datetime | None:
    ends = [
        moment
        for status in dig_list(pod, "status", "containerStatuses")
        if (moment := time_of(dig(status, "state", "terminated", "finishedAt"))) is not None
    ]
    return max(ends, default=None)


def _allocatable(node: Object) -> dict[str, float]:
    return {name: amount_of(value).value for name, value in dig_object(node, "status", "allocatable").items()}


def _share(pod: Object, offered: Mapping[str, float]) -> float:
    """Of the resource of which the pod has most; ended pods count with what they had."""
    wanted = pod_requests({**pod, "status": {}})
    parts = [value / offered[name] for name, value in wanted.items() if offered.get(name)]
    return max(parts, default=0.0)


def _put_outlook(chart: _Chart, outlook: Outlook, now: datetime, end: datetime) -> None:
    for block in outlook.blocks:
        spans = chart.spans.setdefault((block.node, block.gang), [])
        until = min(_moment(block.end, end), end)
        running = next((span for span in spans if span.state == "running"), None)
        begins = _moment(block.start, now)
        if running is not None and begins <= now:
            running.end = max(running.end, until)
        elif begins < end:
            spans.append(_Span(max(begins, now), max(until, begins + SHORTEST), "forecast", block.pods))


def _moment(seconds: float | None, otherwise: datetime) -> datetime:
    return datetime.fromtimestamp(seconds, otherwise.tzinfo) if seconds is not None else otherwise


def _blocks(chart: _Chart, ids: _Ids) -> tuple[list[Block], dict[str, int]]:
    """The blocks, and how many lanes each node needs: a block takes the first lane that is free."""
    by_node: defaultdict[str, list[tuple[_Span, str]]] = defaultdict(list)
    for (node, gang), spans in sorted(chart.spans.items()):
        by_node[node] += [(span, gang) for span in spans]
    blocks: list[Block] = []
    lanes: dict[str, int] = {}
    for node, placed in by_node.items():
        free_from: list[datetime] = []
        for span, gang in sorted(placed, key=lambda one: (one[0].start, one[1])):
            lane = next((at for at, moment in enumerate(free_from) if moment <= span.start), len(free_from))
            free_from[lane : lane + 1] = [span.end]
            blocks.append(_block(span, node, ids.of(gang), lane))
        lanes[node] = max(1, len(free_from))
    blocks.sort(key=lambda block: (block.start, block.node, block.lane))
    return blocks, lanes


def _block(span: _Span, node: str, gang: str, lane: int) -> Block:
    return Block(
        gang=gang,
        node=node,
        start=timestamp(span.start),
        end=timestamp(span.end),
        state=span.state,  # pyright: ignore[reportArgumentType] - one of the literals, by construction
        pods=span.pods,
        share=round(min(1.0, span.share), 4),
        lane=lane,
    )
