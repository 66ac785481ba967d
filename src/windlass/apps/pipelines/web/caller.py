"""The caller of the pipelines API, from the identity that the gateway has proven."""

from dataclasses import dataclass

from windlass.apis.access import Access
from windlass.gateway.access.owned_namespaces import owned_namespaces
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.kube.client import Client


@dataclass(frozen=True)
class GatewayCaller:
    context: GatewayContext
    identity: Identity

    @property
    def user(self) -> str:
        return self.identity.user

    @property
    def client(self) -> Client:
        return self.context.client_of(self.identity)

    async def allows(self, verb: str, group: str, resource: str, namespace: str, name: str = "") -> bool:
        return await self.context.proxy.reviews.allows(self.identity, Access(verb, group, resource, namespace, name))

    async def own_namespaces(self) -> list[str]:
        if self.identity.is_service_account:
            return [self.identity.user.split(":")[2]]
        return await owned_namespaces(self.context, self.identity)
