"""Whether a rule of a webhook or admission policy matches a write: operations, resources, scope and selectors."""

from collections.abc import Iterable, Sequence

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.resources import Resource
from windlass.kube.json import Json, Object, dig, dig_list, dig_object
from windlass.kube.selector import from_object


def matches_rules(rules: Iterable[Json], attributes: Attributes, match_policy: str = "Equivalent") -> bool:
    """Whether any rule matches the write.

    All versions of a resource are the same objects, so under Equivalent a rule for one version matches all of them.
    """
    return any(_matches(rule, attributes, attributes.resource, match_policy) for rule in rules)


def matched_version(
    rules: Sequence[Json], attributes: Attributes, match_policy: str, served: Iterable[Resource]
) -> Resource | None:
    """The version of the resource that a rule names: the version of the write, or another `served` one."""
    resource = attributes.resource
    if any(_matches(rule, attributes, resource, "Exact") for rule in rules):
        return resource
    if match_policy == "Exact":
        return None
    others = [r for r in served if r.store_key == resource.store_key and r is not resource]
    return next((r for r in others if any(_matches(rule, attributes, r, "Exact") for rule in rules)), None)


def _matches(rule: Json, attributes: Attributes, resource: Resource, match_policy: str) -> bool:
    """Whether a `rule` matches: operations, apiGroups, apiVersions, resources, scope (in policies resourceNames)."""
    if not _has(dig_list(rule, "operations"), attributes.operation):
        return False
    if not _has(dig_list(rule, "apiGroups"), resource.group):
        return False
    if match_policy == "Exact" and not _has(dig_list(rule, "apiVersions"), resource.version):
        return False
    if not _in_scope(str(dig(rule, "scope") or "*"), resource):
        return False
    names = dig_list(rule, "resourceNames")
    if names and attributes.name not in names:
        return False
    return any(_names(str(pattern), resource, attributes.subresource) for pattern in dig_list(rule, "resources"))


def _has(wanted: list[Json], value: str) -> bool:
    return "*" in wanted or value in wanted


def _in_scope(scope: str, resource: Resource) -> bool:
    # Namespaces themselves are cluster-scoped, though their requests carry a namespace.
    return scope == "*" or (scope == "Namespaced") == resource.namespaced


def _names(pattern: str, resource: Resource, subresource: str) -> bool:
    """Whether a pattern matches: `pods`, `pods/status`, `pods/*`, `*/scale`, `*` (no subresources) or `*/*`."""
    plural, _, below = pattern.partition("/")
    return plural in ("*", resource.plural) and below in ("*", subresource)


def matches_selectors(spec: Object, attributes: Attributes, namespace: Object | None) -> bool:
    """Whether namespaceSelector and objectSelector match; an object matches by its new or its old labels."""
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
