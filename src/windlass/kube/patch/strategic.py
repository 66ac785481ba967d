"""Strategic merge patch: a merge patch that knows from the kind's schema which lists merge, and by which key.

Directives in a patch: `$patch: delete | replace | merge` in an object or a list element, `$retainKeys` (only these
fields stay), `$deleteFromPrimitiveList/<field>`, `$setElementOrder/<field>`. null removes a field.
"""

from typing import Any, Final, cast

from windlass.kube.json import Json, Object, decode, encode, is_list, is_object
from windlass.kube.patch.errors import PatchError
from windlass.kube.patch.ordering import identity, ordered
from windlass.kube.schema import ANY, Schema

_PATCH: Final = "$patch"
_RETAIN: Final = "$retainKeys"
_DELETE: Final = "$deleteFromPrimitiveList/"
_ORDER: Final = "$setElementOrder/"


def apply(doc: Object, patch: Json, schema: Schema) -> Object:
    """The patched document; neither argument is touched or shared. PatchError where the patch makes no sense."""
    if not is_object(patch):
        raise PatchError("Invalid JSON document")
    return _merge_map(decode(encode(doc)), decode(encode(patch)), schema)


def _merge_map(original: Object, patch: Object, schema: Schema) -> Object:
    directive = patch.pop(_PATCH, None)
    if directive == "replace":
        return _cleaned_map(patch)
    if directive == "delete":
        return {}
    if directive not in (None, "merge"):
        raise _bad_directive(directive, patch)
    _retain(original, patch)
    for key in [key for key in patch if key.startswith(_ORDER)]:
        _merge_in_order(original, patch, key, schema)
    for key, value in patch.items():
        if key.startswith(_DELETE):
            _delete_primitives(original, key, value)
        elif value is None:
            original.pop(key, None)
        else:
            original[key] = _merged(original.get(key), value, _child(schema, key))
    return original


def _merged(original: Json, patch: Json, schema: Schema) -> Json:
    """What one field becomes."""
    replaces = "replace" in schema.patch_strategy
    if is_object(patch) and is_object(original) and not replaces:
        return _merge_map(original, patch, schema)
    if is_list(patch) and is_list(original) and "merge" in schema.patch_strategy:
        return _merge_list(original, patch, schema)
    return _cleaned(patch)


def _child(schema: Schema, key: str) -> Schema:
    if schema.type == "map":
        return schema.items or ANY
    return schema.properties.get(key, ANY)


# Fields that the patch keeps, deletes or orders


def _retain(original: Object, patch: Object) -> None:
    keys = patch.pop(_RETAIN, None)
    if keys is None:
        return
    kept = set(keys) if is_list(keys) else set[Any]()
    if not is_list(keys) or any(_sets(key, value) and key not in kept for key, value in patch.items()):
        raise PatchError("invalid patch format of retainKeys")
    for key in [key for key in original if key not in kept]:
        del original[key]


def _sets(key: str, value: Json) -> bool:
    """Whether this part of a patch gives a field a value: no directive, and no removal."""
    return value is not None and not key.startswith("$")


def _delete_primitives(original: Object, directive: str, values: Json) -> None:
    if not is_list(values) or any(isinstance(value, dict | list) for value in values):
        raise PatchError("invalid patch format of primitive list")
    key = directive.removeprefix(_DELETE)
    existing = original.get(key)
    if is_list(existing):
        original[key] = [item for item in existing if item not in values]


def _merge_in_order(original: Object, patch: Object, directive: str, schema: Schema) -> None:
    order = patch.pop(directive)
    key = directive.removeprefix(_ORDER)
    child = _child(schema, key)
    _check_order(order, patch.get(key), child.merge_key)
    existing = original.get(key)
    given = patch.pop(key, None) if is_list(patch.get(key)) else None
    if given is None and not is_list(existing):
        return
    merged: list[Any]
    if given is None:
        merged = cast(list[Any], existing)
    elif not is_list(existing):
        merged = _cleaned_list(given)
    else:
        merged = _merged(existing, given, child)
    original[key] = ordered(merged, order, cast(list[Any], existing or []), child.merge_key)


def _check_order(order: Json, given: Json, merge_key: str) -> None:
    """Every element that the patch sets must stand in its order list, in that order."""
    if not is_list(order):
        raise PatchError("invalid patch format of setElementOrder list")
    if not is_list(given):
        return
    positions = [_position(order, item, merge_key) for item in given if not _is_deletion(item)]
    if None in positions or positions != sorted(cast(list[int], positions)):
        raise PatchError(
            f"The order in patch list:\n{_shown(given)}\n doesn't match $setElementOrder list:\n{_shown(order)}\n"
        )


def _position(order: list[Any], item: Json, merge_key: str) -> int | None:
    wanted = item.get(merge_key) if is_object(item) else item
    for index, each in enumerate(order):
        if (each.get(merge_key) if is_object(each) else each) == wanted:
            return index
    return None


def _is_deletion(item: Json) -> bool:
    return is_object(item) and item.get(_PATCH) == "delete"


# Lists that merge


def _merge_list(original: list[Any], patch: list[Any], schema: Schema) -> list[Any]:
    if not any(isinstance(item, dict | list) for item in (*original, *patch)):
        merged = list(dict.fromkeys([*original, *patch]))
        return ordered(merged, patch, original, "")
    key = schema.merge_key
    if not key:
        raise PatchError("cannot merge lists of objects without a merge key")
    remaining, patch = _without_directives(original, patch, key)
    positions = {identity(item, key): index for index, item in enumerate(remaining) if is_object(item)}
    items = schema.items or ANY
    for item in patch:
        _key_of(item, key)
        value = identity(item, key)
        index = positions.get(value)
        if index is None:
            positions[value] = len(remaining)
            remaining.append(_cleaned(item))
        else:
            remaining[index] = _merge_map(remaining[index], item, items)
    return ordered(remaining, patch, original, key)


def _without_directives(original: list[Any], patch: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Carry out the elements that are directives; what is left of the original and of the patch."""
    remaining, plain = list(original), list[Any]()
    replaced = False
    for item in patch:
        directive = item.get(_PATCH) if is_object(item) else None
        if directive is None or directive == "merge":
            plain.append(item)
        elif directive == "replace":
            replaced = True
        elif directive == "delete":
            value = _key_of(item, key)
            remaining = [each for each in remaining if not (is_object(each) and each.get(key) == value)]
        else:
            raise _bad_directive(directive, item)
    return ([], plain) if replaced else (remaining, plain)


def _key_of(item: Json, key: str) -> Json:
    if not is_object(item) or item.get(key) is None:
        raise PatchError(f"map: {_shown(item)} does not contain declared merge key: {key}")
    return item[key]


# New values: no directives and no nulls may stay in them


def _cleaned(value: Json) -> Json:
    if is_object(value):
        return _cleaned_map(value)
    return _cleaned_list(value) if is_list(value) else value


def _cleaned_map(patch: Object) -> Object:
    if patch.get(_PATCH) == "delete":
        return {}
    return {
        key: _cleaned(value)
        for key, value in patch.items()
        if value is not None and key not in (_PATCH, _RETAIN) and not key.startswith((_ORDER, _DELETE))
    }


def _cleaned_list(items: list[Any]) -> list[Any]:
    plain = [item for item in items if not (is_object(item) and item.get(_PATCH) in ("delete", "replace"))]
    return [_cleaned(item) for item in plain]


def _bad_directive(directive: Json, patch: Object) -> PatchError:
    return PatchError(f"unknown patch type found: {directive} in {_shown(patch)}")


def _shown(value: Json) -> str:
    return encode(value).decode()
