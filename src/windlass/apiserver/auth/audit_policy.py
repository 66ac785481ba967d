"""The level of detail of the audit log by request: an `audit.k8s.io/v1` Policy, compiled.

The first matching rule decides; requests that no rule matches are not logged.
"""

from enum import IntEnum
from pathlib import Path

import msgspec

from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.rules import path_matches
from windlass.apiserver.auth.user import User
from windlass.formats.json_or_yaml import parse
from windlass.kube.json import Json, Object, dig_list, is_list, is_object

STAGES = ("RequestReceived", "ResponseStarted", "ResponseComplete", "Panic")


class Level(IntEnum):
    """The level of detail; each level includes the previous one."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    REQUEST_RESPONSE = 3


_NAMES = {
    "None": Level.NONE,
    "Metadata": Level.METADATA,
    "Request": Level.REQUEST,
    "RequestResponse": Level.REQUEST_RESPONSE,
}
LEVEL_NAMES = {level: name for name, level in _NAMES.items()}


class BadPolicy(ValueError):
    """A policy that cannot be used; the message contains the file and the field."""


class Verdict(msgspec.Struct, frozen=True):
    level: Level
    omit_stages: frozenset[str] = frozenset()
    omit_managed_fields: bool = False


class _Resources(msgspec.Struct, frozen=True):
    group: str
    resources: tuple[str, ...]
    names: tuple[str, ...]

    def match(self, asked: Attributes) -> bool:
        if self.group != asked.group:
            return False
        if not self.resources:
            return True
        if self.names and asked.name not in self.names:
            return False
        whole = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
        patterns = {whole, "*", f"{asked.resource}/*"}
        if asked.subresource:
            patterns.add(f"*/{asked.subresource}")
        return not patterns.isdisjoint(self.resources)


class _Rule(msgspec.Struct, frozen=True):
    verdict: Verdict
    users: tuple[str, ...]
    groups: tuple[str, ...]
    verbs: tuple[str, ...]
    namespaces: tuple[str, ...]
    resources: tuple[_Resources, ...]
    paths: tuple[str, ...]

    def match(self, user: User, asked: Attributes) -> bool:
        if self.users and user.name not in self.users:
            return False
        if self.groups and not set(self.groups) & set(user.groups):
            return False
        if self.verbs and asked.verb not in self.verbs:
            return False
        if self.namespaces or self.resources:
            if not asked.resource or (self.namespaces and asked.namespace not in self.namespaces):
                return False
            return not self.resources or any(resources.match(asked) for resources in self.resources)
        if self.paths:
            return not asked.resource and any(path_matches(pattern, asked.path) for pattern in self.paths)
        return True


class Policy:
    """A compiled audit policy; call `verdict` once per request."""

    def __init__(self, rules: tuple[_Rule, ...]) -> None:
        self._rules = rules

    def verdict(self, user: User, asked: Attributes) -> Verdict:
        for rule in self._rules:
            if rule.match(user, asked):
                return rule.verdict
        return NOT_LOGGED


NOT_LOGGED = Verdict(Level.NONE)


def read_policy(path: Path) -> Policy:
    """Read `--audit-policy-file`, in YAML or JSON."""
    try:
        document = parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadPolicy(f"cannot read the audit policy {path}: {error}") from error
    try:
        return compile_policy(document)
    except BadPolicy as error:
        raise BadPolicy(f"audit policy {path}: {error}") from error


def compile_policy(document: Json) -> Policy:
    if not is_object(document) or document.get("kind") != "Policy":
        raise BadPolicy("must be an object of kind Policy")
    if document.get("apiVersion") != "audit.k8s.io/v1":
        raise BadPolicy(f"apiVersion: {document.get('apiVersion')!r} is not audit.k8s.io/v1")
    rules = document.get("rules")
    if not is_list(rules) or not rules:
        raise BadPolicy("rules: at least one rule is required")
    return Policy(tuple(_rule(document, rule, f"rules[{number}]") for number, rule in enumerate(rules)))


def metadata_of_everything() -> Policy:
    """The policy of a server with an audit log and no policy file: level Metadata for all requests."""
    return compile_policy({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]})


def _rule(policy: Object, rule: Json, where: str) -> _Rule:
    if not is_object(rule):
        raise BadPolicy(f"{where}: must be an object")
    level = _NAMES.get(str(rule.get("level")))
    if level is None:
        raise BadPolicy(f"{where}.level: Unsupported value: {rule.get('level')!r}: supported: {', '.join(_NAMES)}")
    stages = _strings(policy, "omitStages", "omitStages") + _strings(rule, "omitStages", f"{where}.omitStages")
    unknown = sorted(set(stages) - set(STAGES))
    if unknown:
        raise BadPolicy(f"{where}.omitStages: Unsupported value: {unknown[0]!r}: supported: {', '.join(STAGES)}")
    resources = tuple(_resources(item, f"{where}.resources") for item in dig_list(rule, "resources"))
    paths, namespaces = (_strings(rule, key, f"{where}.{key}") for key in ("nonResourceURLs", "namespaces"))
    if paths and (resources or namespaces):
        raise BadPolicy(f"{where}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs")
    omit = rule.get("omitManagedFields", policy.get("omitManagedFields", False))
    return _Rule(
        Verdict(level, frozenset(stages), bool(omit)),
        _strings(rule, "users", f"{where}.users"),
        _strings(rule, "userGroups", f"{where}.userGroups"),
        _strings(rule, "verbs", f"{where}.verbs"),
        namespaces,
        resources,
        paths,
    )


def _resources(item: Json, where: str) -> _Resources:
    if not is_object(item):
        raise BadPolicy(f"{where}: must be objects")
    names = _strings(item, "resourceNames", f"{where}.resourceNames")
    resources = _strings(item, "resources", f"{where}.resources")
    if names and not resources:
        raise BadPolicy(f"{where}.resourceNames: using resourceNames requires at least one resource")
    return _Resources(str(item.get("group") or ""), resources, names)


def _strings(holder: Object, key: str, where: str) -> tuple[str, ...]:
    values = holder.get(key)
    if values is None:
        return ()
    if not is_list(values) or not all(isinstance(value, str) for value in values):
        raise BadPolicy(f"{where}: must be a list of strings")
    return tuple(values)
