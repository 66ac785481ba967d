"""Validation of defaults in a CRD's schema: they must be valid values of that schema, without unknown fields."""

from collections.abc import Iterator

from windlass.apiserver.crds.embedded import check_embedded
from windlass.apiserver.crds.findings import Finding
from windlass.apiserver.crds.pruning import compile_prune
from windlass.apiserver.crds.schema_positions import TYPE_META
from windlass.apiserver.crds.structural import has_rules
from windlass.apiserver.crds.validating import compile_check
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Json, Object, decode, dig_object, encode, is_object
from windlass.kube.schema import shared

_EMBEDDED = "x-kubernetes-embedded-resource"
_OBJECT: Object = {"apiVersion": "validation/v1", "kind": "Validation"}
"""A minimal object, around a default inside of metadata while that is validated."""


def default_causes(schema: Object, path: str) -> Iterator[Cause]:
    """Return the errors in the defaults of a whole schema. Kubernetes does not descend into additionalProperties."""
    return _below({**schema, _EMBEDDED: True}, path, ())


def _below(schema: Object, path: str, inside: tuple[str, ...]) -> Iterator[Cause]:
    """Validate nested defaults; `inside` is the path from an object's root, within its apiVersion, kind or metadata."""
    is_resource = schema.get(_EMBEDDED) is True
    if is_resource:
        inside = ()
    if schema.get("default") is not None:
        yield from _in_metadata(schema, path, inside) if inside else _value_causes(schema, f"{path}.default")
    if is_object(items := schema.get("items")) and not shared.is_kept(items):
        yield from _below(items, f"{path}.items", (*inside, "") if inside else ())
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub) and not shared.is_kept(sub):  # a type of Kubernetes' own has right defaults
            way = (*inside, name) if inside or (is_resource and name in TYPE_META) else ()
            yield from _below(sub, f"{path}.properties[{name}]", way)


def _value_causes(schema: Object, path: str) -> Iterator[Cause]:
    value: Json = schema["default"]
    pruned = decode(encode(value))
    if prune := compile_prune(schema):
        prune(pruned)
    if pruned != value:
        yield invalid(path, value, "must not have unknown fields")
    yield from _invalid(schema, path)


def _invalid(schema: Object, path: str) -> Iterator[Cause]:
    """Validate a default against its own schema; CEL rules run last and only if the structure is valid."""
    found: list[Finding] = []
    compile_check(schema)(schema["default"], None, found)
    causes = [cause for _, cause in found]
    if not causes and has_rules(schema):
        from windlass.apiserver.cel.rules import compile_rules

        causes = compile_rules(schema).check(schema["default"])
    for cause in causes:
        yield Cause(_joined(path, cause.field), cause.message, cause.reason)


def _joined(path: str, field: str) -> str:
    if field in ("", "<nil>"):
        return path
    return f"{path}{field}" if field.startswith("[") else f"{path}.{field}"


def _in_metadata(schema: Object, path: str, inside: tuple[str, ...]) -> Iterator[Cause]:
    """Validate a default inside of metadata, as the only metadata of an object."""
    value: Json = schema["default"]
    around: Json = value
    for name in reversed(inside):
        around = {name: around} if name else [around]
    found: list[Finding] = []
    check_embedded({**_OBJECT, **dig_object({"": around}, "")}, None, found)
    if found:
        messages = [f"{cause.field}: {cause.message}" for _, cause in found]
        listed = messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"
        yield invalid(f"{path}.default", value, f"must result in valid metadata: {listed}")
    else:
        yield from _invalid(schema, f"{path}.default")
