"""Removes fields of a custom resource that its schema does not specify, as Kubernetes does before storing it.

`x-kubernetes-preserve-unknown-fields` keeps unknown fields at its own level; specified fields below it are still pruned
by their own schemas. Embedded resources keep their apiVersion, kind and metadata. A field that only
`additionalProperties: true` allows is kept, but an object there is emptied, since its fields are unspecified.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from windlass.kube.json import Object, dig_object, is_object
from windlass.kube.schema import shared

Prune: TypeAlias = Callable[[Any], None]

_IMPLIED = ("apiVersion", "kind", "metadata")


def compile_prune(schema: Object, *, root: bool = False) -> Prune | None:
    """Compile the in-place pruning of values of `schema`; None if no field could be unknown."""
    return _compiled(schema, True) if root else _compile_below(schema)


@shared.once
def _compile_below(schema: Object) -> Prune | None:
    return _compiled(schema, False)


def _compiled(schema: Object, root: bool) -> Prune | None:
    if is_object(items := schema.get("items")):
        return _items(compile_prune(items))
    rest = schema.get("additionalProperties")
    if is_object(rest):
        return _values(compile_prune(rest))
    return _fields(schema, root or schema.get("x-kubernetes-embedded-resource") is True, keep=isinstance(rest, bool))


def _items(inner: Prune | None) -> Prune | None:
    if inner is None:
        return None

    def prune(value: Any) -> None:
        if value.__class__ is list:
            for item in value:
                inner(item)

    return prune


def _values(inner: Prune | None) -> Prune | None:
    if inner is None:
        return None

    def prune(value: Any) -> None:
        if value.__class__ is dict:
            for item in value.values():
                inner(item)

    return prune


def _fields(schema: Object, resource: bool, *, keep: bool) -> Prune | None:
    """Compile the pruning of fields; `keep`: whether additionalProperties without a schema keeps undeclared fields."""
    properties = dig_object(schema, "properties")
    preserve = keep or schema.get("x-kubernetes-preserve-unknown-fields") is True
    below: dict[str, Prune] = {}  # compiled when an object first has the field
    known = frozenset((*properties, *(_IMPLIED if resource else ())))
    if resource:
        below["metadata"] = _nothing
    if preserve and not properties and not keep:
        return None

    def prune(value: Any) -> None:
        cls = value.__class__
        if cls is list:  # an array without a schema of its items: Kubernetes prunes each of them
            for item in value:
                prune(item)
        if cls is not dict:
            return
        if not preserve:
            for name in [name for name in value if name not in known]:
                del value[name]
        for name, item in value.items():
            item_class = item.__class__
            if item_class is dict or item_class is list:
                inner = below.get(name)
                if inner is None and name in properties:
                    inner = below[name] = compile_prune(properties[name]) or _nothing
                if inner is None and keep:
                    inner = _empty
                if inner is not None:
                    inner(item)

    return prune


def _empty(value: Any) -> None:
    """Remove all fields of the objects in a value without a schema."""
    if value.__class__ is dict:
        value.clear()
    elif value.__class__ is list:
        for item in value:
            _empty(item)


def _nothing(value: Any) -> None:
    """Do nothing."""
