"""Acting as somebody else, with leave."""

import pytest

from windlass.apiserver.auth.impersonate import impersonate
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.user import MASTERS, User, authenticated
from windlass.kube.errors import BadRequest, Forbidden

from .builders import a_binding, a_role, a_rule

ROOT = User("root", groups=(MASTERS,))
BOB = authenticated("bob")
Headers = list[tuple[bytes, bytes]]


def rbac() -> Rbac:
    rbac = Rbac()
    role = a_role(
        "helper",
        a_rule("impersonate", "users", names="jane"),
        a_rule("impersonate", "groups", names="devs"),
        a_rule("impersonate", "userextras/scopes", "authentication.k8s.io", names="read"),
    )
    local = a_role("local", a_rule("impersonate", "serviceaccounts"))
    rbac.rebuild(
        [role, local],
        [],
        [a_binding("b", "helper", "User:bob")],
        [a_binding("c", "local", "User:bob", namespace="ml")],
    )
    return rbac


def test_without_headers_one_stays_who_one_is() -> None:
    assert impersonate(BOB, [(b"accept", b"*/*")], rbac().allowed) is BOB


@pytest.mark.parametrize(
    ("headers", "user"),
    [
        ([(b"Impersonate-User", b"jane")], User("jane", groups=("system:authenticated",))),
        (
            [(b"impersonate-user", b"jane"), (b"impersonate-group", b"devs"), (b"impersonate-group", b"ops")],
            User("jane", groups=("devs", "ops", "system:authenticated")),
        ),
        (
            [(b"impersonate-user", b"system:serviceaccount:ml:a")],
            User(
                "system:serviceaccount:ml:a",
                groups=("system:serviceaccounts", "system:serviceaccounts:ml", "system:authenticated"),
            ),
        ),
        (
            [(b"impersonate-user", b"system:anonymous")],
            User("system:anonymous", groups=("system:unauthenticated",)),
        ),
        (
            [
                (b"impersonate-user", b"jane"),
                (b"impersonate-uid", b"7"),
                (b"impersonate-extra-acme.com%2fproject", b"x"),
                (b"impersonate-extra-acme.com%2Fproject", b"y"),
            ],
            User("jane", "7", ("system:authenticated",), (("acme.com/project", ("x", "y")),)),
        ),
    ],
)
def test_an_administrator_may_be_anybody(headers: Headers, user: User) -> None:
    assert impersonate(ROOT, headers, rbac().allowed) == user


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (
            [(b"impersonate-user", b"eve")],
            'users "eve" is forbidden: User "bob" cannot impersonate resource "users" in API group "" '
            "at the cluster scope",
        ),
        (
            [(b"impersonate-user", b"jane"), (b"impersonate-group", b"system:masters")],
            'groups "system:masters" is forbidden: User "bob" cannot impersonate resource "groups" in API group "" '
            "at the cluster scope",
        ),
        (
            [(b"impersonate-user", b"system:serviceaccount:kube-system:x")],
            'serviceaccounts "x" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group '
            '"" in the namespace "kube-system"',
        ),
        (
            [(b"impersonate-user", b"jane"), (b"impersonate-extra-scopes", b"write")],
            'userextras.authentication.k8s.io "write" is forbidden: User "bob" cannot impersonate resource '
            '"userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
        ),
        (
            [(b"impersonate-user", b"jane"), (b"impersonate-uid", b"7")],
            'uids.authentication.k8s.io "7" is forbidden: User "bob" cannot impersonate resource "uids" in API group '
            '"authentication.k8s.io" at the cluster scope',
        ),
    ],
)
def test_each_part_needs_leave(headers: Headers, message: str) -> None:
    with pytest.raises(Forbidden) as refused:
        impersonate(BOB, headers, rbac().allowed)

    assert refused.value.message == message


def test_leave_for_one_name_is_enough_for_that_name() -> None:
    headers = [(b"impersonate-user", b"jane"), (b"impersonate-group", b"devs"), (b"impersonate-extra-scopes", b"read")]

    assert impersonate(BOB, headers, rbac().allowed).name == "jane"
    assert impersonate(BOB, [(b"impersonate-user", b"system:serviceaccount:ml:a")], rbac().allowed).groups[1:2] == (
        "system:serviceaccounts:ml",
    )


def test_groups_without_a_user_are_a_bad_request() -> None:
    with pytest.raises(BadRequest) as refused:
        impersonate(ROOT, [(b"impersonate-group", b"system:masters")], rbac().allowed)

    assert refused.value.message == 'requested [Group "system:masters"] without impersonating a user'
