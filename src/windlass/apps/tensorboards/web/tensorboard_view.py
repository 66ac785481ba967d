"""The view `tensorboards`: rows as the web app's REST list has them, and more."""

from windlass.gateway.views.parts import Usage, View, Why
from windlass.gateway.webapps.phases import PhaseStatus


class TensorboardRow(View):
    """A TensorBoard."""

    name: str
    namespace: str
    uid: str
    logspath: str
    claim: str
    """The claim that it reads; empty for object stores."""
    age: str | None
    """When it was created."""
    status: PhaseStatus
    link: str
    """The address of the server behind the gateway."""
    usage: Usage
    why: Why | None


class TensorboardsView(View):
    """Topic `tensorboards {namespace}`."""

    rows: tuple[TensorboardRow, ...]
