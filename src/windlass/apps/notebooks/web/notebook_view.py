"""The view `notebooks`: rows as the web app's REST list has them, and more."""

from typing import Any

import msgspec

from windlass.gateway.views.parts import Seconds, Time, Usage, View, Why
from windlass.gateway.webapps.phases import PhaseStatus


class Gpus(View):
    """GPUs of a notebook over all vendors."""

    count: int
    message: str


class NotebookRow(View):
    """A notebook server."""

    name: str
    namespace: str
    uid: str
    server_type: str
    age: str | None
    """When it was created."""
    last_activity: str = msgspec.field(name="last_activity")
    image: str
    short_image: str
    cpu: str
    memory: str
    gpus: Gpus
    volumes: tuple[str, ...]
    """Names of its volumes, as the web app's list has them."""
    claims: tuple[str, ...]
    """Names of the claims that it mounts."""
    status: PhaseStatus
    link: str
    """The address of the server behind the gateway."""
    pod: str
    node: str
    stops_in_seconds: Seconds | None
    """Until an idle server is stopped; None where it is not going to be."""
    idle_seconds: Seconds | None
    usage: Usage
    why: Why | None
    metadata: dict[str, Any]
    """Name, namespace, uid, labels and annotations, as the web app's list has them."""


class NotebooksView(View):
    """Topic `notebooks {namespace}`."""

    rows: tuple[NotebookRow, ...]


class RecentFile(View):
    """A notebook file that was changed lately."""

    server: str
    path: str
    name: str
    modified: Time
    link: str
