"""Rows of events, grouped and sorted. Pure."""

from collections.abc import Collection, Iterable

from windlass.gateway.views.parts import EventRow, ObjectRef
from windlass.gateway.views.reading import text, time_text, whole
from windlass.kube.json import Object, dig, dig_object

MAX_EVENTS = 200


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
