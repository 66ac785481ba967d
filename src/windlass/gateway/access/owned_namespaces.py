"""Namespaces that belong to a user."""

from windlass.gateway.context import GatewayContext
from windlass.gateway.contributions import all_contributions
from windlass.gateway.request import Identity


async def owned_namespaces(context: GatewayContext, identity: Identity) -> list[str]:
    """Return the names, sorted."""
    owners = [each.owned_namespaces for each in all_contributions() if each.owned_namespaces is not None]
    return sorted({name for owned in owners for name in await owned(context, identity)})
