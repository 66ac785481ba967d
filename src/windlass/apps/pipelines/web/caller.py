"""The caller of the pipelines API, from the identity that the gateway has proven."""

from dataclasses import dataclass

from windlass.apps.profiles.web.directory import all_profiles
from windlass.apps.profiles.web.memberships import is_in_bin, is_owner
from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.kube.client import Client
from windlass.kube.errors import NotFound


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
        try:
            profiles = await all_profiles(self.context)
        except NotFound:  # the kind is not served
            return []
        return sorted(
            profile.metadata.name for profile in profiles if is_owner(profile, self.identity) and not is_in_bin(profile)
        )
