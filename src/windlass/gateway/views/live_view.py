"""A view that pages follow: what it needs, and how it is computed. `topics` and `routes` drive it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from windlass.gateway.request import Identity
from windlass.gateway.views.parts import View
from windlass.kube.errors import BadRequest
from windlass.kube.kind import Kind
from windlass.kube.names import dns_label_errors

if TYPE_CHECKING:
    from windlass.gateway.views.inputs import Inputs, Want
    from windlass.gateway.views.services import ViewServices

DISCOVERY_AGE = timedelta(minutes=1)


class ViewParams(View, forbid_unknown_fields=True):
    """What a page says of a view."""

    def check(self) -> None:
        """Raises BadRequest, which names the field."""


class NoParams(ViewParams, forbid_unknown_fields=True):
    """Of views of the whole cluster."""


class NamespaceParams(ViewParams, forbid_unknown_fields=True):
    namespace: str = ""
    """Empty for all that the user may list."""

    def check(self) -> None:
        """Raises BadRequest, which names the field."""
        if self.namespace and (errors := dns_label_errors(self.namespace)):
            raise BadRequest(f"namespace: {errors[0]}")


class TreeParams(ViewParams, forbid_unknown_fields=True):
    version: str
    resource: str
    name: str
    group: str = ""
    namespace: str = ""

    def check(self) -> None:
        """Raises BadRequest, which names the field."""
        if self.namespace and (errors := dns_label_errors(self.namespace)):
            raise BadRequest(f"namespace: {errors[0]}")
        if not self.name or "/" in self.name:
            raise BadRequest("name: must be the name of an object")


class LiveView:
    """One computed topic. Subclasses say what they need; nothing here keeps state."""

    name: ClassVar[str]
    params: ClassVar[type[ViewParams]]
    value: type[View]
    """The struct that is computed."""
    tick: ClassVar[timedelta | None] = None
    """Computed again after so long even if no object has changed: use, forecasts, what a server says."""
    admin_only: ClassVar[bool] = False
    is_personal: ClassVar[bool] = False
    """Computed for each user, not for all with the same rights."""
    discovery_age: ClassVar[timedelta] = DISCOVERY_AGE
    """How old the list of served kinds may be."""
    reads_logs: ClassVar[bool] = False
    """Whether the view shows something of logs, to those who may read them."""

    def wants(self, params: Any, served: Sequence[Kind]) -> "list[Want]":
        raise NotImplementedError

    async def compute(
        self, services: "ViewServices", inputs: "Inputs", params: Any, served: Sequence[Kind], user: Identity
    ) -> View:
        raise NotImplementedError
