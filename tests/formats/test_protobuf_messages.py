"""Messages that are declared by number, and bytes that are no messages."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.formats.protobuf_messages import (
    BOOL,
    DOUBLE,
    INT64,
    STRING,
    EnumOf,
    ListOf,
    MapOf,
    Message,
    decode,
    encode,
)
from windlass.formats.protobuf_wire import BadMessage

INNER = Message("Inner", text=(1, STRING))
INNER.add(inner=(2, INNER))
OUTER = Message(
    "Outer",
    number=(1, INT64),
    numbers=(2, ListOf(INT64)),
    flag=(3, BOOL),
    ratio=(4, DOUBLE),
    state=(5, EnumOf(("UNKNOWN", "LIVE"))),
    inner=(16, INNER),
    by_name=(17, MapOf(INNER)),
    by_number=(18, MapOf(STRING, INT64)),
)
int64s = st.integers(-(1 << 63), (1 << 63) - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
outers = st.fixed_dictionaries(
    {
        "numbers": st.lists(int64s, max_size=4),
        "by_name": st.dictionaries(texts, st.fixed_dictionaries({"text": texts}), max_size=3),
        "by_number": st.dictionaries(int64s, texts, max_size=3),
    },
    optional={
        "number": int64s,
        "flag": st.booleans(),
        "ratio": st.floats(allow_nan=False),
        "state": st.sampled_from(["UNKNOWN", "LIVE"]),
        "inner": st.fixed_dictionaries({"text": texts}),
    },
)


@given(outers)
def test_what_is_written_is_read(values: dict[str, object]) -> None:
    assert decode(OUTER, encode(OUTER, values)) == values


@given(st.binary(max_size=40))
def test_any_bytes_are_a_message_or_refused(data: bytes) -> None:
    with suppress(BadMessage):
        decode(OUTER, data)


def test_nothing_is_not_written() -> None:
    assert encode(OUTER, {"number": None, "numbers": []}) == b""
    assert encode(OUTER, {"number": 0}) == b"\x08\x00"


def test_packed_numbers_unknown_fields_and_unknown_names_are_read() -> None:
    values = decode(OUTER, b"\x12\x02\x01\x02" + b"\x78\x01" + b"\x28\x09")

    assert values == {"numbers": [1, 2], "state": "UNKNOWN", "by_name": {}, "by_number": {}}


def test_an_entry_without_a_key_or_value_has_their_zeros() -> None:
    assert decode(OUTER, b"\x8a\x01\x00\x92\x01\x00")["by_name"] == {"": {}}
    assert decode(OUTER, b"\x92\x01\x00")["by_number"] == {0: ""}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0a\x00", "Outer.number: wrong wire type 2"),
        (b"\x82\x01\x03\x0a\x01\xff", "Inner.text: not UTF-8"),
        (b"\x82\x01\x05", "unexpected EOF"),
    ],
)
def test_a_refusal_names_the_field(data: bytes, message: str) -> None:
    with pytest.raises(BadMessage, match=message):
        decode(OUTER, data)


def test_deep_nesting_is_refused() -> None:
    data = b""
    for _ in range(120):
        size = len(data)
        data = b"\x12" + (bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80, size >> 7])) + data

    with pytest.raises(BadMessage, match="levels deep"):
        decode(INNER, data)
