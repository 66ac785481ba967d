"""What Kubernetes refuses of webhook configurations, rule by rule and in its words."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import a_webhook, an, causes_of
from windlass.kube.json import Object

HOOK = "webhooks[0]"
RULE = f"{HOOK}.rules[0]"
CLIENT = f"{HOOK}.clientConfig"
CONDITION: Object = {"name": "not-leases", "expression": "request.resource.resource != 'leases'"}
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def configured(*hooks: Object, kind: str = "Validating") -> list[tuple[str, str]]:
    """What is wrong with a configuration of these webhooks."""
    return causes_of(an("admissionregistration.k8s.io/v1", f"{kind}WebhookConfiguration", "", webhooks=list(hooks)))


def a_rule(**fields: Any) -> Object:
    rule = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], **fields}
    return {"rules": [rule]}


def a_service(**fields: Any) -> Object:
    return {"clientConfig": {"service": {"name": "checker", "namespace": "team", **fields}}}


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"name": ""}, f"{HOOK}.name", "Required value"),
        ({"name": "A.b.c"}, f"{HOOK}.name", f'Invalid value: "A.b.c": {SUBDOMAIN}'),
        (
            {"name": "a.b"},
            f"{HOOK}.name",
            'Invalid value: "a.b": should be a domain with at least three segments separated by dots',
        ),
        (
            {"failurePolicy": "Maybe"},
            f"{HOOK}.failurePolicy",
            'Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
        ),
        (
            {"matchPolicy": "Near"},
            f"{HOOK}.matchPolicy",
            'Unsupported value: "Near": supported values: "Equivalent", "Exact"',
        ),
        (
            {"sideEffects": "Unknown"},
            f"{HOOK}.sideEffects",
            'Unsupported value: "Unknown": supported values: "None", "NoneOnDryRun"',
        ),
        ({"sideEffects": None}, f"{HOOK}.sideEffects", "Required value: must specify one of None, NoneOnDryRun"),
        (
            {"timeoutSeconds": 0},
            f"{HOOK}.timeoutSeconds",
            "Invalid value: 0: the timeout value must be between 1 and 30 seconds",
        ),
        (
            {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            f"{HOOK}.namespaceSelector.matchExpressions[0].values",
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            {"admissionReviewVersions": ["v2"]},
            f"{HOOK}.admissionReviewVersions",
            'Invalid value: ["v2"]: must include at least one of v1, v1beta1',
        ),
        (
            {"admissionReviewVersions": ["v1", "v1"]},
            f"{HOOK}.admissionReviewVersions[1]",
            'Invalid value: "v1": duplicate version',
        ),
    ],
)
def test_a_bad_webhook_is_refused_by_field(fields: Object, field: str, message: str) -> None:
    assert configured(a_webhook(**fields)) == [(field, message)]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        (
            {"clientConfig": {"url": "https://a", "service": {"name": "a", "namespace": "b"}}},
            CLIENT,
            "Required value: exactly one of url or service is required",
        ),
        (
            {"clientConfig": {"url": "http://a/b"}},
            f"{CLIENT}.url",
            "Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
        ),
        (
            {"clientConfig": {"url": "https://a?b"}},
            f"{CLIENT}.url",
            'Invalid value: "b": query parameters are not permitted in the URL',
        ),
        (a_service(namespace=""), f"{CLIENT}.service.namespace", "Required value: service namespace is required"),
        (
            a_service(port=0),
            f"{CLIENT}.service.port",
            "Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (a_service(path="/a//b"), f"{CLIENT}.service.path", 'Invalid value: "/a//b": segment[1] may not be empty'),
        (a_service(path="/A"), f"{CLIENT}.service.path", f'Invalid value: "/A": segment[0]: {SUBDOMAIN}'),
    ],
)
def test_a_webhook_must_be_reached_somewhere(fields: Object, field: str, message: str) -> None:
    assert configured(a_webhook(**fields)) == [(field, message)]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"operations": []}, "operations", "Required value"),
        (
            {"operations": ["READ"]},
            "operations[0]",
            'Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        ),
        (
            {"operations": ["CREATE", "*"]},
            "operations",
            'Invalid value: ["CREATE","*"]: if \'*\' is present, must not specify other operations',
        ),
        ({"apiGroups": []}, "apiGroups", "Required value"),
        (
            {"apiGroups": ["*", "apps"]},
            "apiGroups",
            'Invalid value: ["*","apps"]: if \'*\' is present, must not specify other API groups',
        ),
        ({"apiVersions": []}, "apiVersions", "Required value"),
        ({"apiVersions": [""]}, "apiVersions[0]", "Required value"),
        (
            {"apiVersions": ["*", "v1"]},
            "apiVersions",
            'Invalid value: ["*","v1"]: if \'*\' is present, must not specify other API versions',
        ),
        ({"resources": []}, "resources", "Required value"),
        ({"resources": [""]}, "resources[0]", "Required value"),
        (
            {"resources": ["*/*", "pods"]},
            "resources",
            'Invalid value: ["*/*","pods"]: if \'*/*\' is present, must not specify other resources',
        ),
        (
            {"resources": ["*", "pods"]},
            "resources",
            'Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
        ),
        (
            {"resources": ["pods/*", "pods/exec"]},
            "resources[1]",
            "Invalid value: \"pods/exec\": if 'pods/*' is present, must not specify pods/exec",
        ),
        (
            {"resources": ["*/exec", "pods/exec"]},
            "resources[1]",
            "Invalid value: \"pods/exec\": if '*/exec' is present, must not specify pods/exec",
        ),
        (
            {"scope": "World"},
            "scope",
            'Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"',
        ),
    ],
)
def test_a_rule_names_something_and_a_wildcard_stands_alone(fields: Object, field: str, message: str) -> None:
    assert configured(a_webhook(**a_rule(**fields))) == [(f"{RULE}.{field}", message)]


def test_the_core_group_and_subresources_may_be_named() -> None:
    assert configured(a_webhook(**a_rule(apiGroups=["", "apps"], resources=["*", "pods/exec"]))) == []


@pytest.mark.parametrize(
    ("conditions", "field", "message"),
    [
        ([{**CONDITION, "name": ""}], "[0].name", "Required value"),
        ([{**CONDITION, "expression": " "}], "[0].expression", "Required value"),
        ([CONDITION, CONDITION], "[1].name", 'Duplicate value: "not-leases"'),
        (
            [{**CONDITION, "name": f"c{number}"} for number in range(65)],
            "",
            "Too many: 65: must have at most 64 items",
        ),
    ],
)
def test_match_conditions_have_names_of_their_own(conditions: list[Object], field: str, message: str) -> None:
    assert configured(a_webhook(matchConditions=conditions)) == [(f"{HOOK}.matchConditions{field}", message)]


def test_webhooks_have_names_of_their_own() -> None:
    assert configured(a_webhook(), a_webhook()) == [("webhooks[1].name", 'Duplicate value: "check.windlass.dev"')]


def test_a_mutating_webhook_is_asked_again_or_not() -> None:
    assert configured(a_webhook(reinvocationPolicy="Always"), kind="Mutating") == [
        (f"{HOOK}.reinvocationPolicy", 'Unsupported value: "Always": supported values: "IfNeeded", "Never"')
    ]
