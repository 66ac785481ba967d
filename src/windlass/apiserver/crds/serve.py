"""Builds the resources of an established CustomResourceDefinition, one per served version."""

from collections.abc import Callable

from windlass.apiserver.builtin.metadata import STANDARD_FINALIZERS
from windlass.apiserver.crds.conversion import Conversion, conversion_of
from windlass.apiserver.crds.definition import storage_version
from windlass.apiserver.crds.lifecycle import crd_status, is_terminating
from windlass.apiserver.crds.structural import Structural
from windlass.apiserver.resources import Column, Resource, ScaleSpec, Strategy
from windlass.kube.errors import Cause
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object
from windlass.kube.schema import ANY, Schema, from_crd

__all__ = ["CustomStrategy", "crd_status", "resources_of"]

_ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


class CustomStrategy(Strategy):
    """The strategy of custom resources of one version, driven by the definition's schema."""

    allows_unconditional_update = False

    def __init__(self, version: Object, conversion: Conversion) -> None:
        self.structural = Structural(dig(version, "schema", "openAPIV3Schema") or _ANYTHING)
        self.conversion = conversion
        """If `conversion.by_webhook`, await `conversion.convert` instead of calling to_storage and from_storage."""
        self._has_status = "status" in dig_object(version, "subresources")
        self._selectable = [
            (path.lstrip("."), path.lstrip(".").split("."))
            for field in dig_list(version, "selectableFields")
            if (path := str(dig(field, "jsonPath") or ""))
        ]

    def default(self, obj: Object) -> None:
        self.structural.default(obj)

    def refresh(self, obj: Object) -> None:
        self.structural.prune(obj)
        self.structural.default(obj)

    def prune(self, obj: Object) -> None:
        """Remove unknown fields in place, according to the schema."""
        self.structural.prune(obj)

    def prepare_create(self, obj: Object) -> None:
        if self._has_status:
            obj.pop("status", None)

    def prepare_update(self, new: Object, old: Object) -> None:
        if not self._has_status:
            return
        if "status" in old:
            new["status"] = old["status"]
        else:
            new.pop("status", None)

    def validate(self, obj: Object) -> list[Cause]:
        return self.structural.validate(obj)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return self.structural.validate_transition(new, old)

    def validate_change(self, new: Object, old: Object) -> list[Cause]:
        """Validate an update in place of validate and validate_update: tolerates old errors in unchanged fields."""
        return self.structural.validate_update(new, old)

    def warnings(self, obj: Object) -> list[str]:
        return [
            f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name including a path (/) to avoid '
            "accidental conflicts with other finalizer writers"
            for name in dig_list(obj, "metadata", "finalizers")
            if name not in STANDARD_FINALIZERS and "/" not in str(name)
        ]

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {name: _text(dig(obj, *path)) for name, path in self._selectable}


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def resources_of(crd: Object) -> list[Resource]:
    """Return the resources of every served version, storage version first."""
    spec, conversion = dig_object(crd, "spec"), conversion_of(crd)
    storage = storage_version(crd)
    versions = [v for v in dig_list(spec, "versions") if is_object(v) and v.get("served") is True]
    versions.sort(key=lambda version: version.get("name") != storage)
    return [_resource(crd, version, storage, conversion) for version in versions]


def _resource(crd: Object, version: Object, storage: str, conversion: Conversion) -> Resource:
    spec, names = dig_object(crd, "spec"), dig_object(crd, "spec", "names")
    accepted = dig_object(crd, "status", "acceptedNames") or names
    group, name = str(spec.get("group")), str(version.get("name"))
    subresources = dig_object(version, "subresources")
    other = name != storage
    mixed = any(version != storage for version in dig_list(crd, "status", "storedVersions"))
    return Resource(
        group=group,
        version=name,
        kind=str(names.get("kind")),
        plural=str(names.get("plural")),
        namespaced=spec.get("scope") == "Namespaced",
        singular=str(names.get("singular") or ""),
        list_kind=str(names.get("listKind") or ""),
        short_names=tuple(str(short) for short in dig_list(accepted, "shortNames")),
        categories=tuple(str(category) for category in dig_list(names, "categories")),
        subresources=frozenset(word for word in ("status", "scale") if word in subresources),
        scale=_scale(subresources.get("scale")),
        storage_version=storage,
        deprecated=_deprecation(version, group, str(names.get("kind"))),
        custom=True,
        terminating=is_terminating(crd),
        strategy=CustomStrategy(version, conversion),
        openapi=lambda: dig_object(version, "schema", "openAPIV3Schema"),
        load_schema=_schema_loader(version),
        load_columns=_columns_loader(version),
        to_storage=_converter(conversion, f"{group}/{storage}") if other else None,
        from_storage=_converter(conversion, f"{group}/{name}") if other or mixed else None,
    )


def _converter(conversion: Conversion, api_version: str) -> Callable[[Object], Object]:
    return lambda obj: conversion.convert_now(obj, api_version)


def _schema_loader(version: Object) -> Callable[[], Schema]:
    schema = dig(version, "schema", "openAPIV3Schema")
    return lambda: from_crd(schema) if is_object(schema) else ANY


def _columns_loader(version: Object) -> Callable[[], tuple[Column, ...]]:
    def load() -> tuple[Column, ...]:
        from windlass.apiserver.tables.custom import crd_columns

        return tuple(crd_columns(dig_list(version, "additionalPrinterColumns")))

    return load


def _scale(scale: Json) -> ScaleSpec | None:
    if not is_object(scale):
        return None
    return ScaleSpec(
        spec_replicas=str(scale.get("specReplicasPath") or "").lstrip("."),
        status_replicas=str(scale.get("statusReplicasPath") or "").lstrip("."),
        label_selector=str(scale.get("labelSelectorPath") or "").lstrip("."),
    )


def _deprecation(version: Object, group: str, kind: str) -> str:
    if version.get("deprecated") is not True:
        return ""
    return str(version.get("deprecationWarning") or f"{group}/{version.get('name')} {kind} is deprecated")
