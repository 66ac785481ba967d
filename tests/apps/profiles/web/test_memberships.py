"""Who belongs to which namespace. Pure."""

from windlass.apis.rbac_v1 import RoleBinding, Subject
from windlass.apps.profiles.kinds import Profile, ProfileOwner, ProfileSpec
from windlass.apps.profiles.names import binding_name, name_problem, suggested_name, unique_binding_name
from windlass.apps.profiles.web.memberships import Membership, is_owner, memberships, strongest_roles
from windlass.gateway.request import Identity
from windlass.kube.meta import ObjectMeta

ANN = Identity("ann@example.com", ("team",))


def a_profile(name: str = "ann", kind: str = "User", owner: str = ANN.user) -> Profile:
    spec = ProfileSpec(owner=ProfileOwner(kind=kind, name=owner))  # type: ignore[arg-type]
    return Profile(metadata=ObjectMeta(name=name), spec=spec)


def a_binding(namespace: str, *subjects: Subject, role: str = "edit", user: str = "x") -> RoleBinding:
    annotations = {"user": user, "role": role}
    return RoleBinding(
        metadata=ObjectMeta(name="b", namespace=namespace, annotations=annotations), subjects=list(subjects)
    )


def test_odd_bindings_are_skipped_and_spoil_nothing() -> None:
    good = a_binding("ann", Subject(kind="User", name="ben"))
    odd = [
        a_binding("ann", Subject(kind="User", name="a"), Subject(kind="User", name="b")),
        a_binding("ann"),
        a_binding("elsewhere", Subject(kind="User", name="c")),
        a_binding("ann", Subject(kind="User", name="d"), role="king"),
        RoleBinding(metadata=ObjectMeta(name="plain", namespace="ann"), subjects=[Subject(kind="User", name="e")]),
    ]

    assert [one.user for one in memberships([*odd, good], [a_profile()])] == ["ben"]


def test_a_group_is_matched_by_the_groups_of_the_user() -> None:
    assert is_owner(a_profile(kind="Group", owner="team"), ANN)
    assert not is_owner(a_profile(kind="Group", owner="other"), ANN)
    assert not is_owner(a_profile(kind="User", owner="team"), ANN)


def test_the_strongest_role_of_a_namespace_counts() -> None:
    found = [
        Membership(namespace="ann", kind="User", user="x", role=role, binding=role)
        for role in ("view", "admin", "edit")
    ]

    assert strongest_roles(found) == {"ann": "admin"}


def test_names() -> None:
    assert binding_name("User", "user1@org1.com", "edit") == "user-user1-org1-com-clusterrole-edit"
    assert binding_name("User", "a.b@x", "edit") == binding_name("User", "a-b@x", "edit")
    assert unique_binding_name("User", "a.b@x", "edit") != unique_binding_name("User", "a-b@x", "edit")
    assert suggested_name("Ann.B_c@example.com") == "ann-bc"
    assert suggested_name("_.@x") == ""
    assert name_problem("ann") == ""
    assert name_problem("kube-x")
    assert name_problem("Ann")
    assert name_problem("")
