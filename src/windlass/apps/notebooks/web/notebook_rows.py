"""Rows of notebooks: what the web app's list has, and use, idle time and reasons. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from windlass.apps.notebooks.culling import idle_limit, moment
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import LAST_ACTIVITY, LAST_CHECK, NOTEBOOK_LABEL, STOPPED, prefix
from windlass.apps.notebooks.options import Options
from windlass.apps.notebooks.web.notebook_view import NotebookRow, NotebooksView
from windlass.apps.notebooks.web.rows import row as list_row
from windlass.gateway.proxy.entrances.state import EntranceStates, all_open
from windlass.gateway.views.claims import claims_in
from windlass.gateway.views.events import Events
from windlass.gateway.views.parts import NO_USAGE, Usage
from windlass.gateway.views.reading import labels_of, name_of, namespace_of, text, typed
from windlass.gateway.views.whys import status_why
from windlass.gateway.webapps.phases import PhaseStatus
from windlass.kube.json import Object, dig
from windlass.kube.meta import Key


def notebooks_view(
    notebooks: Iterable[Object],
    pods: Iterable[Object],
    events: Events,
    usage: Mapping[str, Usage],
    vendors: Sequence[Object],
    options: Options,
    now: datetime,
    entrances: EntranceStates = all_open,
) -> NotebooksView:
    """`usage` is by the uid of a pod; `vendors` are the spawner configuration's."""
    own = {(namespace_of(pod), labels_of(pod).get(NOTEBOOK_LABEL)): pod for pod in pods}
    rows: list[NotebookRow] = []
    for obj in notebooks:
        notebook = typed(obj, Notebook)
        if notebook is not None:
            pod = own.get((notebook.metadata.namespace, notebook.metadata.name))
            rows.append(notebook_row(notebook, pod, events, usage, vendors, options, now, entrances))
    return NotebooksView(rows=tuple(sorted(rows, key=lambda row: (row.namespace, row.name))))


def notebook_row(
    notebook: Notebook,
    pod: Object | None,
    events: Events,
    usage: Mapping[str, Usage],
    vendors: Sequence[Object],
    options: Options,
    now: datetime,
    entrances: EntranceStates = all_open,
) -> NotebookRow:
    metadata = notebook.metadata
    entrance = entrances(metadata.namespace, metadata.name)
    listed = list_row(notebook, events(metadata.namespace, metadata.name), vendors, now, entrance)
    idle, stops = idleness(notebook, options, now)
    status = msgspec.convert(listed["status"], PhaseStatus)
    return msgspec.convert(
        {
            **listed,
            "uid": metadata.uid,
            "claims": sorted(set(claims_in(notebook.spec.template.spec))),
            "status": status,
            "link": f"{prefix(Key(metadata.namespace, metadata.name))}/",
            "pod": name_of(pod),
            "node": text(dig(pod, "spec", "nodeName")),
            "stopsInSeconds": stops,
            "idleSeconds": idle,
            "usage": usage.get(text(dig(pod, "metadata", "uid")), NO_USAGE),
            "why": status_why(status, pod),
        },
        NotebookRow,
    )


def idleness(notebook: Notebook, options: Options, now: datetime) -> tuple[float | None, float | None]:
    """For how long a server has been idle, and in how long it is stopped for that; None where nobody counts."""
    annotations = notebook.metadata.annotations
    active = moment(annotations, LAST_ACTIVITY)
    if active is None or STOPPED in annotations:
        return None, None
    idle = max(0.0, (now - active).total_seconds())
    limit = idle_limit(notebook, options) if LAST_CHECK in annotations else None
    return idle, max(0.0, limit.total_seconds() - idle) if limit is not None else None
