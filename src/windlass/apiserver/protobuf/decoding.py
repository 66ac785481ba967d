"""Converts Kubernetes' protobuf bodies to the objects that the same clients would have sent as JSON.

A body is four magic bytes and a `runtime.Unknown`: the object's apiVersion and kind, and its message as bytes. Go
writes every field that is not a pointer, set or not; fields that its JSON would have omitted are omitted here too, so
that defaulting gives the same result.
"""

from typing import cast

from windlass.apiserver.protobuf.table import INLINE, LIST, SINGLE, Field, fields_of, message_of
from windlass.apiserver.protobuf.values import text
from windlass.formats.protobuf_wire import LENGTH, VARINT, BadMessage, fields, varints
from windlass.kube.errors import BadRequest, UnsupportedMediaType
from windlass.kube.json import Json, Object

_MAGIC = b"k8s\x00"


def decode(body: bytes) -> Object:
    """Decode a body. Raises BadRequest if it is malformed, UnsupportedMediaType for kinds without a protobuf format."""
    if not body.startswith(_MAGIC):
        raise BadRequest(
            "the object provided is unrecognized: provided data does not appear to be a protobuf message, "
            f"expected prefix [{' '.join(map(str, _MAGIC))}]"
        )
    try:
        api_version, kind, raw = _envelope(body[len(_MAGIC) :])
    except BadMessage as error:
        raise BadRequest(f"the object provided is unrecognized: {error}") from error
    if not kind:
        raise BadRequest("Object 'Kind' is missing in the protobuf message")
    message = message_of(api_version, kind)
    if message is None:
        raise UnsupportedMediaType(
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml"
        )
    obj: Object = {"apiVersion": api_version, "kind": kind}
    try:
        _read(message, raw, obj)
    except BadMessage as error:
        version = api_version.rpartition("/")[2]
        raise BadRequest(f'{kind} in version "{version}" cannot be handled as a {kind}: {error}') from error
    return obj


def _envelope(data: bytes) -> tuple[str, str, bytes]:
    """Return apiVersion, kind and the object's own bytes of a runtime.Unknown."""
    type_meta, raw = _strings_of(data, ("typeMeta", "raw"))
    api_version, kind = _strings_of(type_meta, ("apiVersion", "kind"))
    return text(api_version), text(kind), raw


def _strings_of(data: bytes, names: tuple[str, str]) -> list[bytes]:
    found = [b"", b""]
    for number, wire_type, value in fields(data):
        if number <= len(found):
            if wire_type != LENGTH:
                raise BadMessage(f"proto: wrong wireType = {wire_type} for field {names[number - 1]}")
            found[number - 1] = cast(bytes, value)
    return found


def _read(message: str, data: bytes, obj: Object) -> Object:
    """Decode a message's fields into `obj`."""
    known = fields_of(message)
    for number, wire_type, value in fields(data):
        field = known.get(number)
        if field is None:  # of a newer Kubernetes
            continue
        if wire_type != field.wire_type:
            _put_packed(obj, field, wire_type, value)
        elif field.shape == SINGLE:
            converted = _convert(field, value)
            if converted or (field.keep_zero and converted is not None):
                obj[field.name] = converted
        elif field.shape == LIST:
            obj.setdefault(field.name, []).append(_convert(field, value))
        elif field.shape == INLINE:
            _read(field.message, cast(bytes, value), obj)
        else:
            _put_entry(obj, field, cast(bytes, value))
    return obj


def _convert(field: Field, value: int | bytes) -> Json:
    if field.convert is None:
        return _read(field.message, cast(bytes, value), {})
    return field.convert(value)


def _put_packed(obj: Object, field: Field, wire_type: int, value: int | bytes) -> None:
    """Append a list of numbers, which may also be encoded as one packed field."""
    if field.shape != LIST or field.wire_type != VARINT or wire_type != LENGTH or not isinstance(value, bytes):
        raise BadMessage(f"proto: wrong wireType = {wire_type} for field {field.name}")
    obj.setdefault(field.name, []).extend(_convert(field, number) for number in varints(value))


def _put_entry(obj: Object, field: Field, entry: bytes) -> None:
    key, value = "", b""
    for number, wire_type, part in fields(entry):
        if number > 2:
            continue
        if wire_type != LENGTH or not isinstance(part, bytes):
            raise BadMessage(f"proto: wrong wireType = {wire_type} for field {field.name}")
        if number == 1:
            key = text(part)
        else:
            value = part
    obj.setdefault(field.name, {})[key] = _convert(field, value)
