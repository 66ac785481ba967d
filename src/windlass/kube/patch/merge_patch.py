"""JSON merge patch (RFC 7386): objects merge field by field, null removes a field, all else replaces."""

from typing import cast

from windlass.kube.json import Json, Object, decode, encode, is_object


def apply(doc: Json, patch: Json) -> Json:
    """The patched document; neither argument is touched or shared."""
    if not is_object(patch):
        return decode(encode(patch))
    return _merged(decode(encode(doc)) if is_object(doc) else {}, decode(encode(patch)))


def _merged(target: Object, patch: Object) -> Object:
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif is_object(value):
            existing = target.get(key)
            target[key] = _merged(existing if is_object(existing) else {}, value)
        else:
            target[key] = value
    return target


def diff(old: Json, new: Json) -> Json:
    """The smallest merge patch that turns `old` into `new`; `new` must hold no null inside objects."""
    if not is_object(old) or not is_object(new):
        return new
    patch: Object = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif not same(old[key], value):
            patch[key] = diff(old[key], value)
    return patch


def same(one: Json, other: Json) -> bool:
    """Equality of JSON values: Python's, except that true is not 1."""
    if one.__class__ is not other.__class__:
        numbers = (int, float)
        return one.__class__ in numbers and other.__class__ in numbers and one == other
    if isinstance(one, dict):
        left, right = cast(Object, one), cast(Object, other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list):
        pairs = zip(cast("list[Json]", one), cast("list[Json]", other), strict=False)
        return len(cast("list[Json]", one)) == len(other) and all(same(a, b) for a, b in pairs)
    return bool(one == other)
