"""Rows of TensorBoards: what the web app's list has, and use and reasons. Pure."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from urllib.parse import quote

import msgspec

from windlass.apps.tensorboards.kinds import Tensorboard, claim_of
from windlass.apps.tensorboards.names import APP_LABEL, CLAIM_NOT_FOUND
from windlass.apps.tensorboards.web.board_status import STARTING, board_status, is_over
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardRow, TensorboardsView
from windlass.gateway.proxy.entrances.state import EntranceStates, all_open
from windlass.gateway.views.events import Events
from windlass.gateway.views.parts import NO_USAGE, Usage, Why
from windlass.gateway.views.reading import labels_of, namespace_of, text, typed
from windlass.gateway.views.whys import plain_why, pod_why, status_why
from windlass.gateway.webapps.phases import PhaseStatus
from windlass.kube.json import Object, dig


def tensorboards_view(
    boards: Iterable[Object],
    pods: Iterable[Object],
    claims: Collection[tuple[str, str]] | None,
    events: Events,
    usage: Mapping[str, Usage],
    now: datetime,
    entrances: EntranceStates = all_open,
) -> TensorboardsView:
    """`claims` are namespaces and names of those that exist; None where the user may not list them."""
    own = {(namespace_of(pod), labels_of(pod).get(APP_LABEL)): pod for pod in pods}
    rows: list[TensorboardRow] = []
    for obj in boards:
        board = typed(obj, Tensorboard)
        if board is not None:
            pod = own.get((board.metadata.namespace, board.metadata.name))
            rows.append(_row(board, pod, claims, events, usage, now, entrances))
    return TensorboardsView(rows=tuple(sorted(rows, key=lambda row: (row.namespace, row.name))))


def _row(
    board: Tensorboard,
    pod: Object | None,
    claims: Collection[tuple[str, str]] | None,
    events: Events,
    usage: Mapping[str, Usage],
    now: datetime,
    entrances: EntranceStates,
) -> TensorboardRow:
    metadata = board.metadata
    known = None if claims is None else {name for namespace, name in claims if namespace == metadata.namespace}
    entrance = entrances(metadata.namespace, metadata.name)
    holding = [event for event in events(metadata.namespace, metadata.name) if not is_over(event, pod)]
    shown = board_status(board, known, holding, now, entrance)
    status = msgspec.convert(shown, PhaseStatus)
    return TensorboardRow(
        name=metadata.name,
        namespace=metadata.namespace,
        uid=metadata.uid,
        logspath=board.spec.logspath,
        claim=claim_of(board.spec.logspath),
        age=metadata.creation_timestamp,
        status=status,
        link=f"/tensorboard/{quote(metadata.namespace)}/{quote(metadata.name)}/",
        usage=usage.get(text(dig(pod, "metadata", "uid")), NO_USAGE),
        why=_why(status, pod),
    )


def _why(status: PhaseStatus, pod: Object | None) -> Why | None:
    """A claim that does not exist is the reason, whatever the scheduler says of the pod that waits for it."""
    if status.state == CLAIM_NOT_FOUND:
        return plain_why(status.state, status.message)
    if status.message == STARTING:
        return pod_why(pod) if pod is not None else None
    return status_why(status, pod)
