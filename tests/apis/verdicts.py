"""Runs the admission rules of apps on plain objects, with the facts that a test gives."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from windlass.apis.admission import Checks, Facts, Mutation, Request, Rule, Validation
from windlass.apps import all_apps
from windlass.kube.json import Object

NO_CHECKS = Checks(
    pod_template=lambda template: [],
    job_template=lambda where, template: [],
    pattern=lambda pattern: "",
    custom_resource=lambda obj: [],
)


@dataclass
class FakeFacts:
    """Objects by kind, namespace and name."""

    objects: dict[tuple[type, str, str], Object] = field(default_factory=dict[tuple[type, str, str], Object])
    checks: Checks = NO_CHECKS
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def get(self, kind: type, name: str, namespace: str = "") -> Object | None:
        return self.objects.get((kind, namespace, name))

    def list(self, kind: type, namespace: str = "") -> Sequence[Object]:
        return [obj for (each, _, _), obj in self.objects.items() if each is kind]


def rule_of(kind: str, rule: type[Mutation] | type[Validation], group: str = "") -> Rule:
    """The rule of a kind; `group` where several apps have one of that name."""
    (found,) = (
        one
        for app in all_apps()
        for one in app.rules
        if one.kind.name == kind and isinstance(one, rule) and group in ("", one.kind.group)
    )
    return found


def judged(kind: str, obj: Object, old: Object | None = None, facts: Facts | None = None) -> tuple[str, list[str]]:
    """The message of the refusal, empty where the write is allowed, and the warnings."""
    rule = rule_of(kind, Validation)
    assert isinstance(rule, Validation)
    metadata = obj.get("metadata", {})
    request = Request(
        operation="CREATE" if old is None else "UPDATE",
        kind=kind,
        obj=obj,
        old=old,
        namespace=metadata.get("namespace", "default"),
        name=metadata.get("name", ""),
    )
    verdict = rule.validate(request, facts or FakeFacts())
    return (verdict.refusal or {}).get("message", ""), list(verdict.warnings)
