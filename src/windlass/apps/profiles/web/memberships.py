"""Bindings of users and groups to profile namespaces, read from the RoleBindings that kfam and the controller make."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.wellknown import RBAC_GROUP
from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.names import (
    ADMIN_BINDING,
    DELETED_AT,
    FROM_ANNOTATION_LABEL,
    ROLE_ANNOTATION,
    ROLES,
    USER_ANNOTATION,
)
from windlass.gateway.request import Identity
from windlass.kube.json import Object

MEMBERS: Mapping[str, str] = {"admin": "owner", "edit": "contributor", "view": "viewer"}
"""The dashboard's words for the roles, from the strongest to the weakest."""


@dataclass(frozen=True, order=True, kw_only=True)
class Membership:
    namespace: str
    kind: str
    user: str
    role: str
    binding: str = ""
    """The name of the RoleBinding."""
    is_from_annotation: bool = False

    @property
    def is_ownership(self) -> bool:
        return self.binding == ADMIN_BINDING

    def concerns(self, identity: Identity) -> bool:
        if self.kind == "Group":
            return self.user in identity.groups
        return self.user == identity.user

    def shown(self) -> Object:
        """As kfam answers it."""
        return {
            "user": {"kind": self.kind, "name": self.user},
            "referredNamespace": self.namespace,
            "RoleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": self.role},
        }


def memberships(bindings: Iterable[RoleBinding], profiles: Iterable[Profile]) -> list[Membership]:
    """The memberships of all profiles. A binding without kfam's annotations or with several subjects is skipped."""
    namespaces = {profile.metadata.name for profile in profiles}
    found: list[Membership] = []
    for binding in bindings:
        annotations, metadata = binding.metadata.annotations, binding.metadata
        is_ours = metadata.namespace in namespaces and USER_ANNOTATION in annotations and len(binding.subjects) == 1
        if is_ours and annotations.get(ROLE_ANNOTATION) in ROLES:
            subject = binding.subjects[0]
            account = f"system:serviceaccount:{subject.namespace}:{subject.name}"
            found.append(
                Membership(
                    namespace=metadata.namespace,
                    kind=subject.kind,
                    user=account if subject.kind == "ServiceAccount" else subject.name,
                    role=annotations[ROLE_ANNOTATION],
                    binding=metadata.name,
                    is_from_annotation=FROM_ANNOTATION_LABEL in metadata.labels,
                )
            )
    return sorted(found)


def is_owner(profile: Profile, identity: Identity) -> bool:
    """Whether the profile is the user's, by name or by a group."""
    owner = profile.spec.owner
    if owner is None:
        return False
    name = f"system:serviceaccount:{owner.namespace}:{owner.name}" if owner.kind == "ServiceAccount" else owner.name
    return Membership(namespace="", kind=owner.kind, user=name, role="admin").concerns(identity)


def is_in_bin(profile: Profile) -> bool:
    return DELETED_AT in profile.metadata.annotations


def strongest_roles(found: Iterable[Membership]) -> dict[str, str]:
    """The strongest role in each namespace."""
    roles: dict[str, str] = {}
    for membership in found:
        held = roles.get(membership.namespace)
        if held is None or ROLES.index(membership.role) < ROLES.index(held):
            roles[membership.namespace] = membership.role
    return dict(sorted(roles.items()))
