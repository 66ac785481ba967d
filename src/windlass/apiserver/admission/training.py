"""Training jobs are checked as the training operator's webhooks check them, in the same words and without a webhook."""

from typing import ClassVar

from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import OLD_VERSIONS, convert, legacy_problems
from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.apis.training.validation import problems, warnings
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.kube.errors import Cause, Forbidden, Invalid
from windlass.kube.json import Object, decode, encode
from windlass.kube.kind import KINDS

_OWN_RULES = ("v1", "v2beta1")
"""Versions that are checked as they are; those before them as the v1 object that they become."""
_PLURALS = ("chainerjobs", *(KINDS.of(framework.kind).plural for framework in FRAMEWORKS))


class TrainingJobs(Plugin):
    """A job that cannot run is refused, every bad field by its name."""

    kinds = frozenset(f"{GROUP}/{plural}" for plural in _PLURALS)
    operations: ClassVar[frozenset[str]] = frozenset({"CREATE", "UPDATE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def validate(self, attributes: Attributes) -> None:
        obj, old = attributes.obj, attributes.old
        assert obj is not None
        if old is not None and obj.get("spec") == old.get("spec"):
            return
        if obj["kind"] in OLD_VERSIONS and attributes.resource.version not in _OWN_RULES:
            self._check_conversion(attributes, obj)
            obj, old = convert(obj, f"{GROUP}/v1"), convert(old, f"{GROUP}/v1") if old is not None else None
        found = problems(obj, old)
        if found:
            raise Forbidden(denial(str(obj["kind"]), found), causes=found)
        for told in warnings(attributes.obj or {}):
            if told not in attributes.warnings:  # this is asked twice where webhooks are configured
                attributes.warnings.append(told)

    def _check_conversion(self, attributes: Attributes, obj: Object) -> None:
        """An old version keeps whatever it is given; what v1 could not hold must not get that far."""
        found = legacy_problems(obj)
        stored = self._api.registry.by_kind(GROUP, "v1", str(obj["kind"]))
        if not found and stored is not None:
            becomes: Object = decode(encode(convert(obj, f"{GROUP}/v1")))
            stored.strategy.refresh(becomes)
            found = stored.strategy.validate(becomes)
        if found:
            raise Invalid.of(attributes.resource.kind, GROUP, attributes.name, found)


def denial(kind: str, found: list[Cause]) -> str:
    """What the operator's webhook would have answered."""
    told = [f"{cause.field}: {cause.message}" for cause in found]
    listed = told[0] if len(told) == 1 else f"[{', '.join(told)}]"
    return f'admission webhook "validator.{kind.lower()}.training-operator.{GROUP}" denied the request: {listed}'
