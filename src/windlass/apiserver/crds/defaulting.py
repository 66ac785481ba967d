"""Applies a custom resource's defaults and drops nulls that its schema does not allow, as Kubernetes does.

A property that is absent, or null where null is not allowed, gets its default; a null that is neither allowed nor has a
default is dropped. Defaults apply to objects that exist: a default inside an absent object does not create it. The
operation is idempotent.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from windlass.kube.json import Json, Object, decode, dig_object, encode, is_list, is_object
from windlass.kube.schema import shared

Default: TypeAlias = Callable[[Any], None]


@shared.once
def compile_default(schema: Object) -> Default | None:
    """Compile the in-place defaulting of values of `schema`; None if there is nothing to do.

    Nested schemas are compiled when an object first uses them: a pod template has thousands of fields, an object few.
    """
    if is_object(items := schema.get("items")):
        return _list_default(items)
    properties = {name: sub for name, sub in dig_object(schema, "properties").items() if is_object(sub)}
    rest = schema.get("additionalProperties")
    if properties:
        return _object_default(properties)
    return _map_default(rest) if is_object(rest) else None


def _maker(schema: Object) -> Callable[[], Json] | None:
    """A function that returns a fresh copy of the default, or None without a default."""
    value = schema.get("default")
    if value is None:
        return None
    if is_object(value) or is_list(value):
        raw = encode(value)
        return lambda: decode(raw)
    return lambda: value


def _object_default(properties: dict[str, Object]) -> Default:
    makers = {name: maker for name, sub in properties.items() if (maker := _maker(sub))}
    below: dict[str, Default] = {}
    not_null = frozenset(name for name, sub in properties.items() if sub.get("nullable") is not True)

    def default(value: Any) -> None:
        if value.__class__ is not dict:
            return
        for name, make in makers.items():
            if name not in value or (value[name] is None and name in not_null):
                value[name] = make()
        if None in value.values():
            for name in [name for name, item in value.items() if item is None and name in not_null]:
                del value[name]
        for name, item in value.items():
            cls = item.__class__
            if cls is dict or cls is list:
                inner = below.get(name)
                if inner is None and name in properties:
                    inner = below[name] = compile_default(properties[name]) or _nothing
                if inner is not None:
                    inner(item)

    return default


def _map_default(rest: Object) -> Default | None:
    make, inner, nullable = _maker(rest), compile_default(rest), rest.get("nullable") is True
    if nullable and inner is None:
        return None

    def default(value: Any) -> None:
        if value.__class__ is not dict:
            return
        if not nullable and None in value.values():
            for name in [name for name, item in value.items() if item is None]:
                if make:
                    value[name] = make()
                else:
                    del value[name]
        if inner is not None:
            for item in value.values():
                inner(item)

    return default


def _list_default(items: Object) -> Default | None:
    make, inner, nullable = _maker(items), compile_default(items), items.get("nullable") is True
    if inner is None and (make is None or nullable):
        return None

    def default(value: Any) -> None:
        if value.__class__ is not list:
            return
        if make and not nullable:
            for index, item in enumerate(value):
                if item is None:
                    value[index] = make()
        if inner is not None:
            for item in value:
                inner(item)

    return default


def _nothing(value: Any) -> None:
    """Do nothing."""
