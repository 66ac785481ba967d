"""JSON patch (RFC 6902): a list of operations, applied in order, all or none.

Two habits of Kubernetes are kept: a negative index counts from the end, and `test` for null holds where there is no
such field.
"""

import re
from collections.abc import Callable
from typing import Any, Final, cast

from windlass.kube.json import Json, Object, decode, encode, is_object
from windlass.kube.patch.errors import PatchError
from windlass.kube.patch.merge_patch import same

MAX_OPERATIONS: Final = 10_000
MAX_COPIED: Final = 3 * 1024 * 1024
"""Bytes of JSON that the copy operations of a patch may add: each may double the document."""
_INDEX: Final = re.compile(r"-?(0|[1-9][0-9]{0,8})")
_MISSING: Final = object()

Container = dict[str, Any] | list[Any]
Operation = Callable[[Json, Object, str], Json]


def apply(doc: Json, operations: Json) -> Json:
    """The patched document; `doc` is not touched. PatchError where an operation is malformed or does not fit."""
    if not isinstance(operations, list):
        raise PatchError("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    steps = cast(list[Any], operations)
    if len(steps) > MAX_OPERATIONS:
        raise PatchError(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(steps)}", code=413
        )
    doc = decode(encode(doc))
    copied = 0
    for step in steps:
        if not is_object(step):
            raise PatchError("json: cannot unmarshal value into Go value of type jsonpatch.Operation")
        kind: Any = step.get("op")
        if not isinstance(kind, str) or kind not in _OPERATIONS:
            raise PatchError(f"Unexpected kind: {kind}", code=422)
        path: Any = step.get("path")
        if not isinstance(path, str):
            raise PatchError(f"{kind} operation does not apply: unable to decode path", code=422)
        if kind == "copy":
            copied += len(encode(_source(doc, step, "copy")[1]))
            if copied > MAX_COPIED:
                raise PatchError(
                    f"Unable to complete the copy, the accumulated size increase of copy operations is {copied}, "
                    f"exceeding the limit {MAX_COPIED}",
                    code=413,
                )
        doc = _OPERATIONS[kind](doc, step, path)
    return doc


def _does_not_apply(operation: str, path: str, why: str) -> PatchError:
    return PatchError(f'{operation} operation does not apply: {why}: "{path}": missing value', code=422)


def _tokens(path: str) -> list[str]:
    if not path:
        return []
    if not path.startswith("/"):
        raise PatchError(f'operation does not apply: doc is missing path: "{path}": missing value', code=422)
    return [token.replace("~1", "/").replace("~0", "~") for token in path[1:].split("/")]


def _index(token: str, size: int) -> int | None:
    """The position that a token names among `size` places, or None."""
    if not _INDEX.fullmatch(token) or token == "-0":
        return None
    index = int(token)
    if index < 0:
        index += size
    return index if 0 <= index < size else None


def _step(container: Json, token: str) -> Json:
    if is_object(container):
        return container.get(token, _MISSING)
    if isinstance(container, list):
        items = cast(list[Any], container)
        index = _index(token, len(items))
        return _MISSING if index is None else items[index]
    return _MISSING


def _found(doc: Json, path: str) -> Json:
    for token in _tokens(path):
        doc = _step(doc, token)
        if doc is _MISSING:
            return _MISSING
    return doc


def _holder(doc: Json, path: str, operation: str) -> tuple[Container, str]:
    """The container that the last token of the path is looked up in."""
    *parents, last = _tokens(path)
    for token in parents:
        doc = _step(doc, token)
    if not isinstance(doc, dict | list):
        raise _does_not_apply(operation, path, "doc is missing path")
    return cast(Container, doc), last


def _value(step: Object, operation: str) -> Json:
    if "value" not in step:
        raise PatchError(f"{operation} operation does not apply: missing value", code=422)
    return decode(encode(step["value"]))


def _insert(doc: Json, path: str, value: Json, operation: str) -> Json:
    if not path:
        return value
    holder, token = _holder(doc, path, operation)
    if isinstance(holder, dict):
        holder[token] = value
        return doc
    # One place more than there are items: the one behind the last, which `-` names too.
    index = len(holder) if token == "-" else _index(token, len(holder) + 1)
    if index is None:
        raise PatchError(f"error in {operation} for path: '{path}': invalid index referenced", code=422)
    holder.insert(index, value)
    return doc


def _drop(doc: Json, path: str, operation: str) -> Json:
    if not path:
        return None
    holder, token = _holder(doc, path, operation)
    if _step(holder, token) is _MISSING:
        raise PatchError(
            f"error in {operation} for path: '{path}': Unable to remove nonexistent key: {token}: missing value",
            code=422,
        )
    if isinstance(holder, dict):
        del holder[token]
    else:
        del holder[cast(int, _index(token, len(holder)))]
    return doc


def _add(doc: Json, step: Object, path: str) -> Json:
    return _insert(doc, path, _value(step, "add"), "add")


def _remove(doc: Json, step: Object, path: str) -> Json:
    return _drop(doc, path, "remove")


def _replace(doc: Json, step: Object, path: str) -> Json:
    value = _value(step, "replace")
    if not path:
        return value
    holder, token = _holder(doc, path, "replace")
    if _step(holder, token) is _MISSING:
        raise _does_not_apply("replace", path, "doc is missing key")
    if isinstance(holder, dict):
        holder[token] = value
    else:
        holder[cast(int, _index(token, len(holder)))] = value
    return doc


def _source(doc: Json, step: Object, operation: str) -> tuple[str, Json]:
    source: Any = step.get("from")
    if not isinstance(source, str):
        raise PatchError(f"{operation} operation does not apply: unable to decode from", code=422)
    value = _found(doc, source)
    if value is _MISSING:
        raise _does_not_apply(operation, source, "doc is missing from path")
    return source, value


def _move(doc: Json, step: Object, path: str) -> Json:
    source, value = _source(doc, step, "move")
    if path.startswith(source + "/"):
        raise PatchError(f"error in move for path: '{path}': cannot move a value into itself", code=422)
    return _insert(_drop(doc, source, "move"), path, value, "move")


def _copy(doc: Json, step: Object, path: str) -> Json:
    _, value = _source(doc, step, "copy")
    return _insert(doc, path, decode(encode(value)), "copy")


def _test(doc: Json, step: Object, path: str) -> Json:
    expected, found = step.get("value"), _found(doc, path)
    if found is _MISSING:
        found = None
    if not same(found, expected):
        raise PatchError(f"testing value {path} failed: test failed", code=422)
    return doc


_OPERATIONS: Final[dict[str, Operation]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
