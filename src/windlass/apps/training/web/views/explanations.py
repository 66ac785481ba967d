"""The answer of `windlass explain` as a view, without the names of what the user may not see. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, cast

from windlass.apis.reason_text import node_cause
from windlass.apps.training.web.structs import job
from windlass.apps.training.web.views.assumptions import assumption_views
from windlass.gateway.views.fixes import fix, reason_fixes
from windlass.gateway.views.parts import Amount, Fix
from windlass.gateway.views.reading import amount
from windlass.gateway.views.visibility import OTHERS, Visible, masked
from windlass.kube.json import timestamp
from windlass.scheduler.explain import answer

MAX_HOLDERS = 8
NOT_BEFORE_SECONDS = 1.0
"""What starts sooner than that starts now."""
State = Literal["Waiting", "Running", "Finished"]
RoomCode = Literal["FreeRoom", "NoRoom", ""]


def explanation_view(explanation: answer.Explanation, visible: Visible, now: datetime) -> job.Explanation:
    """`found` knows all namespaces; names outside of `visible` become `OTHERS`."""
    reason = masked(explanation.reason, visible) if explanation.reason is not None else None
    room = explanation.room or answer.Room()
    needs = tuple(_need(one) for one in explanation.amounts)
    holders = tuple(_holder(one, visible) for one in room.endings[:MAX_HOLDERS])
    start = _start(explanation.start, visible, now) if explanation.start is not None else None
    return job.Explanation(
        state=cast(State, explanation.state),
        sentence=visible.scrubbed(explanation.why),
        reason=reason,
        notes=tuple(visible.scrubbed(note) for note in explanation.notes),
        place=_place(explanation.place, visible) if explanation.place is not None else None,
        needs=needs,
        shapes=tuple(_shape(one) for one in explanation.pod_kinds),
        holders=holders,
        holders_evicted=room.made,
        no_room=_no_room(room, visible) if room.why else None,
        start=start,
        summary=summary(needs, holders, start) or visible.scrubbed(explanation.why),
        fixes=reason_fixes(reason) or _end_fixes(holders),
    )


def _no_room(room: answer.Room, visible: Visible) -> job.NoRoom:
    return job.NoRoom(
        code=cast(RoomCode, room.code),
        reason=masked(room.reason, visible) if room.reason is not None else None,
        text=visible.scrubbed(room.why),
    )


def base_amount(resource: str, value: float) -> Amount:
    """The scheduler counts cpu in thousandths."""
    return amount(resource, value / 1000 if resource == "cpu" else value)


def _need(needed: answer.Amount) -> job.ResourceNeed:
    return job.ResourceNeed(
        resource=needed.resource,
        asked=base_amount(needed.resource, needed.asked),
        largest_pod=base_amount(needed.resource, needed.a_pod),
        free=base_amount(needed.resource, needed.free),
        largest_free=base_amount(needed.resource, needed.most),
        total=base_amount(needed.resource, needed.total),
        is_short=needed.lacks,
    )


def _shape(kind: answer.PodKind) -> job.PodShape:
    return job.PodShape(
        role=kind.role,
        pods=kind.pods,
        asks={name: base_amount(name, value) for name, value in kind.asks.items()},
        answers=tuple(
            job.NodesAnswer(
                nodes=group.nodes, names=group.names, room=group.room, causes=tuple(map(node_cause, group.causes))
            )
            for group in kind.groups
        ),
    )


def _place(place: answer.Place, visible: Visible) -> job.QueuePlace:
    seen = tuple(one.name for one in place.before if visible.sees(one.name))
    return job.QueuePlace(
        queue=place.queue,
        position=place.at,
        length=place.of,
        before=seen,
        hidden_before=max(0, place.at - 1 - len(seen)),
    )


def _holder(ending: answer.Ending, visible: Visible) -> job.Holder:
    return job.Holder(
        name=ending.name if visible.sees(ending.name) else "",
        kind=ending.kind,
        pods=ending.pods,
        of=ending.of,
        priority=ending.priority,
        queue=ending.queue,
        nodes=ending.nodes,
    )


def _start(start: answer.Start, visible: Visible, now: datetime) -> job.Start:
    at = now + timedelta(seconds=start.after) if start.after is not None else None
    return job.Start(
        after_seconds=start.after,
        at=timestamp(at) if at is not None else None,
        by="reservation" if start.by == answer.BY_RESERVATION else "forecast",
        nodes=dict(start.nodes),
        sentence=_start_sentence(start, at, visible),
        assumptions=assumption_views(start.assumptions),
    )


def _start_sentence(start: answer.Start, at: datetime | None, visible: Visible) -> str:
    if start.after is None or at is None:
        return f"When it starts is not known: {visible.scrubbed(start.why)}" if start.why else "Start time not known"
    if start.after < NOT_BEFORE_SECONDS:
        return "It can start now"
    return f"It would start at about {at:%H:%M} UTC"


def summary(needs: Sequence[job.ResourceNeed], holders: Sequence[job.Holder], start: job.Start | None) -> str:
    """`Needs 4 nvidia.com/gpu, 1 is free; ml/bert holds 3 pods. It would start at about 14:20 UTC`."""
    short = [need for need in needs if need.is_short]
    if not short:
        return ""
    parts = [_short(need) for need in short]
    text = "Needs " + "; ".join(parts)
    if holders:
        first, more = holders[0], len(holders) - 1
        name = first.name or f"a job of {OTHERS}"
        text += f"; held by {name} ({first.pods} of its {first.of} pods)" + (f" and {more} more" if more else "")
    return f"{text}. {start.sentence}" if start is not None else text


def _short(need: job.ResourceNeed) -> str:
    """A resource may be free in all, and still on no node in one piece."""
    if need.asked.value > need.free.value:
        return f"{need.asked.text} {need.resource}, {need.free.text} free"
    return f"{need.largest_pod.text} {need.resource} on one node, {need.largest_free.text} free at most"


def _end_fixes(holders: Sequence[job.Holder]) -> tuple[Fix, ...]:
    named = [one.name for one in holders if one.name]
    if not named:
        return ()
    return (fix("Held", named[0]),)
