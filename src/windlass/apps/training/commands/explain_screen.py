"""An explanation of why something waits, on a terminal and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import click
from msgspec import to_builtins

from windlass.apis import reasons
from windlass.apis.reason_text import node_cause
from windlass.apps.training.commands.simulate_cluster import format_duration, format_time
from windlass.cli.table import render_table
from windlass.scheduler.explain.answer import (
    BY_RESERVATION,
    FINISHED,
    RUNNING,
    WAITING,
    Amount,
    Ending,
    Explanation,
    NodeGroup,
    Place,
    PodKind,
    Room,
    Start,
)

COLOURS = {WAITING: "yellow", RUNNING: "green", FINISHED: "cyan"}
SHOWN = 8  # jobs that would have to end
BYTES = ("memory", "ephemeral-storage", "hugepages-")
UNITS = ("", "Ki", "Mi", "Gi", "Ti", "Pi")


def amount(resource: str, value: float) -> str:
    """As one would write it in a manifest: 1500m, 2, 64Gi."""
    if resource == "cpu":
        return f"{value:.0f}m" if value % 1000 else f"{value / 1000:.0f}"
    if resource.startswith(BYTES):
        unit = 0
        while value >= 1024 and unit < len(UNITS) - 1:
            value, unit = value / 1024, unit + 1
        return f"{value:.1f}".removesuffix(".0") + UNITS[unit]
    return f"{value:g}"


# --- in words


def in_words(found: Explanation, now: datetime) -> list[str]:
    head = f"{found.kind} {found.namespace}/{found.name}"
    lines = [f"{click.style(head, bold=True)}  {click.style(found.state, fg=COLOURS[found.state])}"]
    lines += [f"  {found.why}", *[f"  {note}" for note in found.notes]]
    if found.place is not None:
        lines += ["", *_place(found.place)]
    if found.amounts:
        lines += ["", *_amounts(found.amounts)]
    for kind in found.pod_kinds:
        lines += ["", *_nodes(kind)]
    if found.room is not None:
        lines += ["", *_room(found.room)]
    if found.start is not None:
        lines += ["", *_start(found.start, now, makes_room=found.room is not None and found.room.made)]
    return lines


def _place(place: Place) -> list[str]:
    where = f" in queue {place.queue}" if place.queue else " of the pods that are of no gang"
    line = f"Place: {place.at} of {place.of}{where}"
    if place.before:
        named = ", ".join(f"{one.name} (priority {one.priority})" for one in place.before)
        more = place.at - 1 - len(place.before)
        line += f", after {named}" + (f" and {more} more" if more else "")
    lines = [line]
    if place.queues_before:
        lines.append(f"  queues whose turn comes first: {', '.join(place.queues_before)}")
    return lines


def _amounts(amounts: Sequence[Amount]) -> list[str]:
    head = ["RESOURCE", "ASKED", "FREE", "TOTAL", "A POD", "MOST ON A NODE", ""]
    rows = [
        [
            one.resource,
            *(amount(one.resource, value) for value in (one.asked, one.free, one.total, one.a_pod, one.most)),
            "short" if one.lacks else "",
        ]
        for one in amounts
    ]
    return [line.rstrip() for line in render_table([head, *rows], {"short": "red"})]


def _nodes(kind: PodKind) -> list[str]:
    asks = ", ".join(f"{name} {amount(name, value)}" for name, value in kind.asks.items()) or "nothing"
    role = f" of role {kind.role}" if kind.role else ""
    many = f"{kind.pods} pod{'s' if kind.pods != 1 else ''}{role}"
    return [f"Nodes, for {many} that ask{'s' if kind.pods == 1 else ''} for {asks}:", *map(_group, kind.groups)]


def _group(group: NodeGroup) -> str:
    names = ", ".join(group.names) + (", …" if group.nodes > len(group.names) else "")
    says = ", ".join(map(node_cause, group.causes)) or f"room for {group.room} pod{'s' if group.room != 1 else ''}"
    return f"  {group.nodes} ({names}): {says}"


def _room(room: Room) -> list[str]:
    if not room.endings:
        return [f"What would have to end: {room.why}"]
    head = "The scheduler preempts these in its next cycle:" if room.made else "What would have to end, at least:"
    left = len(room.endings) - SHOWN
    return [head, *map(_ending, room.endings[:SHOWN]), *([f"  and {left} more"] if left > 0 else [])]


def _ending(one: Ending) -> str:
    queue = f", queue {one.queue}" if one.queue else ""
    nodes = f" on {', '.join(one.nodes)}" if one.nodes else ""
    if one.kind == "pod":
        return f"  pod {one.name} (priority {one.priority}){nodes}"
    return f"  {one.name}: {one.pods} of its {one.of} pods{nodes} (priority {one.priority}{queue})"


def _start(start: Start, now: datetime, *, makes_room: bool) -> list[str]:
    if start.after is None:
        lines = [f"Earliest start: not known{f': {start.why}' if start.why else ''}."]
    elif start.after < 1 and makes_room:
        lines = ["Earliest start: as soon as these pods have terminated."]
    elif start.after < 1:
        lines = ["Earliest start: now."]
    else:
        by = ", for which nodes are kept for it" if start.by == BY_RESERVATION else ""
        lines = [f"Earliest start: in {format_duration(start.after)}, at {format_time(now, start.after)}{by}."]
    if start.assumptions:
        lines += ["Assumptions about running and waiting pods:", *[f"  {one}" for one in start.assumptions]]
    return lines


# --- as JSON


def as_json(found: Explanation, now: datetime) -> dict[str, Any]:
    """Under names as Kubernetes has them; amounts as one would write them."""
    start = found.start
    return {
        "kind": found.kind,
        "namespace": found.namespace,
        "name": found.name,
        "state": found.state,
        "why": found.why,
        "reason": reasons.as_json(found.reason) if found.reason is not None else None,
        "notes": list(found.notes),
        "place": _camel(asdict(found.place)) if found.place is not None else None,
        "resources": [_amount_as_json(one) for one in found.amounts],
        "pods": [_kind_as_json(one) for one in found.pod_kinds],
        "wouldHaveToEnd": _room_as_json(found.room) if found.room is not None else None,
        "start": None
        if start is None
        else {
            "inSeconds": start.after,
            "at": format_time(now, start.after) if start.after is not None else None,
            "by": start.by,
            "nodes": start.nodes,
            "why": start.why,
            "assumptions": [str(one) for one in start.assumptions],
        },
    }


def _amount_as_json(one: Amount) -> dict[str, Any]:
    told = {"asked": one.asked, "free": one.free, "total": one.total, "pod": one.a_pod, "mostOnANode": one.most}
    return {
        "resource": one.resource,
        **{name: amount(one.resource, value) for name, value in told.items()},
        "short": one.lacks,
    }


def _kind_as_json(kind: PodKind) -> dict[str, Any]:
    asks = {name: amount(name, value) for name, value in kind.asks.items()}
    return {"role": kind.role, "count": kind.pods, "asks": asks, "nodes": list(map(_group_as_json, kind.groups))}


def _group_as_json(group: NodeGroup) -> dict[str, Any]:
    return {
        "nodes": group.nodes,
        "names": list(group.names),
        "reasons": list(map(node_cause, group.causes)),
        "causes": [to_builtins(cause) for cause in group.causes],
        "room": group.room,
    }


def _room_as_json(room: Room) -> dict[str, Any]:
    reason = reasons.as_json(room.reason) if room.reason is not None else None
    endings = [_camel(asdict(one)) for one in room.endings]
    return {"endings": endings, "made": room.made, "why": room.why, "reason": reason}


def _camel(given: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in given.items():
        first, *rest = name.split("_")
        nested = [_camel(one) if isinstance(one, dict) else one for one in value] if isinstance(value, tuple) else value
        found[first + "".join(word.title() for word in rest)] = nested
    return found
