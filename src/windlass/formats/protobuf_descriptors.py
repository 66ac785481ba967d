"""Descriptors: declared messages and services as protobuf's own libraries and gRPC's reflection describe them. Pure.

    file_descriptor("api/v1.proto", "api", {"RunService": {"GetRun": (GET_RUN_REQUEST, RUN)}})

A file has the services, the messages that they use and the enumerations of these. What other packages define is in the
files that `GOOGLE_FILES` names.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from windlass.formats.protobuf_messages import (
    BOOL,
    BYTES,
    DOUBLE,
    INT32,
    INT64,
    STRING,
    EnumOf,
    ListOf,
    MapOf,
    Message,
    Scalar,
    Single,
    Type,
    encode,
)
from windlass.formats.protobuf_well_known import (
    ANY,
    DURATION,
    EMPTY,
    LIST_VALUE,
    STATUS,
    STRUCT,
    TIMESTAMP,
    VALUE,
)

Signatures: TypeAlias = Mapping[str, Mapping[str, tuple[Message, Message]]]
"""By service and method, what it takes and what it answers."""

_FIELD = Message(
    "FieldDescriptorProto",
    name=(1, STRING),
    number=(3, INT32),
    label=(4, INT32),
    type=(5, INT32),
    type_name=(6, STRING),
    oneof_index=(9, INT32),
    json_name=(10, STRING),
)
_ENUM_VALUE = Message("EnumValueDescriptorProto", name=(1, STRING), number=(2, INT32))
_ENUM = Message("EnumDescriptorProto", name=(1, STRING), value=(2, ListOf(_ENUM_VALUE)))
_OPTIONS = Message("MessageOptions", map_entry=(7, BOOL))
_ONEOF = Message("OneofDescriptorProto", name=(1, STRING))
_MESSAGE = Message("DescriptorProto", name=(1, STRING), field=(2, ListOf(_FIELD)))
_MESSAGE.add(
    nested_type=(3, ListOf(_MESSAGE)),
    enum_type=(4, ListOf(_ENUM)),
    options=(7, _OPTIONS),
    oneof_decl=(8, ListOf(_ONEOF)),
)
_METHOD = Message("MethodDescriptorProto", name=(1, STRING), input_type=(2, STRING), output_type=(3, STRING))
_SERVICE = Message("ServiceDescriptorProto", name=(1, STRING), method=(2, ListOf(_METHOD)))
FILE = Message(
    "FileDescriptorProto",
    name=(1, STRING),
    package=(2, STRING),
    dependency=(3, ListOf(STRING)),
    message_type=(4, ListOf(_MESSAGE)),
    enum_type=(5, ListOf(_ENUM)),
    service=(6, ListOf(_SERVICE)),
    syntax=(12, STRING),
)

_OPTIONAL, _REPEATED = 1, 3
_MESSAGE_TYPE, _ENUM_TYPE = 11, 14
_SCALAR_TYPES: Mapping[Scalar, int] = {DOUBLE: 1, INT64: 3, INT32: 5, BOOL: 8, STRING: 9, BYTES: 12}

GOOGLE_FILES: Mapping[str, tuple[Message, ...]] = {
    "google/protobuf/any.proto": (ANY,),
    "google/protobuf/duration.proto": (DURATION,),
    "google/protobuf/empty.proto": (EMPTY,),
    "google/protobuf/struct.proto": (STRUCT, VALUE, LIST_VALUE),
    "google/protobuf/timestamp.proto": (TIMESTAMP,),
    "google/rpc/status.proto": (STATUS,),
}
_FILE_OF = {message.name: file for file, messages in GOOGLE_FILES.items() for message in messages}


def google_file(name: str) -> bytes:
    """The descriptor of a file of `GOOGLE_FILES`."""
    messages = GOOGLE_FILES[name]
    return _file(name, messages[0].name.rpartition(".")[0], messages, {})


def file_descriptor(name: str, package: str, services: Signatures) -> bytes:
    used = [message for methods in services.values() for pair in methods.values() for message in pair]
    return _file(name, package, used, services)


def _file(name: str, package: str, used: Iterable[Message], services: Signatures) -> bytes:
    found = list(_contained(used, {}))
    own = [message for message in found if _package(message.name, package) == package]
    enums = {type.type_name: type for message in own for type in _enums(message) if type.type_name}
    described = {
        "name": name,
        "package": package,
        "dependency": sorted({_FILE_OF[message.name] for message in found if message not in own} - {name}),
        "message_type": [_message(message, package) for message in own],
        "enum_type": [_enum(_short(each), type) for each, type in enums.items()],
        "service": [
            {
                "name": service,
                "method": [
                    {
                        "name": method,
                        "input_type": _full(request.name, package),
                        "output_type": _full(response.name, package),
                    }
                    for method, (request, response) in methods.items()
                ],
            }
            for service, methods in services.items()
        ],
        "syntax": "proto3",
    }
    return encode(FILE, described)


def _contained(messages: Iterable[Message], known: dict[str, Message]) -> Iterator[Message]:
    """The messages, and those in them, each once by its name."""
    for message in messages:
        if message.name in known:
            continue
        known[message.name] = message
        yield message
        yield from _contained(
            [single for _, type in message.fields.values() if isinstance(single := _single(type), Message)], known
        )


def _enums(message: Message) -> list[EnumOf]:
    return [single for _, type in message.fields.values() if isinstance(single := _single(type), EnumOf)]


def _single(type: Type) -> Single:
    return type.item if isinstance(type, ListOf) else type.value if isinstance(type, MapOf) else type


def _message(message: Message, package: str) -> dict[str, Any]:
    choices = list(message.choices)
    place = f"{_full(message.name, package)}."
    nested = [
        {**_message(Message(f"{_camel(name)}Entry", **type.entry.fields), package), "options": {"map_entry": True}}
        for name, (_, type) in message.fields.items()
        if isinstance(type, MapOf)
    ]
    return {
        "name": _short(message.name),
        "field": [
            {
                "name": name,
                "number": number,
                "label": _REPEATED if isinstance(type, ListOf | MapOf) else _OPTIONAL,
                **_typed(name, type, package, place),
                "oneof_index": next((at for at, each in enumerate(choices) if name in message.choices[each]), None),
                "json_name": _camel(name)[0].lower() + _camel(name)[1:],
            }
            for name, (number, type) in message.fields.items()
        ],
        "nested_type": nested,
        "enum_type": [
            _enum(_camel(name), single)
            for name, (_, type) in message.fields.items()
            if isinstance(single := _single(type), EnumOf) and not single.type_name
        ],
        "oneof_decl": [{"name": choice} for choice in choices],
    }


def _typed(name: str, type: Type, package: str, place: str) -> dict[str, Any]:
    match type:
        case MapOf():
            return {"type": _MESSAGE_TYPE, "type_name": f"{place}{_camel(name)}Entry"}
        case ListOf(item):
            return _typed(name, item, package, place)
        case Message():
            return {"type": _MESSAGE_TYPE, "type_name": _full(type.name, package)}
        case EnumOf():
            own = _full(type.type_name, package) if type.type_name else place + _camel(name)
            return {"type": _ENUM_TYPE, "type_name": own}
        case Scalar():
            return {"type": _SCALAR_TYPES[type]}


def _enum(name: str, type: EnumOf) -> dict[str, Any]:
    return {"name": name, "value": [{"name": each, "number": at} for at, each in enumerate(type.names) if each]}


def _package(name: str, default: str) -> str:
    return name.rpartition(".")[0] or default


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _full(name: str, package: str) -> str:
    return f".{_package(name, package)}.{_short(name)}"


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
