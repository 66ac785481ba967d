"""The phase of a Tensorboard, and why it shows nothing. Pure."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from windlass.apis.core_v1 import Event
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.apps.tensorboards.kinds import Tensorboard, claim_of
from windlass.apps.tensorboards.names import CLAIM_NOT_FOUND, FAILED_CREATE, FAILED_SCHEDULING, NO_EVENT_FILES
from windlass.gateway.proxy.entrances.state import OPEN, EntranceState
from windlass.gateway.webapps.event_times import event_time, newest_warning
from windlass.gateway.webapps.phases import status
from windlass.kube.json import Object, dig
from windlass.kube.meta import parse_time

STARTING = "Starting"
RECENT = timedelta(minutes=2)
"""For as long an event says something about a server that runs: its controller repeats it while it holds."""


def board_status(
    board: Tensorboard,
    claims: Collection[str] | None,
    events: Sequence[Event],
    now: datetime,
    entrance: EntranceState = OPEN,
) -> Object:
    """`claims` are the names of the namespace's claims, None where they are not known; `events` are the board's.

    `entrance`: what the proxy knows of the board's address.
    """
    if board.metadata.deletion_timestamp is not None:
        return status("terminating", "Deleting")
    if entrance.conflict:
        return status("warning", entrance.conflict, NAME_CONFLICT)
    warning = newest_warning(events, board.metadata.creation_timestamp)
    if board.status.ready_replicas == 1 and entrance.has_address:
        if warning is not None and warning.reason == NO_EVENT_FILES and now - event_time(warning) <= RECENT:
            return status("ready", warning.message, warning.reason)
        return status("ready", "Running")
    claim = claim_of(board.spec.logspath)
    if claim and claims is not None and claim not in claims:
        return status("unavailable", f"The volume {claim} does not exist", CLAIM_NOT_FOUND)
    if warning is not None and warning.reason == NAME_CONFLICT:
        return status("warning", f"{warning.reason}: {warning.message}", warning.reason)
    if warning is not None and not (warning.reason == CLAIM_NOT_FOUND and claims is not None):
        return status("unavailable", f"{warning.reason}: {warning.message}", warning.reason)
    return status("unavailable", STARTING)


def is_over(event: Event, pod: Object | None) -> bool:
    """Whether the board's pod shows that the event does not hold any more: it was made, or has a node."""
    if pod is None:
        return False
    if event.reason == FAILED_SCHEDULING:
        return bool(dig(pod, "spec", "nodeName"))
    created = dig(pod, "metadata", "creationTimestamp")
    return event.reason == FAILED_CREATE and bool(created) and event_time(event) <= parse_time(str(created))
