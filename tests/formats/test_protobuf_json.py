"""The JSON of messages, compared with Google's own library, which reads our bytes and writes its own for us."""

import math
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.real_protobuf import RealProtobuf
from windlass.formats.protobuf_json import from_json, to_json
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
    decode,
    encode,
)
from windlass.formats.protobuf_well_known import ANY, DURATION, LIST_VALUE, STATUS, STRUCT, TIMESTAMP, VALUE
from windlass.formats.protobuf_wire import BadMessage

PART = Message("Part", text=(1, STRING), number=(2, INT32))
PART.add(inner=(3, PART))
THING = Message(
    "Thing",
    text=(1, STRING),
    small=(2, INT32),
    large=(3, INT64),
    flag=(4, BOOL),
    ratio=(5, DOUBLE),
    data=(6, BYTES),
    state=(7, EnumOf(("NONE", "FIRST", "", "THIRD"))),
    shared=(8, EnumOf(("ZERO", "ONE"), "Shared")),
    when=(9, TIMESTAMP),
    lasts=(10, DURATION),
    document=(11, STRUCT),
    anything=(12, VALUE),
    items=(13, LIST_VALUE),
    numbers=(14, ListOf(INT64)),
    parts=(15, ListOf(PART)),
    named=(16, MapOf(PART)),
    values=(17, MapOf(VALUE)),
    counted=(18, MapOf(STRING, INT64)),
    status=(19, STATUS),
    one=(20, STRING),
    other=(21, PART),
    states=(22, ListOf(EnumOf(("NONE", "FIRST"), "Several"))),
)
THING.one_of("choice", "one", "other")
REAL = RealProtobuf("tests", {"Service": {"Call": (THING, PART)}})

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
doubles = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(-(1 << 52), 1 << 52)
json_values = st.recursive(
    st.none() | st.booleans() | texts | integers | doubles,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)).map(  # noqa: DTZ001 - a bound
    lambda moment: f"{moment.isoformat().removesuffix('+00:00')}Z"
)
parts = st.fixed_dictionaries({}, optional={"text": texts, "number": st.integers(-(1 << 31), (1 << 31) - 1)})
fields: dict[str, st.SearchStrategy[Any]] = {
    "text": texts,
    "small": st.integers(-(1 << 31), (1 << 31) - 1),
    "large": st.integers(-(1 << 63), (1 << 63) - 1).map(str),
    "flag": st.booleans(),
    "ratio": doubles,
    "data": st.sampled_from(["", "AA==", "/+8=", "aGVsbG8="]),
    "state": st.sampled_from(["NONE", "FIRST", "THIRD"]),
    "shared": st.sampled_from(["ZERO", "ONE"]),
    "when": moments,
    "lasts": st.sampled_from(["0s", "3s", "-3.500s", "0.000000001s", "-0.100s"]),
    "document": st.dictionaries(texts, json_values, max_size=3),
    "anything": json_values,
    "items": st.lists(json_values, max_size=3),
    "numbers": st.lists(integers.map(str), min_size=1, max_size=3),
    "parts": st.lists(parts, min_size=1, max_size=3),
    "named": st.dictionaries(texts, parts, min_size=1, max_size=3),
    "values": st.dictionaries(texts, json_values, min_size=1, max_size=3),
    "counted": st.dictionaries(integers.map(str), texts, min_size=1, max_size=3),
    "status": st.fixed_dictionaries(
        {
            "code": st.integers(0, 16),
            "details": st.just([{"@type": "type.googleapis.com/google.rpc.Status", "code": 3, "message": "bad"}]),
        }
    ),
    "states": st.lists(st.sampled_from(["NONE", "FIRST"]), min_size=1, max_size=3),
}
things = st.fixed_dictionaries({}, optional=fields)
chosen = st.one_of(
    st.just({}), st.fixed_dictionaries({"one": texts}), st.fixed_dictionaries({"other": parts})
)  # protobuf sends what is chosen even if it is zero
documents = st.builds(lambda thing, choice: {**thing, **choice}, things, chosen)


def ours(data: bytes) -> Any:
    return to_json(THING, decode(THING, data))


@given(documents)
def test_googles_library_reads_what_we_write(document: Any) -> None:
    assert REAL.of_bytes("Thing", encode(THING, from_json(THING, document))) == REAL.of_json("Thing", document)


@given(documents)
def test_we_read_what_googles_library_writes(document: Any) -> None:
    real = REAL.of_json("Thing", document)

    assert ours(real.SerializeToString()) == REAL.json(real)


@given(documents)
def test_what_we_write_we_read(document: Any) -> None:
    assert ours(encode(THING, from_json(THING, document))) == document


@given(documents, documents)
def test_two_messages_after_each_other_are_one(first: Any, second: Any) -> None:
    """Protobuf's rule: fields of messages are joined, others replaced, and of a `oneof` the last counts."""
    data = b"".join(REAL.of_json("Thing", each).SerializeToString() for each in (first, second))

    assert ours(data) == REAL.json(REAL.of_bytes("Thing", data))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(BadMessage):
        ours(data)


@given(documents, st.data())
def test_a_message_that_is_cut_off_is_read_or_refused(document: Any, data: st.DataObject) -> None:
    written = REAL.of_json("Thing", document).SerializeToString()
    with suppress(BadMessage):
        ours(written[: data.draw(st.integers(0, len(written)))])


def test_numbers_that_json_does_not_have_are_texts() -> None:
    for number, text in ((math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN")):
        assert to_json(THING, {"ratio": number}) == {"ratio": text}


@pytest.mark.parametrize(
    ("type", "values"),
    [
        (VALUE, {"number_value": math.nan}),
        (TIMESTAMP, {"seconds": 1 << 40}),
        (TIMESTAMP, {"nanos": -1}),
        (DURATION, {"seconds": 1, "nanos": -1}),
    ],
)
def test_values_without_a_json_form_are_refused(type: Message, values: dict[str, Any]) -> None:
    with pytest.raises(BadMessage, match=r"google\.protobuf"):
        to_json(type, values)


def test_of_a_choice_the_last_field_is_written() -> None:
    assert from_json(THING, {"other": {"text": "b"}, "one": "a"}) == {"other": {"text": "b"}}


def test_a_value_without_a_kind_is_null() -> None:
    assert to_json(VALUE, {}) is None


def test_an_any_holds_a_status_or_bytes() -> None:
    url = "type.googleapis.com/google.rpc.Status"
    status = {"type_url": url, "value": encode(STATUS, {"code": 5, "message": "no"})}

    assert to_json(ANY, status) == {"@type": url, "code": 5, "message": "no"}
    assert from_json(ANY, {"@type": url, "code": 5, "message": "no"}) == status
    assert to_json(ANY, {"type_url": "x/other.Type", "value": b"a"}) == {"@type": "x/other.Type", "value": "YQ=="}
    assert from_json(ANY, {"@type": "x/other.Type", "value": "YQ=="}) == {"type_url": "x/other.Type", "value": b"a"}


def test_a_message_with_too_many_fields_is_refused_before_they_are_held() -> None:
    with pytest.raises(BadMessage, match="too many fields"):
        decode(THING, b"\x20\x01" * 1_000_001)
    with pytest.raises(BadMessage, match="too many numbers"):
        decode(THING, b"\x72\xc1\x84\x3d" + b"\x01" * 1_000_001)
