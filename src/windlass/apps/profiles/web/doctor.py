"""Facts of users for `windlass doctor`: the namespaces that the dashboard shows to each."""

from collections.abc import Iterable

from windlass.apis.rbac_v1 import RoleBinding
from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.web.memberships import is_owner, memberships
from windlass.gateway.request import Identity


def namespaces_of(
    people: Iterable[Identity], profiles: list[Profile], bindings: Iterable[RoleBinding]
) -> dict[str, tuple[str, ...]]:
    """Return the namespaces that each user owns or contributes to, by user."""
    members = memberships(bindings, profiles)
    return {
        person.user: tuple(
            sorted(
                {profile.metadata.name for profile in profiles if is_owner(profile, person)}
                | {membership.namespace for membership in members if membership.concerns(person)}
            )
        )
        for person in people
    }
