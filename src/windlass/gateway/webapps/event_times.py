"""When events happened, and the newest one that warns."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from windlass.apis.core_v1 import Event
from windlass.kube.meta import Time, parse_time

OLDEST = datetime.min.replace(tzinfo=UTC)


_READINESS = re.compile(r"(Reissued from [^:]+: )?Readiness probe ")
"""Kubernetes has one reason for all probes; its message names the probe."""


def event_time(event: Event) -> datetime:
    """When the event happened last."""
    times = (event.last_timestamp, event.event_time, event.first_timestamp, event.metadata.creation_timestamp)
    return next((parse_time(time) for time in times if time), OLDEST)


def newest_event(events: Sequence[Event], since: Time | None) -> Event | None:
    """The newest one; older ones than the object are of another object that had its name."""
    created = parse_time(since) if since else OLDEST
    return max((event for event in events if event_time(event) >= created), key=event_time, default=None)


def newest_warning(events: Sequence[Event], since: Time | None) -> Event | None:
    """The newest that says more than that a server takes no connections yet."""
    warnings = [event for event in events if event.type == "Warning" and not is_of_start(event.reason, event.message)]
    return newest_event(warnings, since)


def is_of_start(reason: str, message: str) -> bool:
    """Whether an event is a failed check of readiness, which every server has until it takes connections.

    It may be the pod's own or its repetition on the object that the pod belongs to.
    """
    return reason == "Unhealthy" and _READINESS.match(message) is not None
