"""Evaluate Istio's AuthorizationPolicies for one request.

A request that a DENY policy matches is denied. Otherwise it is allowed if there is no ALLOW policy, or if one matches.
A condition of an unknown key never allows: it is taken not to match in ALLOW, and to match in DENY. CUSTOM policies are
left to the gateway itself, which has authenticated the request.

Policies of the mesh's root namespace hold for every workload that their selector fits: for the pod that a request goes
to, and for the ingress gateway, whose part the gateway plays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from windlass.apis.istio.mesh import INGRESS_LABELS, INGRESS_PRINCIPAL, ROOT_NAMESPACE
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy, Condition, Operation, Rule, Source
from windlass.kube.meta import LabelSelector

GROUPS_HEADER = "kubeflow-groups"


@dataclass(frozen=True, kw_only=True)
class PolicyRequest:
    """Attributes of a request that rules match. Header names are in lower case."""

    method: str
    path: str
    host: str = ""
    port: int = 80
    principal: str = INGRESS_PRINCIPAL
    namespace: str = ROOT_NAMESPACE
    request_principal: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def passes_ingress(root_policies: Iterable[AuthorizationPolicy], request: PolicyRequest) -> bool:
    """Whether the mesh's own policies let the request through the ingress gateway, which it reaches from outside."""
    return is_allowed(root_policies, replace(request, principal="", namespace=""), INGRESS_LABELS)


def have_selectors(policies: Iterable[AuthorizationPolicy]) -> bool:
    """Whether the labels of a workload decide which of the policies hold for it."""
    return any(policy.spec.selector is not None for policy in policies)


def is_allowed(
    policies: Iterable[AuthorizationPolicy], request: PolicyRequest, labels: Mapping[str, str] | None = None
) -> bool:
    """Whether the policies of the target's and the root namespace let the request reach a workload of these labels."""
    applying = [policy for policy in policies if _selects(policy.spec.selector, labels or {})]
    denying = [rule for policy in applying if policy.spec.action == "DENY" for rule in policy.spec.rules]
    if any(_matches(rule, request, unknown=True) for rule in denying):
        return False
    allowing = [policy for policy in applying if policy.spec.action in ("ALLOW", "")]
    return not allowing or any(
        _matches(rule, request, unknown=False) for policy in allowing for rule in policy.spec.rules
    )


def _selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    return selector is None or all(labels.get(key) == value for key, value in selector.match_labels.items())


def _matches(rule: Rule, request: PolicyRequest, *, unknown: bool) -> bool:
    return (
        (not rule.from_ or any(_from(entry.source, request, unknown=unknown) for entry in rule.from_))
        and (not rule.to or any(_to(entry.operation, request) for entry in rule.to))
        and all(_when(condition, request, unknown=unknown) for condition in rule.when)
    )


def _from(source: Source, request: PolicyRequest, *, unknown: bool) -> bool:
    if source.is_unknown and not unknown:
        return False
    return (
        _fits(source.principals, source.not_principals, request.principal)
        and _fits(source.request_principals, source.not_request_principals, request.request_principal)
        and _fits(source.namespaces, source.not_namespaces, request.namespace)
    )


def _to(operation: Operation, request: PolicyRequest) -> bool:
    return (
        _fits(operation.hosts, operation.not_hosts, request.host)
        and _fits(operation.ports, operation.not_ports, str(request.port))
        and _fits(operation.methods, operation.not_methods, request.method)
        and _fits(operation.paths, operation.not_paths, request.path)
    )


_ATTRIBUTES: Mapping[str, Callable[[PolicyRequest], str]] = {
    "source.namespace": lambda request: request.namespace,
    "source.principal": lambda request: request.principal,
    "request.auth.principal": lambda request: request.request_principal,
    "destination.port": lambda request: str(request.port),
}


def _when(condition: Condition, request: PolicyRequest, *, unknown: bool) -> bool:
    key = condition.key
    if key.startswith("request.headers[") and key.endswith("]"):
        name = key[len("request.headers[") : -1].lower()
        value = request.headers.get(name, "")
        if name == GROUPS_HEADER:  # Istio's patterns cannot find one in the middle of the list
            groups = value.split(",")
            is_in = any(_fits(condition.values, [], group) for group in groups)
            return is_in and all(_fits([], condition.not_values, group) for group in groups)
    elif key in _ATTRIBUTES:
        value = _ATTRIBUTES[key](request)
    else:
        return unknown
    return _fits(condition.values, condition.not_values, value)


def _fits(patterns: list[str], excluded: list[str], value: str) -> bool:
    return (not patterns or any(_like(pattern, value) for pattern in patterns)) and not any(
        _like(pattern, value) for pattern in excluded
    )


def _like(pattern: str, value: str) -> bool:
    """Istio's patterns: `*` for any value that is there, `abc*`, `*abc`, or the exact value."""
    if pattern == "*":
        return bool(value)
    if pattern.endswith("*"):
        return value.startswith(pattern[:-1])
    if pattern.startswith("*"):
        return value.endswith(pattern[1:])
    return value == pattern
