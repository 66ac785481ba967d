"""The rules on `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` in a CRD's schema."""

from collections.abc import Iterator

from windlass.kube.errors import Cause, invalid, not_supported, required
from windlass.kube.json import Object, dig_list, dig_object, is_object

_LIST, _KEYS, _MAP = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
_SCALARS = ("string", "integer", "number", "boolean")


def list_causes(schema: Object, path: str) -> Iterator[Cause]:
    kind, keys = schema.get(_LIST), dig_list(schema, _KEYS)
    if kind is not None:
        if kind not in ("atomic", "set", "map"):
            yield not_supported(f"{path}.{_LIST}", kind, ("atomic", "map", "set"))
        yield from _typed(schema, "array", _LIST, path)
    if keys and kind != "map":
        why = f"must be map if {_KEYS} is non-empty"
        yield required(f"{path}.{_LIST}", why) if kind is None else invalid(f"{path}.{_LIST}", kind, why)
    if kind == "set":
        yield from _set_causes(schema, path)
    if kind == "map":
        yield from _map_list_causes(schema, [str(key) for key in keys], path)


def map_causes(schema: Object, path: str) -> Iterator[Cause]:
    kind = schema.get(_MAP)
    if kind is None:
        return
    if kind not in ("atomic", "granular"):
        yield not_supported(f"{path}.{_MAP}", kind, ("atomic", "granular"))
    yield from _typed(schema, "object", _MAP, path)


def _typed(schema: Object, wanted: str, word: str, path: str) -> Iterator[Cause]:
    kind = schema.get("type") or ""
    if kind != wanted:
        why = f"must be {wanted} if {word} is specified"
        yield invalid(f"{path}.type", kind, why) if kind else required(f"{path}.type", why)


def _set_causes(schema: Object, path: str) -> Iterator[Cause]:
    items = dig_object(schema, "items")
    if items.get("nullable") is True:
        yield _forbidden_nullable(f"{path}.items.nullable", "set")
    if items.get("type") == "object" and items.get(_MAP) != "atomic":
        why = f"must be atomic as item of a list with {_LIST}=set"
        yield invalid(f"{path}.items.{_MAP}", items.get(_MAP), why)
    if items.get("type") == "array" and items.get(_LIST) not in ("atomic", None):
        why = f"must be atomic as item of a list with {_LIST}=set"
        yield invalid(f"{path}.items.{_LIST}", items.get(_LIST), why)


def _forbidden_nullable(at: str, kind: str) -> Cause:
    return Cause(at, f"Forbidden: cannot be nullable when {_LIST} is {kind}", "FieldValueForbidden")


def _map_list_causes(schema: Object, keys: list[str], path: str) -> Iterator[Cause]:
    if not keys:
        yield required(f"{path}.{_KEYS}", f"must not be empty if {_LIST} is map")
    items = schema.get("items")
    if not is_object(items):
        yield required(f"{path}.items", f"must have a schema if {_LIST} is map")
        return
    if items.get("type") != "object":
        yield invalid(f"{path}.items.type", items.get("type") or "", f"must be object if parent array's {_LIST} is map")
    if items.get("nullable") is True:
        yield _forbidden_nullable(f"{path}.items.nullable", "map")
    if len(set(keys)) != len(keys):
        yield invalid(f"{path}.{_KEYS}", keys, "must not contain duplicate entries")
    for index, key in enumerate(keys):
        yield from _key_causes(items, key, f"{path}.{_KEYS}[{index}]", path)


def _key_causes(items: Object, key: str, at: str, path: str) -> Iterator[Cause]:
    properties = dig_object(items, "properties")
    if key not in properties:
        yield invalid(at, key, "entries must all be names of item properties")
        return
    declared = dig_object(properties, key)
    where = f"{path}.items.properties[{key}]"
    if declared.get("type") not in _SCALARS:
        why = f"must be a scalar type if parent array's {_LIST} is map"
        yield invalid(f"{where}.type", declared.get("type") or "", why)
    if declared.get("default") is None and key not in dig_list(items, "required"):
        why = f"this property is in {_KEYS}, so it must have a default or be a required property"
        yield required(f"{where}.default", why)
    if declared.get("nullable") is True:
        why = f"this property is in {_KEYS}, so it cannot be nullable"
        yield Cause(f"{where}.nullable", f"Forbidden: {why}", "FieldValueForbidden")
