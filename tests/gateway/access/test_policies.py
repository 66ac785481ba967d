"""AuthorizationPolicies decide as Istio does, and what cannot be read never allows."""

from typing import Any

import msgspec
import pytest

from windlass.apis.istio.mesh import INGRESS_PRINCIPAL
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.gateway.access.policies import PolicyRequest, is_allowed, passes_ingress


def a_policy(*rules: dict[str, Any], action: str = "ALLOW", **spec: Any) -> AuthorizationPolicy:
    return msgspec.convert({"spec": {"action": action, "rules": list(rules), **spec}}, AuthorizationPolicy)


OWNER = {
    "from": [{"source": {"principals": [INGRESS_PRINCIPAL]}}],
    "when": [{"key": "request.headers[kubeflow-userid]", "values": ["owner@example.com"]}],
}
KERNELS = {"to": [{"operation": {"methods": ["GET"], "paths": ["*/api/kernels"]}}]}


def a_request(user: str = "", path: str = "/notebook/ml/lab/", method: str = "GET", **more: Any) -> PolicyRequest:
    return PolicyRequest(method=method, path=path, headers={"kubeflow-userid": user} if user else {}, **more)


def test_no_policy_allows() -> None:
    assert is_allowed([], a_request("anyone@example.com"))


@pytest.mark.parametrize(("user", "allowed"), [("owner@example.com", True), ("other@example.com", False), ("", False)])
def test_the_owner_is_allowed_and_no_other(user: str, allowed: bool) -> None:
    assert is_allowed([a_policy(OWNER)], a_request(user)) is allowed


def test_a_caller_other_than_the_gateway_is_not_the_owner() -> None:
    request = a_request("owner@example.com", principal="cluster.local/ns/evil/sa/default", namespace="evil")

    assert not is_allowed([a_policy(OWNER)], request)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/notebook/ml/lab/api/kernels", True),
        ("POST", "/notebook/ml/lab/api/kernels", False),
        ("GET", "/", False),
    ],
)
def test_methods_and_paths_match_by_pattern(method: str, path: str, allowed: bool) -> None:
    assert is_allowed([a_policy(KERNELS)], a_request(path=path, method=method)) is allowed


def test_an_empty_policy_denies_everything() -> None:
    assert not is_allowed([a_policy()], a_request("owner@example.com"))


def test_deny_comes_before_allow() -> None:
    deny = a_policy({"to": [{"operation": {"paths": ["/notebook/*"]}}]}, action="DENY")

    assert not is_allowed([deny, a_policy(OWNER)], a_request("owner@example.com"))


def test_an_unknown_condition_never_allows() -> None:
    unknown = {"when": [{"key": "experimental.envoy", "values": ["*"]}]}

    assert not is_allowed([a_policy(unknown)], a_request())
    assert not is_allowed([a_policy(unknown, action="DENY")], a_request())


def test_a_selector_limits_a_policy_to_its_workloads() -> None:
    policy = a_policy(OWNER, selector={"matchLabels": {"app": "lab"}})

    assert not is_allowed([policy], a_request(), {"app": "lab"})
    assert is_allowed([policy], a_request(), {"app": "other"})


@pytest.mark.parametrize(
    "source", [{"ipBlocks": ["10.0.0.0/8"]}, {"notRemoteIpBlocks": ["10.0.0.0/8"]}, {"serviceAccounts": ["ml/default"]}]
)
def test_an_unknown_attribute_of_the_caller_never_allows(source: dict[str, Any]) -> None:
    rule = {"from": [{"source": source}]}

    assert not is_allowed([a_policy(rule)], a_request("owner@example.com"))
    assert not is_allowed([a_policy(rule, action="DENY")], a_request("owner@example.com"))


def test_an_unknown_attribute_does_not_widen_what_is_denied_for_others() -> None:
    deny = a_policy({"from": [{"source": {"ipBlocks": ["10.0.0.0/8"], "namespaces": ["evil"]}}]}, action="DENY")

    assert is_allowed([deny], a_request("owner@example.com"))


def test_a_mesh_that_denies_by_default_admits_what_a_namespace_allows() -> None:
    closed = a_policy()

    assert not is_allowed([closed], a_request("owner@example.com"))
    assert is_allowed([closed, a_policy(OWNER)], a_request("owner@example.com"))


INGRESS = {"matchLabels": {"istio": "ingressgateway"}}
NO_PRINCIPAL = {"from": [{"source": {"notRequestPrincipals": ["*"]}}]}


def test_policies_of_the_ingress_hold_for_it_and_not_for_workloads() -> None:
    required = a_policy(NO_PRINCIPAL, action="DENY", selector=INGRESS)

    assert not passes_ingress([required], a_request())
    assert passes_ingress([required], a_request(request_principal="issuer/ada"))
    assert is_allowed([required], a_request(), {"app": "lab"})


def test_a_closed_mesh_needs_a_policy_that_opens_its_ingress() -> None:
    assert not passes_ingress([a_policy()], a_request())
    assert passes_ingress([a_policy(), a_policy({}, selector=INGRESS)], a_request())


@pytest.mark.parametrize(
    ("groups", "values", "excluded", "allowed"),
    [
        ("a,team,b", ["team"], [], True),
        ("a,b", ["team"], [], False),
        ("", ["team"], [], False),
        ("team,contractors", ["team"], ["contractors"], False),
        ("team,contractors", [], ["contractors"], False),
        ("team,other", ["team"], ["contractors"], True),
    ],
)
def test_each_group_of_a_person_counts(groups: str, values: list[str], excluded: list[str], allowed: bool) -> None:
    condition = {"key": "request.headers[kubeflow-groups]", "values": values, "notValues": excluded}
    request = PolicyRequest(method="GET", path="/", headers={"kubeflow-groups": groups})

    assert is_allowed([a_policy({"when": [condition]})], request) is allowed
