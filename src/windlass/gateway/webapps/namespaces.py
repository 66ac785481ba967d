"""The namespaces in which a user may use a web app. Others are not named."""

import asyncio
from collections.abc import Iterable

from windlass.apis.core_v1 import Namespace
from windlass.apis.rbac_v1 import RoleBinding, Subject
from windlass.apis.wellknown import PART_OF_LABEL, PROFILE_VALUE
from windlass.gateway.access.reviews import AUTHENTICATED, Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.kube.client import Client
from windlass.kube.view import metadata_only

SERVICE_ACCOUNT_USER = "system:serviceaccount:"


async def visible_namespaces(context: GatewayContext, identity: Identity, group: str, resource: str) -> list[str]:
    """Where the user may list that resource. Only the namespaces that bind them to a role are asked about."""
    reviews = context.proxy.reviews
    names = [each.metadata.name for each in (await context.client.list(metadata_only(Namespace))).items]
    if not await reviews.allows(identity, Access("list", group, resource, "")):
        bindings = (await context.client.list(RoleBinding)).items
        bound = {each.metadata.namespace for each in bindings if binds(each.subjects, identity)}
        names = [name for name in names if name in bound]
        allowed = await asyncio.gather(
            *(reviews.allows(identity, Access("list", group, resource, name)) for name in names)
        )
        names = [name for name, is_allowed in zip(names, allowed, strict=True) if is_allowed]
    return sorted(names)


async def is_profile(own_client: Client, namespace: str) -> bool:
    """Whether a profile's rules hold in a namespace. The gateway reads its labels by its own rights."""
    labels = (await own_client.get(metadata_only(Namespace), namespace)).metadata.labels
    return labels.get(PART_OF_LABEL) == PROFILE_VALUE


def binds(subjects: Iterable[Subject], identity: Identity) -> bool:
    """Whether one of the subjects may be this identity; a review decides."""
    groups = {*identity.groups, AUTHENTICATED}
    for subject in subjects:
        if subject.kind == "Group" and (subject.name in groups or identity.is_service_account):
            return True
        if subject.kind == "User" and subject.name == identity.user:
            return True
        account = f"{SERVICE_ACCOUNT_USER}{subject.namespace}:{subject.name}"
        if subject.kind == "ServiceAccount" and account == identity.user:
            return True
    return False
