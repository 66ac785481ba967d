"""The declared well-known messages, against the descriptors that Google's library brings."""

from typing import Any

import pytest
from google.protobuf import (
    any_pb2,
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    empty_pb2,
    struct_pb2,
    timestamp_pb2,
)

from windlass.formats.protobuf_descriptors import GOOGLE_FILES, google_file
from windlass.formats.protobuf_messages import decode, encode
from windlass.formats.protobuf_well_known import STATUS

ORIGINALS: dict[str, Any] = {
    "google/protobuf/any.proto": any_pb2,
    "google/protobuf/duration.proto": duration_pb2,
    "google/protobuf/empty.proto": empty_pb2,
    "google/protobuf/struct.proto": struct_pb2,
    "google/protobuf/timestamp.proto": timestamp_pb2,
}


def described(message: Any) -> dict[str, Any]:
    """Names, numbers and types of all fields, and which exclude each other."""
    return {
        field.name: (
            field.number,
            field.type,
            field.message_type.full_name if field.message_type else "",
            field.enum_type.full_name if field.enum_type else "",
            field.containing_oneof.name if field.containing_oneof else "",
        )
        for field in message.fields
    }


@pytest.mark.parametrize("name", ORIGINALS)
def test_a_file_is_googles(name: str) -> None:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(google_file(name))
    ours, original = pool.FindFileByName(name), ORIGINALS[name].DESCRIPTOR

    assert ours.package == original.package
    assert {each: described(message) for each, message in ours.message_types_by_name.items()} == {
        each: described(message) for each, message in original.message_types_by_name.items()
    }
    assert {each: enum.values_by_name["NULL_VALUE"].number for each, enum in ours.enum_types_by_name.items()} == {
        each: enum.values_by_name["NULL_VALUE"].number for each, enum in original.enum_types_by_name.items()
    }


def test_a_status_has_the_numbers_of_rpc_status() -> None:
    """Its module is in another package: these are the bytes of code 5, a message, and an Any of one type."""
    data = b"\x08\x05\x12\x02no\x1a\x07\x0a\x01t\x12\x02\x08\x05"

    status = {"code": 5, "message": "no", "details": [{"type_url": "t", "value": b"\x08\x05"}]}
    assert decode(STATUS, data) == status
    assert encode(STATUS, status) == data


def test_every_file_is_described() -> None:
    for name in GOOGLE_FILES:
        file = descriptor_pb2.FileDescriptorProto.FromString(google_file(name))
        assert (file.name, file.syntax) == (name, "proto3")
        assert set(file.dependency) <= set(GOOGLE_FILES)
