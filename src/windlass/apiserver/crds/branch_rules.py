"""Validation of allOf, anyOf, oneOf and not: they may restrict values, while structure belongs outside."""

from collections.abc import Iterator

from windlass.apiserver.crds.schema_positions import SchemaPosition
from windlass.apiserver.crds.word_rules import word_causes
from windlass.formats import patterns
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object

_LISTED = ("anyOf", "allOf", "oneOf")
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_OUTSIDE = {
    "type": "must be empty to be structural",
    "additionalProperties": "must be undefined to be structural",
    "default": "must be undefined to be structural",
    "title": "must be empty to be structural",
    "description": "must be empty to be structural",
    "nullable": "must be false to be structural",
    "externalDocs": "must be undefined to be structural",
    "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
    "x-kubernetes-embedded-resource": "must be false to be structural",
    "x-kubernetes-int-or-string": "must be false to be structural",
    "x-kubernetes-list-map-keys": "must be empty to be structural",
    "x-kubernetes-list-type": "must be undefined to be structural",
    "x-kubernetes-map-type": "must be undefined to be structural",
    "x-kubernetes-validations": "must be empty to be structural",
}
"""What is forbidden in a branch, with its message."""


def branch_causes(schema: Object, path: str, position: SchemaPosition) -> Iterator[Cause]:
    """Return the errors inside the branches of a structural schema.

    Types may be named in a branch in two spellings of int-or-string: `anyOf: [{type: integer}, {type: string}]`, and
    the same as the first of `allOf`.
    """
    any_of = dig_list(schema, "anyOf") == _INT_OR_STRING
    first = dig_list(schema, "allOf")[:1]
    yield from _branches(
        schema,
        path,
        position,
        typed_any_of=any_of,
        typed_first=bool(first) and dig(first[0], "anyOf") == _INT_OR_STRING,
    )


def _branches(
    schema: Object, path: str, position: SchemaPosition, *, typed_any_of: bool = False, typed_first: bool = False
) -> Iterator[Cause]:
    for word in _LISTED:
        if word == "anyOf" and typed_any_of:
            continue
        for index, sub in enumerate(dig_list(schema, word)):
            if is_object(sub):
                typed = word == "allOf" and index == 0 and typed_first
                yield from _branch(sub, f"{path}.{word}[{index}]", position, typed_any_of=typed)
    if is_object(never := schema.get("not")):
        yield from _branch(never, f"{path}.not", position)


def _branch(schema: Object, path: str, position: SchemaPosition, *, typed_any_of: bool = False) -> Iterator[Cause]:
    yield from word_causes(schema, path, position)
    yield from pattern_causes(schema, path)
    for word, why in _OUTSIDE.items():
        if schema.get(word) not in (None, False, "", []):
            yield forbidden(f"{path}.{word}", why)
    yield from _branches(schema, path, position, typed_any_of=typed_any_of)
    properties = dig_object(schema, "properties")
    if "metadata" in properties:
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")
    for name, sub in properties.items():
        if is_object(sub):
            yield from _branch(sub, f"{path}.properties[{name}]", position)
    if is_object(items := schema.get("items")):
        yield from _branch(items, f"{path}.items", position)


def pattern_causes(schema: Object, path: str) -> Iterator[Cause]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and pattern:
        try:
            patterns.check(pattern)
        except patterns.BadPattern as error:
            yield invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {error}")


# completeness


def completeness_causes(schema: Object, path: str) -> Iterator[Cause]:
    """Report fields that a branch of the root restricts and the structure lacks; Kubernetes checks only the root."""
    return _undeclared(schema, schema, path, path)


def _undeclared(branch: Object, schema: Object, at: str, where: str) -> Iterator[Cause]:
    for word in _LISTED:
        for index, sub in enumerate(dig_list(branch, word)):
            if is_object(sub):
                yield from _undeclared_below(sub, schema, at, f"{where}.{word}[{index}]")
    if is_object(never := branch.get("not")):
        yield from _undeclared_below(never, schema, at, f"{where}.not")


def _undeclared_below(branch: Object, schema: Json, at: str, where: str) -> Iterator[Cause]:
    if not is_object(schema):
        yield required(at, f"because it is defined in {where}")
        return
    yield from _undeclared(branch, schema, at, where)
    if is_object(items := branch.get("items")):
        yield from _undeclared_below(items, schema.get("items"), f"{at}.items", f"{where}.items")
    declared = dig_object(schema, "properties")
    for name, sub in dig_object(branch, "properties").items():
        if is_object(sub):
            step = f".properties[{name}]"
            yield from _undeclared_below(sub, declared.get(name), at + step, where + step)
