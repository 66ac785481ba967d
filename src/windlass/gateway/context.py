"""What every route group of the gateway is given."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlass.gateway.request import Identity
from windlass.gateway.settings import GatewaySettings

if TYPE_CHECKING:
    from windlass.kube.client import Client


@dataclass(frozen=True, kw_only=True)
class GatewayContext:
    settings: GatewaySettings
    client: "Client"
    """The API with the gateway's own rights: watches, access reviews. For a person's requests use `client_of`."""

    def client_of(self, identity: Identity) -> "Client":
        """The API with the rights of the person: RBAC, quotas and the audit log see them, not the gateway."""
        return self.client.impersonating(identity.user, identity.groups)
