"""Validation of `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` in schemas."""

from collections.abc import Iterator

from windlass.kube.errors import Cause, forbidden, invalid, required, unsupported
from windlass.kube.json import Json, Object, dig_list, dig_object, is_list, is_object

_LIST, _KEYS, _MAP = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"


def list_causes(schema: Object, path: str) -> Iterator[Cause]:
    kind, keys = schema.get(_LIST), [str(key) for key in dig_list(schema, _KEYS)]
    if kind is not None:
        yield from _typed(schema, "array", _LIST, path)
        if kind not in ("atomic", "set", "map"):
            yield unsupported(f"{path}.{_LIST}", kind, ("atomic", "set", "map"))
    if keys and kind != "map":
        why = f"must be map if {_KEYS} is non-empty"
        yield required(f"{path}.{_LIST}", why) if kind is None else invalid(f"{path}.{_LIST}", kind, why)
    if kind == "set" and schema.get("type") == "array":
        yield from _set_causes(schema, path)
    if kind == "map":
        yield from _map_list_causes(schema.get("items"), keys, path)
    if kind in ("set", "map"):
        yield from _nullable_causes(dig_object(schema, "items"), kind, path)
    if kind == "map":
        yield from _key_causes(dig_object(schema, "items"), keys, path)


def map_causes(schema: Object, path: str) -> Iterator[Cause]:
    kind = schema.get(_MAP)
    if kind is None:
        return
    yield from _typed(schema, "object", _MAP, path)
    if kind not in ("atomic", "granular"):
        yield unsupported(f"{path}.{_MAP}", kind, ("atomic", "granular"))


def _typed(schema: Object, wanted: str, word: str, path: str) -> Iterator[Cause]:
    kind = schema.get("type") or ""
    if kind != wanted:
        why = f"must be {wanted} if {word} is specified"
        yield invalid(f"{path}.type", kind, why) if kind else required(f"{path}.type", why)


def _set_causes(schema: Object, path: str) -> Iterator[Cause]:
    items = dig_object(schema, "items")
    why = f"must be atomic as item of a list with {_LIST}=set"
    if items.get("type") == "object" and items.get(_MAP) != "atomic":
        yield invalid(f"{path}.items.{_MAP}", items.get(_LIST) or "null", why)  # the value that Kubernetes shows
    if items.get("type") == "array" and items.get(_LIST) not in ("atomic", None):
        yield invalid(f"{path}.items.{_LIST}", items.get(_LIST), why)


def _map_list_causes(items: Json, keys: list[str], path: str) -> Iterator[Cause]:
    if not keys:
        yield required(f"{path}.{_KEYS}", f"must not be empty if {_LIST} is map")
    if is_list(items):
        yield invalid(f"{path}.items", items, f"must only have a single schema if {_LIST} is map")
    elif not is_object(items):
        yield required(f"{path}.items", f"must have a schema if {_LIST} is map")
    elif items.get("type") != "object":
        yield invalid(f"{path}.items.type", items.get("type") or "", f"must be object if parent array's {_LIST} is map")
    else:
        yield from _key_name_causes(items, keys, path)


def _key_name_causes(items: Object, keys: list[str], path: str) -> Iterator[Cause]:
    properties = dig_object(items, "properties")
    for index, key in enumerate(keys):
        if key not in properties:
            yield invalid(f"{path}.{_KEYS}", keys, "entries must all be names of item properties")
        elif dig_object(properties, key).get("type") in ("array", "object"):
            why = f"must be a scalar type if parent array's {_LIST} is map"
            yield invalid(f"{path}.items.properties[{key}].type", "object", why)  # shown is the type of the items
        if key in keys[:index]:
            yield invalid(f"{path}.{_KEYS}", keys, "must not contain duplicate entries")


def _nullable_causes(items: Object, kind: str, path: str) -> Iterator[Cause]:
    if items.get("nullable") is True:
        yield forbidden(f"{path}.items.nullable", f"cannot be nullable when {_LIST} is {kind}")


def _key_causes(items: Object, keys: list[str], path: str) -> Iterator[Cause]:
    properties = dig_object(items, "properties")
    for key in keys:
        if key not in properties:
            continue
        declared, at = dig_object(properties, key), f"{path}.items.properties[{key}]"
        if declared.get("default") is None and key not in dig_list(items, "required"):
            why = f"this property is in {_KEYS}, so it must have a default or be a required property"
            yield required(f"{at}.default", why)
        if declared.get("nullable") is True:
            yield forbidden(f"{at}.nullable", f"this property is in {_KEYS}, so it cannot be nullable")
