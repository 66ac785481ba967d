"""Ingresses, network policies, endpoints, disruption budgets and roles."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import (
    RBAC,
    an,
    causes_of,
    changed,
    defaulted,
    example,
    strategy_of,
    update_causes,
)
from windlass.kube.json import Object

NETWORKING = "networking.k8s.io"
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}


def an_ingress(**path: Any) -> Object:
    rule = {"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": BACKEND, **path}]}}
    return an(f"{NETWORKING}/v1", "Ingress", spec={"rules": [rule]})


PATH = "spec.rules[0].http.paths[0]"


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        ({"pathType": ""}, (f"{PATH}.pathType", "Required value: pathType must be specified")),
        (
            {"pathType": "Glob"},
            (
                f"{PATH}.pathType",
                'Unsupported value: "Glob": supported values: "Exact", "ImplementationSpecific", "Prefix"',
            ),
        ),
        ({"path": "x"}, (f"{PATH}.path", 'Invalid value: "x": must be an absolute path')),
        ({"path": "//"}, (f"{PATH}.path", "Invalid value: \"//\": must not contain '//'")),
        (
            {"backend": {"service": {"port": {"number": 1}}}},
            (f"{PATH}.backend.service.name", "Required value"),
        ),
        (
            {"backend": {"service": {"name": "a"}}},
            (f"{PATH}.backend", "Required value: port name or number is required"),
        ),
    ],
)
def test_a_bad_path_of_an_ingress_is_told_what_is_wrong(path: Object, cause: tuple[str, str]) -> None:
    assert causes_of(an_ingress(**path)) == [cause]


def test_an_ingress_needs_rules_or_a_backend() -> None:
    causes = causes_of(an(f"{NETWORKING}/v1", "Ingress", spec={}))

    assert causes == [("spec", "Invalid value: null: either `defaultBackend` or `rules` must be specified")]


def test_a_host_is_a_name_and_no_address() -> None:
    ingress = changed(an_ingress(), "spec.rules.0.host", "10.0.0.1")

    why = 'Invalid value: "10.0.0.1": must be a DNS name, not an IP address'
    assert causes_of(ingress) == [("spec.rules[0].host", why)]
    assert causes_of(changed(an_ingress(), "spec.rules.0.host", "*.example.com")) == []


def test_the_old_class_annotation_gives_a_warning() -> None:
    ingress = changed(an_ingress(), "metadata.annotations", {"kubernetes.io/ingress.class": "nginx"})

    assert strategy_of(ingress).warnings(ingress) == [
        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"
    ]


@pytest.mark.parametrize(
    ("spec", "types"),
    [({}, ["Ingress"]), ({"egress": [{}]}, ["Ingress", "Egress"]), ({"policyTypes": ["Egress"]}, ["Egress"])],
)
def test_policy_types_follow_the_rules(spec: Object, types: list[str]) -> None:
    made = defaulted(an(f"{NETWORKING}/v1", "NetworkPolicy", spec={"podSelector": {}, **spec}))

    assert made["spec"]["policyTypes"] == types


@pytest.mark.parametrize(
    ("peer", "cause"),
    [
        ({}, ("spec.ingress[0].from[0]", "Required value: must specify a peer")),
        (
            {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}},
            ("spec.ingress[0].from[0]", "Forbidden: may not specify both ipBlock and another peer"),
        ),
        (
            {"ipBlock": {"cidr": "10"}},
            (
                "spec.ingress[0].from[0].ipBlock.cidr",
                'Invalid value: "10": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
            ),
        ),
    ],
)
def test_a_bad_peer_is_told_what_is_wrong(peer: Object, cause: tuple[str, str]) -> None:
    assert causes_of(an(f"{NETWORKING}/v1", "NetworkPolicy", spec={"ingress": [{"from": [peer]}]})) == [cause]


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        (
            {"minAvailable": 1, "maxUnavailable": 1},
            (
                "spec",
                'Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both '
                "set",
            ),
        ),
        ({"minAvailable": -1}, ("spec.minAvailable", "Invalid value: -1: must be greater than or equal to 0")),
        ({"maxUnavailable": "200%"}, ("spec.maxUnavailable", 'Invalid value: "200%": must not be greater than 100%')),
    ],
)
def test_a_bad_disruption_budget_is_told_what_is_wrong(spec: Object, cause: tuple[str, str]) -> None:
    assert causes_of(an("policy/v1", "PodDisruptionBudget", spec=spec)) == [cause]


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("addressType", "IPX", ("addressType", 'Unsupported value: "IPX": supported values: "FQDN", "IPv4", "IPv6"')),
        ("endpoints.0.addresses", [], ("endpoints[0].addresses", "Required value: must contain at least 1 address")),
    ],
)
def test_a_bad_endpoint_slice_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str]) -> None:
    assert cause in causes_of(changed(example("EndpointSlice", "discovery.k8s.io"), path, value))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("0.0.0.0", "may not be unspecified (0.0.0.0 or ::)"),
        ("169.254.169.254", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        ("fe80::1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        ("224.0.0.251", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/16)"),
        ("ff02::fb", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/16)"),
        ("pod", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    ],
)
def test_no_endpoint_leads_to_an_address_of_the_machine_that_connects(address: str, said: str) -> None:
    message = f'Invalid value: "{address}": {said}'
    slice_ = changed(example("EndpointSlice", "discovery.k8s.io"), "endpoints.0.addresses", [address])
    older = an("v1", "Endpoints", subsets=[{"addresses": [{"ip": address}], "ports": [{"port": 80}]}])

    assert ("endpoints[0].addresses[0]", message) in causes_of(slice_)
    assert ("subsets[0].addresses[0].ip", message) in causes_of(older)


def test_endpoints_need_addresses() -> None:
    causes = causes_of(an("v1", "Endpoints", subsets=[{"ports": [{"port": 80}]}]))

    assert causes == [("subsets[0]", "Required value: must specify `addresses` or `notReadyAddresses`")]


@pytest.mark.parametrize(
    ("kind", "rule", "causes"),
    [
        (
            "Role",
            {"apiGroups": [""], "resources": ["pods"]},
            [("rules[0].verbs", "Required value: verbs must contain at least one value")],
        ),
        (
            "Role",
            {"verbs": ["get"]},
            [
                ("rules[0].apiGroups", "Required value: resource rules must supply at least one api group"),
                ("rules[0].resources", "Required value: resource rules must supply at least one resource"),
            ],
        ),
        (
            "Role",
            {"verbs": ["get"], "nonResourceURLs": ["/x"]},
            [
                (
                    "rules[0].nonResourceURLs",
                    'Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
                )
            ],
        ),
        ("ClusterRole", {"verbs": ["get"], "nonResourceURLs": ["/x"]}, []),
        (
            "ClusterRole",
            {"verbs": ["get"], "nonResourceURLs": ["/x"], "resources": ["pods"]},
            [
                (
                    "rules[0].nonResourceURLs",
                    'Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
                )
            ],
        ),
    ],
)
def test_the_rules_of_a_role_must_say_something(kind: str, rule: Object, causes: list[tuple[str, str]]) -> None:
    assert causes_of(an(f"{RBAC}/v1", kind, rules=[rule])) == causes


def a_binding(kind: str = "RoleBinding", **fields: Any) -> Object:
    return an(f"{RBAC}/v1", kind, roleRef={"kind": "ClusterRole", "name": "view"}, **fields)


def test_a_binding_is_about_the_group_of_roles() -> None:
    made = defaulted(a_binding(subjects=[{"kind": "User", "name": "a"}, {"kind": "ServiceAccount", "name": "b"}]))

    assert made["roleRef"]["apiGroup"] == RBAC
    assert [subject.get("apiGroup") for subject in made["subjects"]] == [RBAC, None]


@pytest.mark.parametrize(
    ("kind", "subject", "cause"),
    [
        ("RoleBinding", {"kind": "User"}, ("subjects[0].name", "Required value")),
        (
            "RoleBinding",
            {"kind": "Robot", "name": "a"},
            ("subjects[0].kind", 'Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'),
        ),
        ("ClusterRoleBinding", {"kind": "ServiceAccount", "name": "a"}, ("subjects[0].namespace", "Required value")),
        (
            "RoleBinding",
            {"kind": "ServiceAccount", "name": "a", "apiGroup": RBAC},
            ("subjects[0].apiGroup", f'Unsupported value: "{RBAC}": supported values: ""'),
        ),
        (
            "RoleBinding",
            {"kind": "Group", "name": "a", "apiGroup": "example.com"},
            ("subjects[0].apiGroup", f'Unsupported value: "example.com": supported values: "{RBAC}"'),
        ),
    ],
)
def test_a_bad_subject_is_told_what_is_wrong(kind: str, subject: Object, cause: tuple[str, str]) -> None:
    assert causes_of(a_binding(kind, subjects=[subject])) == [cause]


@pytest.mark.parametrize(
    ("kind", "reference", "cause"),
    [
        ("RoleBinding", {"name": ""}, ("roleRef.name", "Required value")),
        ("RoleBinding", {"name": "a/b"}, ("roleRef.name", "Invalid value: \"a/b\": may not contain '/'")),
        (
            "RoleBinding",
            {"apiGroup": "example.com"},
            ("roleRef.apiGroup", f'Unsupported value: "example.com": supported values: "{RBAC}"'),
        ),
        (
            "RoleBinding",
            {"kind": "Rule"},
            ("roleRef.kind", 'Unsupported value: "Rule": supported values: "Role", "ClusterRole"'),
        ),
        (
            "ClusterRoleBinding",
            {"kind": "Role"},
            ("roleRef.kind", 'Unsupported value: "Role": supported values: "ClusterRole"'),
        ),
    ],
)
def test_a_binding_names_a_role(kind: str, reference: Object, cause: tuple[str, str]) -> None:
    binding = a_binding(kind)
    binding["roleRef"].update(reference)

    assert causes_of(binding) == [cause]


@pytest.mark.parametrize(
    ("selectors", "cause"),
    [
        (
            [],
            (
                "aggregationRule.clusterRoleSelectors",
                "Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
            ),
        ),
        (
            [{"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}],
            (
                "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values",
                "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
        ),
    ],
)
def test_an_aggregated_role_selects_others(selectors: list[Object], cause: tuple[str, str]) -> None:
    role = an(f"{RBAC}/v1", "ClusterRole", rules=[], aggregationRule={"clusterRoleSelectors": selectors})

    assert causes_of(role) == [cause]


def test_the_role_of_a_binding_may_not_change() -> None:
    [(field, message)] = update_causes(changed(a_binding(), "roleRef.name", "edit"), a_binding())

    assert field == "roleRef"
    assert message.endswith(": cannot change roleRef")
