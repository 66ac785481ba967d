"""Which namespaces' objects of a kind a user may follow, by access reviews of `list` and `watch`."""

import asyncio

from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.gateway.webapps.namespaces import visible_namespaces
from windlass.kube.errors import Forbidden
from windlass.kube.kind import Kind

VERBS = ("list", "watch")


async def followed_namespaces(
    context: GatewayContext, identity: Identity, kind: Kind, namespace: str, name: str
) -> tuple[str, ...]:
    """The namespaces to follow, with `("",)` for all of them; raises Forbidden.

    Who may not follow a kind in all namespaces gets those where they may, be it none.
    """
    where = namespace if kind.namespaced else ""
    if await _may_follow(context, identity, kind, where, name):
        return (where,)
    if kind.namespaced and not namespace:
        listed = await visible_namespaces(context, identity, kind.group, kind.plural)
        allowed = await asyncio.gather(*(_may_follow(context, identity, kind, each, name) for each in listed))
        return tuple(each for each, is_allowed in zip(listed, allowed, strict=True) if is_allowed)
    place = f' in the namespace "{namespace}"' if kind.namespaced else " at the cluster scope"
    raise Forbidden(
        f'{kind.group_resource} is forbidden: User "{identity.user}" cannot list and watch resource "{kind.plural}" '
        f'in API group "{kind.group}"{place}'
    )


async def _may_follow(context: GatewayContext, identity: Identity, kind: Kind, namespace: str, name: str) -> bool:
    for verb in VERBS:
        if not await context.proxy.reviews.allows(identity, Access(verb, kind.group, kind.plural, namespace, name)):
            return False
    return True
