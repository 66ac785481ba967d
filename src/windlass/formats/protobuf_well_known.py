"""Messages that protobuf and gRPC themselves define, with their numbers; their JSON form is that of `protobuf_json`."""

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
)

EMPTY = Message("google.protobuf.Empty")
TIMESTAMP = Message("google.protobuf.Timestamp", seconds=(1, INT64), nanos=(2, INT32))
DURATION = Message("google.protobuf.Duration", seconds=(1, INT64), nanos=(2, INT32))

VALUE, LIST_VALUE = Message("google.protobuf.Value"), Message("google.protobuf.ListValue")
STRUCT = Message("google.protobuf.Struct", fields=(1, MapOf(VALUE)))
LIST_VALUE.add(values=(1, ListOf(VALUE)))
VALUE.add(
    null_value=(1, EnumOf(("NULL_VALUE",), "google.protobuf.NullValue")),
    number_value=(2, DOUBLE),
    string_value=(3, STRING),
    bool_value=(4, BOOL),
    struct_value=(5, STRUCT),
    list_value=(6, LIST_VALUE),
)
VALUE.one_of("kind", *VALUE.fields)

ANY = Message("google.protobuf.Any", type_url=(1, STRING), value=(2, BYTES))
STATUS = Message("google.rpc.Status", code=(1, INT32), message=(2, STRING), details=(3, ListOf(ANY)))

IN_ANY = {STATUS.name: STATUS}
"""Messages that are shown with their fields where an Any holds them; others are bytes."""
