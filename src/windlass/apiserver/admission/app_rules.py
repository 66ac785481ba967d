"""Admission rules of the apps (`windlass.apis`), run in process where a cluster would call a webhook."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from windlass.apis.admission import Checks, Mutation, Request, Rule, Validation
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.reviews import Refusal
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.app_checks import checks_by
from windlass.apps import all_apps
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS, Kind

_DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions"


def app_rules(api: Api) -> list[Plugin]:
    """Return a plugin for each rule, in the order of the apps."""
    return [*app_mutations(api), *app_validations(api)]


def app_mutations(api: Api) -> list[Plugin]:
    return [_Mutating(api, rule) for rule in _rules() if isinstance(rule, Mutation)]


def app_validations(api: Api) -> list[Plugin]:
    return [_Validating(api, rule) for rule in _rules() if isinstance(rule, Validation)]


def _rules() -> Iterator[Rule]:
    return (rule for app in all_apps() for rule in app.rules)


def _store_key(kind: Kind) -> str:
    return f"{kind.group}/{kind.plural}"


class _Stored:
    """Facts for the rules, read from the store: the newest state, including writes that wait for their commit."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.checks: Checks = checks_by(api.registry)

    @property
    def now(self) -> datetime:
        return datetime.now(UTC)

    def get(self, kind: type, name: str, namespace: str = "") -> Object | None:
        return self._api.read(_store_key(KINDS.of(kind)), namespace, name)

    def list(self, kind: type, namespace: str = "") -> Sequence[Object]:
        return [*self._api.read_all(_store_key(KINDS.of(kind)), namespace or None)]

    def has_labels(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether a namespace has these labels."""
        if not labels:
            return True
        held = dig_object(self._api.read("/namespaces", "", namespace) or {}, "metadata", "labels")
        return all(held.get(key) == value for key, value in labels.items())

    def is_going(self, kind: Kind) -> bool:
        """Whether a kind is being removed together with all its objects."""
        definition = self._api.read(_DEFINITIONS, "", kind.group_resource)
        return bool(dig(definition, "metadata", "deletionTimestamp"))


class _Mutating(Plugin):
    def __init__(self, api: Api, rule: Mutation) -> None:
        self._facts, self._rule = _Stored(api), rule

    def applies(self, operation: str, store_key: str, subresource: str) -> bool:
        return not subresource and store_key == _store_key(self._rule.kind) and operation in self._rule.operations

    def mutate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if obj is None or not self._facts.has_labels(attributes.namespace, self._rule.namespace_labels):
            return
        changed = self._rule.mutate(_request(attributes), self._facts)
        if changed != obj:
            obj.update(changed)
            attributes.resource.strategy.default(obj)  # as after a webhook: what was added has none


class _Validating(Plugin):
    def __init__(self, api: Api, rule: Validation) -> None:
        self._facts, self._rule = _Stored(api), rule

    def applies(self, operation: str, store_key: str, subresource: str) -> bool:
        return not subresource and store_key == _store_key(self._rule.kind) and operation in self._rule.operations

    def validate(self, attributes: Attributes) -> None:
        obj, concerns = attributes.obj, self._rule.concerns
        if obj is None and self._facts.is_going(self._rule.kind):
            return
        if obj is not None and concerns is not None and not concerns(obj):
            return
        if not self._facts.has_labels(attributes.namespace, self._rule.namespace_labels):
            return
        verdict = self._rule.validate(_request(attributes), self._facts)
        if verdict.refusal is not None:
            raise Refusal(self._rule.name, verdict.refusal)
        # Where webhooks are configured, plugins run twice for one write.
        attributes.warnings += [warning for warning in verdict.warnings if warning not in attributes.warnings]


def _request(attributes: Attributes) -> Request:
    return Request(
        operation=attributes.operation,
        kind=attributes.resource.kind,
        obj=attributes.obj,
        old=attributes.old,
        namespace=attributes.namespace,
        name=attributes.name,
    )
