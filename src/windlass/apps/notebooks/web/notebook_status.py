"""The phase of a notebook: the first test that holds decides."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from windlass.apis.core_v1 import Event
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import STARTED_AT, STOPPED
from windlass.gateway.proxy.entrances.state import OPEN, EntranceState
from windlass.gateway.webapps.event_times import newest_warning
from windlass.gateway.webapps.phases import status
from windlass.kube.json import Object, dig
from windlass.kube.meta import parse_time

NEW_FOR = timedelta(seconds=10)
STARTS_WITHIN = timedelta(minutes=2)
"""For so long a container that runs may have a server that takes no connections yet."""
SERVER_STARTS = "The server is starting"
_STARTING = frozenset({"PodInitializing", "ContainerCreating"})


def notebook_status(
    notebook: Notebook, events: Sequence[Event], now: datetime, entrance: EntranceState = OPEN
) -> Object:
    """`events` are those of the Notebook, in any order; `entrance`: what the proxy knows of its address."""
    metadata, observed = notebook.metadata, notebook.status
    since = started_at(notebook)
    if not observed.container_state and not observed.conditions and (since is None or now - since <= NEW_FOR):
        return status("waiting", "Waiting for the pod to be created")
    if STOPPED in metadata.annotations:
        if not observed.ready_replicas:
            return status("stopped", "No pod is running")
        return status("waiting", "Stopping")
    if metadata.deletion_timestamp is not None:
        return status("terminating", "Deleting")
    if entrance.conflict:
        return status("warning", entrance.conflict, NAME_CONFLICT)
    if observed.ready_replicas == 1:
        return status("ready", "Running") if entrance.has_address else status("waiting", SERVER_STARTS)
    return _not_ready(notebook, events, now)


def started_at(notebook: Notebook) -> datetime | None:
    """When the server was started last: created, or started again after it was stopped."""
    created, annotations = notebook.metadata.creation_timestamp, notebook.metadata.annotations
    times = (_time(created), _time(annotations.get(STARTED_AT)))
    return max((time for time in times if time is not None), default=None)


def _time(text: Any) -> datetime | None:
    """Annotations are anyone's, so the text may be no time."""
    try:
        return parse_time(str(text)).astimezone(UTC) if text else None
    except ValueError:
        return None


def _not_ready(notebook: Notebook, events: Sequence[Event], now: datetime) -> Object:
    waiting = dig(notebook.status.container_state, "waiting")
    if waiting is not None:
        reason = str(dig(waiting, "reason") or "")
        text = _sentence(reason, str(dig(waiting, "message") or ""))
        return status("waiting" if reason in _STARTING else "warning", text, reason)
    since = _time(dig(notebook.status.container_state, "running", "startedAt"))
    if since is not None and now - since <= STARTS_WITHIN:
        return status("waiting", SERVER_STARTS)
    for condition in notebook.status.conditions or ():
        if condition.reason:
            return status("warning", _sentence(condition.reason, condition.message), condition.reason)
    warning = newest_warning(events, notebook.metadata.creation_timestamp)
    if warning is not None:
        return status("warning", warning.message, warning.reason)
    changes = (_time(condition.last_transition_time) for condition in notebook.status.conditions or ())
    if any(now - change <= NEW_FOR for change in changes if change is not None):
        return status("waiting", "Waiting for the container to start")
    return status("warning", "Nothing is known about the pod yet")


def _sentence(reason: str, message: str) -> str:
    return f"{reason}: {message}" if message else reason
