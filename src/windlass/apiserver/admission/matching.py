"""Whether a rule of a webhook or admission policy is about a write: operations, resources, scope and selectors."""

from collections.abc import Iterable

from windlass.apiserver.admission.chain import Attributes
from windlass.kube.json import Json, Object, dig_list, dig_object
from windlass.kube.selector import from_object


def matches_rules(rules: Iterable[Json], attributes: Attributes, match_policy: str = "Equivalent") -> bool:
    return any(matches_rule(rule, attributes, match_policy) for rule in rules)


def matches_rule(rule: Json, attributes: Attributes, match_policy: str = "Equivalent") -> bool:
    """One `rule` with operations, apiGroups, apiVersions, resources, scope (and resourceNames, in policies)."""
    resource = attributes.resource
    if not _has(dig_list(rule, "operations"), attributes.operation):
        return False
    if not _has(dig_list(rule, "apiGroups"), resource.group):
        return False
    # All versions of a resource are the same objects: under Equivalent a rule for one of them is for every one.
    if match_policy == "Exact" and not _has(dig_list(rule, "apiVersions"), resource.version):
        return False
    if not _in_scope(str(dig_object({"rule": rule}, "rule").get("scope") or "*"), attributes):
        return False
    names = dig_list(rule, "resourceNames")
    if names and attributes.name not in names:
        return False
    return any(_names(str(pattern), attributes) for pattern in dig_list(rule, "resources"))


def _has(wanted: list[Json], value: str) -> bool:
    return "*" in wanted or value in wanted


def _in_scope(scope: str, attributes: Attributes) -> bool:
    # Namespaces themselves are cluster-scoped, though their requests carry a namespace.
    return scope == "*" or (scope == "Namespaced") == attributes.resource.namespaced


def _names(pattern: str, attributes: Attributes) -> bool:
    plural, _, subresource = pattern.partition("/")
    if plural not in ("*", attributes.resource.plural):
        return False
    if pattern == "*/*" or subresource == "*":
        return True
    return subresource == attributes.subresource


def matches_selectors(spec: Object, attributes: Attributes, namespace: Object | None) -> bool:
    """The namespaceSelector and the objectSelector; an object matches by its new or its old labels."""
    wanted = dig_object(spec, "namespaceSelector")
    if wanted and not _matches_namespace(wanted, attributes, namespace):
        return False
    selector = dig_object(spec, "objectSelector")
    if not selector:
        return True
    compiled = from_object(selector)
    return any(
        compiled.matches(dig_object(obj, "metadata", "labels"))
        for obj in (attributes.obj, attributes.old)
        if obj is not None
    )


def _matches_namespace(selector: Object, attributes: Attributes, namespace: Object | None) -> bool:
    if attributes.resource.store_key == "/namespaces":
        namespace = attributes.obj or attributes.old
    elif not attributes.resource.namespaced:
        return True
    return namespace is not None and from_object(selector).matches(dig_object(namespace, "metadata", "labels"))
