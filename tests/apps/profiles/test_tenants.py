"""What the command line needs to know of profiles: the object of a user, and what the dashboard shows to them."""

import pytest

from windlass.apis.rbac_v1 import RoleBinding, Subject
from windlass.apps import tenants
from windlass.apps.profiles.kinds import Profile, ProfileOwner, ProfileSpec
from windlass.apps.profiles.web.doctor import namespaces_of
from windlass.gateway.request import Identity
from windlass.kube.meta import ObjectMeta


def test_a_user_gets_a_profile_named_for_the_address() -> None:
    assert tenants().for_user("Ann.B@example.com") == {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Profile",
        "metadata": {"name": "ann-b"},
        "spec": {"owner": {"kind": "User", "name": "Ann.B@example.com"}},
    }


@pytest.mark.parametrize("text", ["ann", "@example.com"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an e-mail address"):
        tenants().for_user(text)


def test_users_see_the_namespaces_that_they_own_or_contribute_to() -> None:
    profiles = [
        Profile(
            metadata=ObjectMeta(name=name),
            spec=ProfileSpec(owner=ProfileOwner(kind="User", name=f"{name}@example.com")),
        )
        for name in ("ann", "bob")
    ]
    binding = RoleBinding(
        metadata=ObjectMeta(name="b", namespace="bob", annotations={"user": "ann@example.com", "role": "edit"}),
        subjects=[Subject(kind="User", name="ann@example.com")],
    )
    people = [Identity(f"{name}@example.com", (), "session") for name in ("ann", "bob", "eve")]

    assert namespaces_of(people, profiles, [binding]) == {
        "ann@example.com": ("ann", "bob"),
        "bob@example.com": ("bob",),
        "eve@example.com": (),
    }
