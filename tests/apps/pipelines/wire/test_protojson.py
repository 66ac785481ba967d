"""Protobuf's JSON form."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.protojson import INT64, STRING, TIMESTAMP, EnumOf, ListOf, Message, decode, encode

COLOURS = EnumOf({"NONE": 0, "RED": 1})
MESSAGE = Message({"some_name": STRING, "big": INT64, "at": TIMESTAMP, "colour": COLOURS, "list": ListOf(INT64)})


def test_both_spellings_are_read_and_one_is_written() -> None:
    assert decode(MESSAGE, {"someName": "x"}) == decode(MESSAGE, {"some_name": "x"}) == {"some_name": "x"}
    assert encode(MESSAGE, {"some_name": "x"}) == {"some_name": "x"}


def test_zeros_are_left_out_but_times_are_not() -> None:
    values = {"some_name": "", "big": 0, "at": 0.0, "colour": "NONE", "list": []}

    assert encode(MESSAGE, values) == {"at": "1970-01-01T00:00:00Z"}


def test_big_integers_are_texts() -> None:
    assert encode(MESSAGE, {"big": 3, "list": [4]}) == {"big": "3", "list": ["4"]}
    assert decode(MESSAGE, {"big": "3", "list": [4, "5", 6.0]}) == {"big": 3, "list": [4, 5, 6]}


def test_enums_are_read_by_name_or_number() -> None:
    assert decode(MESSAGE, {"colour": 1}) == decode(MESSAGE, {"colour": "RED"}) == {"colour": "RED"}


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"unknown": 1}, "unknown"),
        ({"some_name": 1}, "some_name"),
        ({"some_name": "x", "someName": "y"}, "twice"),
        ({"big": True}, "big"),
        ({"big": 2**63}, "big"),
        ({"at": "yesterday"}, "at"),
        ({"at": "2026-01-01T00:00:00"}, "time zone"),
        ({"colour": "BLUE"}, "colour"),
        ({"colour": True}, "colour"),
        ({"list": {"a": 1}}, "list"),
        ({"list": [1, "x"]}, "list[1]"),
        ([], "object"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(value: Any, where: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        decode(MESSAGE, value)
    assert where in refusal.value.message


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=12), inner, max_size=3),
    max_leaves=10,
)


@given(some.dictionaries(some.sampled_from([*shapes.RUN.fields, "other"]), JSON, max_size=4))
def test_any_json_is_decoded_or_refused(value: dict[str, Any]) -> None:
    try:
        decoded = decode(shapes.RUN, value)
    except InvalidArgument:
        return
    assert decode(shapes.RUN, encode(shapes.RUN, decoded)).keys() <= decoded.keys()
