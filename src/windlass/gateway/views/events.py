"""Events by their object, and their rows. Pure."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from windlass.apis.core_v1 import Event
from windlass.gateway.views.parts import EventRow, ObjectRef
from windlass.gateway.views.reading import namespace_of, text, time_text, typed, whole
from windlass.kube.json import Object, dig, dig_object

MAX_EVENTS = 200
Events = Callable[[str, str], Sequence[Event]]
"""The events of the object of a namespace and name."""


def event_rows(events: Iterable[Object], uids: Collection[str] | None = None) -> tuple[EventRow, ...]:
    """The newest first; only those about objects with these uids, where they are given."""
    rows = [event_row(event) for event in events if uids is None or text(dig(event, "involvedObject", "uid")) in uids]
    rows.sort(key=lambda row: row.last, reverse=True)
    return tuple(rows[:MAX_EVENTS])


def event_row(event: Object) -> EventRow:
    about = dig_object(event, "involvedObject")
    created = dig(event, "metadata", "creationTimestamp")
    last = dig(event, "series", "lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or created
    return EventRow(
        object=ObjectRef(
            api_version=text(about.get("apiVersion")),
            kind=text(about.get("kind")),
            namespace=text(about.get("namespace")),
            name=text(about.get("name")),
            uid=text(about.get("uid")),
        ),
        type=text(event.get("type")) or "Normal",
        reason=text(event.get("reason")),
        message=text(event.get("message")),
        count=max(1, whole(event.get("count")), whole(dig(event, "series", "count"))),
        first=time_text(event.get("firstTimestamp") or event.get("eventTime") or created) or "",
        last=time_text(last) or "",
        source=text(dig(event, "source", "component")) or text(event.get("reportingComponent")),
    )


def events_about(events: Iterable[Object], kind: str) -> Events:
    """Events of one kind of object, by namespace and name."""
    by_object: defaultdict[tuple[str, str], list[Event]] = defaultdict(list)
    for obj in events:
        if dig(obj, "involvedObject", "kind") == kind and (event := typed(obj, Event)) is not None:
            by_object[namespace_of(obj), event.involved_object.name].append(event)
    return lambda namespace, name: by_object.get((namespace, name), ())
