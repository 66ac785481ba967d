"""Who administers the cluster."""

from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity

_ADMINISTERING = Access("update", KUBEFLOW_GROUP, "profiles", "")


async def is_cluster_admin(context: GatewayContext, identity: Identity) -> bool:
    """Whether RBAC lets the user change every profile."""
    return await context.proxy.reviews.allows(identity, _ADMINISTERING)


async def may_see_cluster(context: GatewayContext, identity: Identity) -> bool:
    """Whether the user sees the health of every part, all users and their sessions. Changing them is another right."""
    return identity.has_machine_view or await is_cluster_admin(context, identity)
