"""The review kinds: what kubectl auth can-i, whoami and webhooks ask."""

import pytest

from windlass.apiserver.auth.authenticate import Authenticator
from windlass.apiserver.auth.bootstrap import default_objects
from windlass.apiserver.auth.jws import SigningKey
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.reviews import (
    local_subject_access_review,
    self_subject_access_review,
    self_subject_review,
    self_subject_rules_review,
    subject_access_review,
    token_review,
)
from windlass.apiserver.auth.service_accounts import ISSUER, ServiceAccountTokens
from windlass.apiserver.auth.user import User, authenticated
from windlass.kube.errors import BadRequest, Invalid
from windlass.kube.json import Object

from .builders import World, a_binding

JANE = authenticated("jane", "42", ("devs",))
LIST_PODS: Object = {"verb": "list", "resource": "pods", "namespace": "ml"}


def rbac() -> Rbac:
    rbac = Rbac()
    for obj in default_objects():
        rbac.put(obj["kind"], obj)
    rbac.put("RoleBinding", a_binding("janes", "view", "User:jane", namespace="ml"))
    return rbac


@pytest.fixture
def door(signing_key: SigningKey) -> Authenticator:
    world = World()
    world.add("serviceaccounts", "ml", "trainer", "sa-1")
    door = Authenticator(service_accounts=ServiceAccountTokens(signing_key, world.get))
    door.add_tokens([("abc", JANE)])
    return door


async def test_a_good_token_is_reviewed_with_its_user(door: Authenticator) -> None:
    answer = await token_review(door, {"kind": "TokenReview", "spec": {"token": "abc"}})

    assert answer["status"] == {
        "authenticated": True,
        "user": {"username": "jane", "uid": "42", "groups": ["devs", "system:authenticated"]},
        "audiences": [ISSUER],
    }


async def test_a_static_token_counts_for_this_server_only(door: Authenticator) -> None:
    own = await token_review(door, {"spec": {"token": "abc", "audiences": ["vault", ISSUER]}})
    others = await token_review(door, {"spec": {"token": "abc", "audiences": ["vault"]}})

    assert own["status"]["audiences"] == [ISSUER]
    assert "authenticated" not in others["status"]


async def test_a_service_account_token_is_reviewed_for_the_audience_asked(door: Authenticator) -> None:
    assert door.service_accounts is not None
    token, _ = door.service_accounts.issue("ml", "trainer", "sa-1", audiences=["vault"])

    good = await token_review(door, {"spec": {"token": token, "audiences": ["vault", "x"]}})
    bad = await token_review(door, {"spec": {"token": token}})

    assert good["status"]["audiences"] == ["vault"]
    assert good["status"]["user"]["username"] == "system:serviceaccount:ml:trainer"
    assert "authenticated" not in bad["status"]


async def test_a_bad_token_is_reviewed_as_an_error_and_an_empty_one_refused(door: Authenticator) -> None:
    answer = await token_review(door, {"spec": {"token": "nobody"}})

    assert answer["status"]["user"] == {}
    assert answer["status"]["error"].startswith("[invalid bearer token, ")
    with pytest.raises(BadRequest, match="token is required for TokenReview"):
        await token_review(door, {"spec": {}})


def test_whoami_tells_all_facts() -> None:
    user = User("jane", "42", ("devs",), (("k", ("v",)),))

    answer = self_subject_review(user, {"metadata": {"creationTimestamp": None}})

    assert answer["status"]["userInfo"] == {
        "username": "jane",
        "uid": "42",
        "groups": ["devs"],
        "extra": {"k": ["v"]},
    }
    assert answer["metadata"]["creationTimestamp"].endswith("Z")


def test_can_i_answers_with_the_reason() -> None:
    answer = self_subject_access_review(rbac(), JANE, {"spec": {"resourceAttributes": LIST_PODS}})

    assert answer["status"] == {
        "allowed": True,
        "reason": 'RBAC: allowed by RoleBinding "janes/ml" of ClusterRole "view" to User "jane"',
    }


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"user": "jane", "resourceAttributes": LIST_PODS}, True),
        ({"user": "bob", "resourceAttributes": LIST_PODS}, False),
        ({"groups": ["system:masters"], "resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}}, True),
        ({"user": "jane", "resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}}, False),
        ({"user": "jane", "resourceAttributes": {"verb": "list", "namespace": "ml"}}, False),
        ({"groups": ["system:authenticated"], "nonResourceAttributes": {"verb": "get", "path": "/apis"}}, True),
        ({"groups": ["system:unauthenticated"], "nonResourceAttributes": {"verb": "get", "path": "/apis"}}, False),
    ],
)
def test_anybody_can_be_asked_about(spec: Object, allowed: bool) -> None:
    assert subject_access_review(rbac(), {"spec": spec})["status"]["allowed"] is allowed


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"resourceAttributes": LIST_PODS}, "spec.user"),
        ({"user": "jane"}, "spec.resourceAttributes"),
        (
            {"user": "jane", "resourceAttributes": LIST_PODS, "nonResourceAttributes": {"path": "/"}},
            "spec.nonResourceAttributes",
        ),
    ],
)
def test_a_review_without_subject_or_question_is_invalid(spec: Object, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        subject_access_review(rbac(), {"spec": spec})

    assert [cause.field for cause in refused.value.causes] == [field]


def test_a_local_review_is_about_its_own_namespace() -> None:
    review = {"spec": {"user": "jane", "resourceAttributes": LIST_PODS}}

    assert local_subject_access_review(rbac(), "ml", review)["status"]["allowed"] is True
    with pytest.raises(Invalid) as refused:
        local_subject_access_review(rbac(), "other", review)
    assert refused.value.causes[0].field == "spec.resourceAttributes.namespace"


def test_can_i_list_shows_resources_and_paths() -> None:
    status = self_subject_rules_review(rbac(), JANE, {"spec": {"namespace": "ml"}})["status"]

    assert status["incomplete"] is False
    assert {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]} in status[
        "resourceRules"
    ]
    assert any("/apis/*" in rule["nonResourceURLs"] for rule in status["nonResourceRules"])
    assert all(set(rule) <= {"verbs", "nonResourceURLs"} for rule in status["nonResourceRules"])


def test_can_i_list_needs_a_namespace() -> None:
    with pytest.raises(BadRequest, match="no namespace on request"):
        self_subject_rules_review(rbac(), JANE, {"spec": {}})
