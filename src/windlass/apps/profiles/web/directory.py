"""Read and change who belongs to which profile, on behalf of a signed-in user.

Profiles are cluster-scoped, so users have no rights on them: the gateway writes them itself, after it has checked that
the user owns the profile or is a cluster administrator. Bindings are written in the user's name.
"""

import json
from datetime import UTC, datetime
from typing import Any

from windlass.apis.rbac_v1 import RoleBinding, RoleRef, Subject
from windlass.apis.wellknown import RBAC_GROUP
from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.names import (
    CONTRIBUTORS,
    DELETED_AT,
    DELETED_BY,
    ROLE_ANNOTATION,
    ROLES,
    USER_ANNOTATION,
    binding_name,
    cluster_role,
    name_problem,
    unique_binding_name,
)
from windlass.apps.profiles.web.memberships import Membership, is_in_bin, is_owner, memberships
from windlass.apps.profiles.web.new_profiles import for_administrators
from windlass.gateway.access.administrators import is_cluster_admin
from windlass.gateway.context import GatewayContext
from windlass.gateway.identity import emails
from windlass.gateway.request import Identity
from windlass.kube.errors import AlreadyExists, BadRequest, Forbidden, NotFound
from windlass.kube.json import Object, is_object, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta

_PROFILES, _BINDINGS = KINDS.of(Profile), KINDS.of(RoleBinding)


async def all_profiles(context: GatewayContext) -> list[Profile]:
    return (await context.client.list(Profile)).items


async def owned_namespaces(context: GatewayContext, identity: Identity) -> list[str]:
    """Namespaces of the profiles that are the user's and in no recycle bin; none where the kind is not served."""
    try:
        profiles = await all_profiles(context)
    except NotFound:
        return []
    return [each.metadata.name for each in profiles if is_owner(each, identity) and not is_in_bin(each)]


async def all_memberships(context: GatewayContext) -> list[Membership]:
    bindings = (await context.client.list(RoleBinding)).items
    return memberships(bindings, await all_profiles(context))


async def owned_profile(context: GatewayContext, identity: Identity, name: str, *, binned: bool = False) -> Profile:
    """A profile that the user may change. Raises Forbidden also where there is none: its existence is not shown."""
    refusal = Forbidden(f"only the owner of {name} or a cluster administrator may do this")
    try:
        profile = await context.client.get(Profile, name)
    except NotFound as error:
        if await is_cluster_admin(context, identity):
            raise
        raise refusal from error
    if not is_owner(profile, identity) and not await is_cluster_admin(context, identity):
        raise refusal
    if is_in_bin(profile) and not binned:
        raise Forbidden(f"profile {name} is in the recycle bin; restore it first")
    return profile


# --- contributors


def checked(kind: str, user: str, role: str) -> tuple[str, str, str]:
    """Kind, name and role of a contributor. Raises BadRequest."""
    if role not in ROLES:
        raise BadRequest(f"role {role!r} is not one of {', '.join(ROLES)}")
    if kind == "User":
        user = emails.normalised(user) if "@" in user else user
        problem = emails.problem(user)
    elif kind == "Group":
        problem = emails.group_problem(user)
    else:
        raise BadRequest(f"user kind {kind!r} is not one of User, Group")
    if problem is not None:
        raise BadRequest(f"{user!r} cannot be shared with: {problem}")
    return kind, user, role


async def add(context: GatewayContext, identity: Identity, namespace: str, who: tuple[str, str, str]) -> None:
    """Bind a contributor. Raises Forbidden, and AlreadyExists if they have the role."""
    kind, user, role = who
    await owned_profile(context, identity, namespace)
    current = await all_memberships(context)
    if any((one.namespace, one.kind, one.user, one.role) == (namespace, *who) for one in current):
        raise AlreadyExists(f"{user} has the role {role} in {namespace} already")
    client = context.client_of(identity)
    try:
        await client.create(_binding(namespace, binding_name(*who), who), kind=_BINDINGS)
    except AlreadyExists:  # of another user whose name differs only in punctuation
        await client.create(_binding(namespace, unique_binding_name(*who), who), kind=_BINDINGS)
    context.audit.record("role.added", user=identity.user, namespace=namespace, subject=f"{kind}:{user}", role=role)


async def remove(context: GatewayContext, identity: Identity, namespace: str, who: tuple[str, str, str]) -> None:
    """Unbind a contributor. Raises Forbidden, and NotFound if they do not have the role."""
    kind, user, role = who
    profile = await owned_profile(context, identity, namespace)
    found = [
        one
        for one in await all_memberships(context)
        if (one.namespace, one.kind, one.user, one.role) == (namespace, *who) and not one.is_ownership
    ]
    if not found:
        raise NotFound(f"{user} does not have the role {role} in {namespace}")
    client = context.client_of(identity)
    for membership in found:
        if membership.is_from_annotation:
            await _remove_from_annotation(context, profile, kind, user)
        await client.delete(_BINDINGS, Key(namespace, membership.binding))
    context.audit.record("role.removed", user=identity.user, namespace=namespace, subject=f"{kind}:{user}", role=role)


async def _remove_from_annotation(context: GatewayContext, profile: Profile, kind: str, user: str) -> None:
    entries: Any = json.loads(profile.metadata.annotations.get(CONTRIBUTORS) or "[]")
    kept = [entry for entry in entries if _named(entry) != (kind, user)]
    patch = {
        "metadata": {
            "annotations": {CONTRIBUTORS: json.dumps(kept)},
            "resourceVersion": profile.metadata.resource_version,
        }
    }
    await context.client.patch(_PROFILES, profile.metadata.key, patch)


def _named(entry: Any) -> tuple[str, str]:
    if is_object(entry):
        return str(entry.get("kind", "User")), str(entry.get("name"))
    return "User", str(entry)


def _binding(namespace: str, name: str, who: tuple[str, str, str]) -> RoleBinding:
    kind, user, role = who
    return RoleBinding(
        metadata=ObjectMeta(name=name, namespace=namespace, annotations={USER_ANNOTATION: user, ROLE_ANNOTATION: role}),
        role_ref=RoleRef(api_group=RBAC_GROUP, kind="ClusterRole", name=cluster_role(role)),
        subjects=[Subject(kind=kind, name=user, api_group=RBAC_GROUP)],
    )


# --- profiles


async def create_profile(context: GatewayContext, identity: Identity, profile: Object) -> None:
    """Create what `profile_of` made.

    Raises Forbidden where registration is off, where the owner would be another or has a profile, and where someone
    who registers sets more than name and owner.
    """
    name, owner = profile["metadata"]["name"], profile["spec"]["owner"]
    if problem := name_problem(name):
        raise BadRequest(problem)
    if not await is_cluster_admin(context, identity):
        if not context.settings.registration_flow:
            raise Forbidden("registration is off; ask a cluster administrator for a profile")
        if (owner["kind"], owner["name"]) != ("User", identity.user):
            raise Forbidden("a new profile must be your own")
        if fields := for_administrators(profile):
            raise Forbidden(f"only a cluster administrator may set {', '.join(fields)}")
        if owned := [each for each in await all_profiles(context) if is_owner(each, identity)]:
            raise Forbidden(f"you own profile {owned[0].metadata.name} already")
    try:
        await context.client.create(profile, kind=_PROFILES)
    except AlreadyExists as error:
        raise AlreadyExists(f"the name {name} is taken") from error
    context.audit.record("profile.created", user=identity.user, namespace=name, subject=owner["name"])


async def delete_profile(context: GatewayContext, identity: Identity, name: str) -> None:
    """Put a profile in the recycle bin."""
    profile = await owned_profile(context, identity, name)
    marks = {DELETED_AT: timestamp(datetime.now(UTC)), DELETED_BY: identity.user}
    await context.client.patch(_PROFILES, profile.metadata.key, {"metadata": {"annotations": marks}})
    context.audit.record("profile.deleted", user=identity.user, namespace=name)


async def restore_profile(context: GatewayContext, identity: Identity, name: str) -> None:
    """Take a profile out of the recycle bin. Raises NotFound if it is not there."""
    profile = await owned_profile(context, identity, name, binned=True)
    if not is_in_bin(profile):
        raise NotFound(f"profile {name} is not in the recycle bin")
    marks = dict.fromkeys((DELETED_AT, DELETED_BY))
    await context.client.patch(_PROFILES, profile.metadata.key, {"metadata": {"annotations": marks}})
    context.audit.record("profile.restored", user=identity.user, namespace=name)
