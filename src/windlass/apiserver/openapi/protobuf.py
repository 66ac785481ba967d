"""An OpenAPI 2 document in protocol buffers (gnostic's `openapi.v2.Document`).

kubectl 1.27 and 1.28 read version 2 in no other format. The field numbers are those of gnostic's OpenAPIv2.proto;
fields that Windlass' documents do not use are left out.
"""

import struct
from collections.abc import Iterable

from windlass.kube.json import Json, Object, encode, is_object

MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
ASKED_FOR = frozenset((MEDIA_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"))
"""Accepted media types: kubectl sends an `@`, which is invalid in a media type and which Go refuses in a response."""

_TEXTS = {"$ref": 1, "format": 2, "title": 3, "description": 4, "pattern": 13, "discriminator": 26}
_DOUBLES = {"multipleOf": 6, "maximum": 7, "minimum": 9}
_FLAGS = {"exclusiveMaximum": 8, "exclusiveMinimum": 10, "uniqueItems": 16, "readOnly": 27}
_INTEGERS = {"maxLength": 11, "minLength": 12, "maxItems": 14, "minItems": 15, "maxProperties": 17, "minProperties": 18}
_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}
_EXTENSION_OF_SCHEMA, _EXTENSION_OF_OPERATION = 31, 13


def document(content: Object) -> bytes:
    info = _text(1, content["info"]["title"]) + _text(2, content["info"]["version"])
    paths = _named(2, ((path, _path_item(item)) for path, item in content["paths"].items()))
    definitions = _named(1, ((name, _schema(schema)) for name, schema in content["definitions"].items()))
    return _text(1, content["swagger"]) + _message(2, info) + _message(8, paths) + _message(9, definitions)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # a negative number is written as its two's complement
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _message(field: int, payload: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(payload)) + payload


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode()) if value else b""


def _texts(field: int, values: Iterable[str]) -> bytes:
    return b"".join([_message(field, value.encode()) for value in values])


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value) if value else b""


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _named(field: int, pairs: Iterable[tuple[str, bytes]]) -> bytes:
    """Encode a map as pairs of name and value."""
    return b"".join([_message(field, _text(1, name) + _message(2, value)) for name, value in pairs])


def _any(value: Json) -> bytes:
    return _text(2, encode(value).decode() + "\n")  # as YAML, which JSON is


def _extensions(field: int, content: Object) -> bytes:
    return _named(field, ((key, _any(value)) for key, value in content.items() if key.startswith("x-")))


def _schema(schema: Object) -> bytes:
    parts = [_schema_field(key, value) for key, value in schema.items()]
    parts.append(_extensions(_EXTENSION_OF_SCHEMA, schema))
    return b"".join(parts)


def _schema_field(key: str, value: Json) -> bytes:
    if key in _TEXTS:
        return _text(_TEXTS[key], value)
    if key in _DOUBLES:
        return _double(_DOUBLES[key], value)
    if key in _FLAGS or key in _INTEGERS:
        return _integer(_FLAGS.get(key) or _INTEGERS[key], int(value))
    match key:
        case "default":
            return _message(5, _any(value))
        case "required":
            return _texts(19, value)
        case "enum":
            return b"".join([_message(20, _any(one)) for one in value])
        case "additionalProperties":
            inner = _message(1, _schema(value)) if is_object(value) else _integer(2, int(value))
            return _message(21, inner)
        case "type":
            return _message(22, _text(1, value))
        case "items" if is_object(value):
            return _message(23, _message(1, _schema(value)))
        case "properties":
            return _message(25, _named(1, ((name, _schema(field)) for name, field in value.items())))
        case _:
            return b""


def _path_item(item: Object) -> bytes:
    operations = [_message(number, _operation(item[method])) for method, number in _METHODS.items() if method in item]
    return b"".join(operations) + _parameters(9, item.get("parameters", ()))


def _operation(operation: Object) -> bytes:
    responses = _named(
        1, ((code, _message(1, _response(response))) for code, response in operation["responses"].items())
    )
    return b"".join(
        (
            _texts(1, operation["tags"]),
            _text(3, operation["description"]),
            _text(5, operation["operationId"]),
            _texts(6, operation["produces"]),
            _texts(7, operation["consumes"]),
            _parameters(8, operation.get("parameters", ())),
            _message(9, responses),
            _texts(10, operation["schemes"]),
            _extensions(_EXTENSION_OF_OPERATION, operation),
        )
    )


def _response(response: Object) -> bytes:
    schema = response.get("schema")
    return _text(1, response["description"]) + (_message(2, _message(1, _schema(schema))) if schema else b"")


def _parameters(field: int, parameters: Iterable[Object]) -> bytes:
    return b"".join([_message(field, _message(1, _parameter(parameter))) for parameter in parameters])


def _parameter(parameter: Object) -> bytes:
    """Encode a parameter: those of the body, the query and the path are different messages."""
    place, required = parameter["in"], _integer(1, parameter.get("required", False))
    if place == "body":
        required = _integer(4, parameter.get("required", False))
        named = _text(2, parameter["name"]) + _text(3, place)
        return _message(1, named + required + _message(5, _schema(parameter["schema"])))
    common = required + _text(2, place) + _text(3, parameter["description"]) + _text(4, parameter["name"])
    if place == "query":
        return _message(2, _message(3, common + _text(6, parameter["type"]) + _integer(20, True)))
    return _message(2, _message(4, common + _text(5, parameter["type"]) + _integer(19, True)))
