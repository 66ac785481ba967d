"""The view `volumes`: rows as the web app's REST list has them, and more."""

import msgspec

from windlass.gateway.views.parts import ObjectRef, Time, View, Why
from windlass.gateway.webapps.phases import Phase, PhaseStatus


class Viewer(View):
    """The file browser of a claim."""

    status: Phase
    url: str | None


class VolumeRow(View):
    """A claim."""

    name: str
    namespace: str
    uid: str
    status: PhaseStatus
    age: str | None
    """When it was created."""
    capacity: str
    capacity_bytes: float
    modes: tuple[str, ...]
    class_: str | None = msgspec.field(name="class")
    notebooks: tuple[str, ...]
    viewer: Viewer
    used_bytes: float | None
    """None where nothing measures it."""
    used_at: Time | None
    """When it was measured."""
    consumers: tuple[ObjectRef, ...]
    """What uses it: pods, notebooks, TensorBoards and jobs; not what belongs to another one of them."""
    is_orphan: bool
    """Bound, and nothing uses it."""
    why: Why | None


class VolumesView(View):
    """Topic `volumes {namespace}`."""

    rows: tuple[VolumeRow, ...]
