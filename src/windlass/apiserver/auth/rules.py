"""An RBAC PolicyRule: whether it allows a request or covers another rule, and its text form.

Pure functions on a compiled `Rule`; `rbac.py` decides with `allows`, `escalation.py` with `missing`.
"""

from collections.abc import Iterable, Sequence

import msgspec

from windlass.apiserver.auth.attributes import Attributes, quoted_list
from windlass.kube.json import Object, dig_list, is_object

ALL = "*"


class Rule(msgspec.Struct, frozen=True):
    """A PolicyRule, as tuples in the order of the manifest."""

    verbs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def allows(self, asked: Attributes) -> bool:
        return self.allows_any_name(asked) and (not asked.resource or not self.names or asked.name in self.names)

    def allows_any_name(self, asked: Attributes) -> bool:
        """Whether the rule would allow the request for some object name."""
        if asked.verb not in self.verbs and ALL not in self.verbs:
            return False
        if not asked.resource:
            return any(path_matches(pattern, asked.path) for pattern in self.paths)
        if asked.group not in self.groups and ALL not in self.groups:
            return False
        return _resource_in(self.resources, asked.resource, asked.subresource)

    def covers(self, other: "Rule") -> bool:
        """Whether this rule allows everything that `other` allows."""
        return (
            _all_in(other.verbs, self.verbs)
            and _all_in(other.groups, self.groups)
            and all(_resource_in(self.resources, *_split(resource)) for resource in other.resources)
            and all(any(path_matches(mine, path) for mine in self.paths) for path in other.paths)
            and (not self.names or (bool(other.names) and set(other.names) <= set(self.names)))
        )

    def manifest(self) -> Object:
        fields = {
            "verbs": self.verbs,
            "apiGroups": self.groups,
            "resources": self.resources,
            "resourceNames": self.names,
            "nonResourceURLs": self.paths,
        }
        return {key: list(values) for key, values in fields.items() if values}

    def text(self) -> str:
        """The short form that Kubernetes prints in its messages."""
        fields = {
            "APIGroups": self.groups,
            "Resources": self.resources,
            "ResourceNames": self.names,
            "NonResourceURLs": self.paths,
            "Verbs": self.verbs,
        }
        return "{" + ", ".join(f"{key}:{quoted_list(values)}" for key, values in fields.items() if values) + "}"


def compile_rule(manifest: Object) -> Rule:
    return Rule(
        _strings(manifest, "verbs"),
        _strings(manifest, "apiGroups"),
        _strings(manifest, "resources"),
        _strings(manifest, "resourceNames"),
        _strings(manifest, "nonResourceURLs"),
    )


def compile_rules(manifests: Iterable[object]) -> tuple[Rule, ...]:
    return tuple(compile_rule(manifest) for manifest in manifests if is_object(manifest))


def path_matches(pattern: str, path: str) -> bool:
    if pattern in (ALL, path):
        return True
    return pattern.endswith(ALL) and path.startswith(pattern[:-1])


def missing(held: Sequence[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """Return the smallest parts of `wanted` that `held` does not cover, merged where only the verb differs."""
    lacking = [part for rule in wanted for part in _parts(rule) if not any(own.covers(part) for own in held)]
    joined: dict[Rule, dict[str, None]] = {}
    for part in lacking:
        whole = msgspec.structs.replace(part, verbs=()) if not part.paths else part
        joined.setdefault(whole, {}).update(dict.fromkeys(part.verbs))
    return [msgspec.structs.replace(rule, verbs=tuple(verbs)) for rule, verbs in joined.items()]


def _parts(rule: Rule) -> list[Rule]:
    names: list[tuple[str, ...]] = [(name,) for name in rule.names] or [()]
    parts = [
        Rule((verb,), (group,), (resource,), name)
        for group in rule.groups
        for resource in rule.resources
        for verb in rule.verbs
        for name in names
    ]
    return parts + [Rule((verb,), paths=(path,)) for path in rule.paths for verb in rule.verbs]


def _all_in(wanted: tuple[str, ...], held: tuple[str, ...]) -> bool:
    return ALL in held or all(item in held for item in wanted)


def _resource_in(resources: tuple[str, ...], resource: str, subresource: str) -> bool:
    if ALL in resources:
        return True
    if not subresource:
        return resource in resources
    return f"{resource}/{subresource}" in resources or f"*/{subresource}" in resources


def _split(resource: str) -> tuple[str, str]:
    name, _, subresource = resource.partition("/")
    return name, subresource


def _strings(manifest: Object, field: str) -> tuple[str, ...]:
    return tuple(str(item) for item in dig_list(manifest, field))
