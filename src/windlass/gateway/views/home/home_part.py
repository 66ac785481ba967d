"""What an app adds to the home page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from windlass.gateway.request import Identity
from windlass.gateway.views.home.home_view import AttentionItem
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.parts import View
from windlass.gateway.views.services import ViewServices
from windlass.kube.kind import Kind

Fields = Mapping[str, type[View]]
"""Fields of `HomeView` that are tuples of these structs."""


@dataclass(frozen=True, kw_only=True)
class HomeRows:
    """What a part shows."""

    fields: Mapping[str, Sequence[View]] = field(default_factory=dict[str, Sequence[View]])
    """Values of all fields of the part."""
    unwell: Sequence[AttentionItem] = ()
    """Objects that are not well by their own state; their warnings are counted later."""


class HomePart:
    """An app's part of the home page. Subclasses say what they need; nothing here keeps state."""

    rows: ClassVar[Fields] = {}
    """Fields of what runs or waits now."""
    recent: ClassVar[Fields] = {}
    """Fields of recent work."""

    def kinds(self, served: Sequence[Kind]) -> list[Kind]:
        """Kinds that the part is about: warnings about an object that is gone need no attention."""
        raise NotImplementedError

    def wants(self, namespace: str, served: Sequence[Kind]) -> list[Want]:
        return [Want(kind, namespace) for kind in self.kinds(served) if kind in served]

    async def compute(
        self, services: ViewServices, inputs: Inputs, served: Sequence[Kind], user: Identity, now: datetime
    ) -> HomeRows:
        raise NotImplementedError
