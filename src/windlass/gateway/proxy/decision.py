"""The decision on one request: where it goes, and by whose right."""

from dataclasses import dataclass

from windlass.apis.access import Access
from windlass.gateway.access.policies import PolicyRequest
from windlass.gateway.proxy.routing.routes import Route
from windlass.gateway.request import Identity


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a request goes, and by whose right."""

    path: str
    """Normalised."""
    route: Route
    identity: Identity
    access: Access | None
    asked: PolicyRequest | None = None
    """What policies decide on; None where there are none."""

    @property
    def name(self) -> str:
        """The object that answers, for messages."""
        return f"{self.access.namespace}/{self.access.name}" if self.access is not None else str(self.route.owner)
