"""Protobuf's forms of times, durations, quantities and the like print as Kubernetes prints them in JSON."""

from typing import Any

import pytest

from tests.apiserver.protobuf.builders import block, number
from windlass.apiserver.protobuf.values import CONVERTERS, go_duration

_NS = {"h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "µs": 1_000}


@pytest.mark.parametrize(
    ("type_", "wire", "printed"),
    [
        ("time", b"", None),
        ("time", number(1, 0) + number(2, 0), "1970-01-01T00:00:00Z"),
        ("time", number(1, 1_700_000_000) + number(2, 999_999_999), "2023-11-14T22:13:20Z"),
        ("time", number(1, -1) + number(2, 0), "1969-12-31T23:59:59Z"),
        ("microtime", b"", None),
        ("microtime", number(1, 1_700_000_000) + number(2, 1_234_567), "2023-11-14T22:13:20.001234Z"),
        ("duration", b"", "0s"),
        ("quantity", block(1, "1500m"), "1500m"),
        ("quantity", b"", "0"),
        ("intorstring", b"", 0),
        ("intorstring", number(1, 0) + number(2, -5) + block(3, ""), -5),
        ("intorstring", number(1, 1) + number(2, 0) + block(3, "25%"), "25%"),
        ("json", b"", None),
        ("json", block(1, '{"f:spec":{".":{}}}'), {"f:spec": {".": {}}}),
        ("strings", b"", []),
        ("strings", block(1, "a") + block(1, ""), ["a", ""]),
        ("bytes", b"\x00\xff", "AP8="),
    ],
)
def test_a_value_prints_as_in_json(type_: str, wire: bytes, printed: Any) -> None:
    assert CONVERTERS[type_][1](wire) == printed


@pytest.mark.parametrize(
    ("type_", "wire", "value"),
    [
        ("int32", (1 << 64) - 1, -1),
        ("int32", 2**31 - 1, 2**31 - 1),
        ("int64", (1 << 64) - 1, -1),
        ("int64", 1 << 63, -(1 << 63)),
        ("bool", 0, False),
        ("bool", 7, True),
    ],
)
def test_a_number_has_its_sign(type_: str, wire: int, value: int) -> None:
    assert CONVERTERS[type_][1](wire) == value


@pytest.mark.parametrize(
    ("nanoseconds", "printed"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1_100, "1.1µs"),
        (2_200_000, "2.2ms"),
        (3_300_000_000, "3.3s"),
        (15 * _NS["s"], "15s"),
        (4 * _NS["m"], "4m0s"),
        (4 * _NS["m"] + 5 * _NS["s"] + 1_000_000, "4m5.001s"),
        (5 * _NS["h"], "5h0m0s"),
        (5 * _NS["h"] + 6 * _NS["m"] + 7_001_000_000, "5h6m7.001s"),
        (-90 * _NS["s"], "-1m30s"),
        ((1 << 63) - 1, "2562047h47m16.854775807s"),
        (-(1 << 63), "-2562047h47m16.854775808s"),
    ],
)
def test_a_duration_prints_as_in_go(nanoseconds: int, printed: str) -> None:
    assert go_duration(nanoseconds) == printed
