"""Scalars of TFEvents files, read while they are written, and of damaged ones."""

import contextlib
import io
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.formats.tfevents import DamagedFile, ScalarPoint, is_events_file, read_scalars
from windlass.formats.tfrecord import crc32c

from .event_files import TENSORBOARD, TENSORBOARDX, event, record, simple, tensor


def test_checksum_is_that_of_rfc_3720() -> None:
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_file_of_tensorboardx_has_its_scalars_and_not_its_text(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(TENSORBOARDX)

    points, reached = read_scalars(path)

    assert points == [
        ("train/loss", 0, 1700000000.0, 1.0),
        ("train/loss", 1, 1700000001.0, 0.5),
        ("train/loss", 2, 1700000002.0, pytest.approx(1 / 3)),
    ]
    assert reached == len(TENSORBOARDX)


def test_tensors_of_every_number_type_are_scalars_and_vectors_are_not() -> None:
    points, _ = read_scalars(io.BytesIO(TENSORBOARD))

    types = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"]
    assert points == [(f"acc/{name}", step, 1700000000.5, 1.0) for step, name in enumerate(types)]


@pytest.mark.parametrize("end", range(0, len(TENSORBOARDX), 7))
def test_half_written_record_is_read_by_the_next_call(end: int) -> None:
    first, reached = read_scalars(io.BytesIO(TENSORBOARDX[:end]))
    second, last = read_scalars(io.BytesIO(TENSORBOARDX), reached)

    assert reached <= end
    assert first + second == read_scalars(io.BytesIO(TENSORBOARDX))[0]
    assert last == len(TENSORBOARDX)


def test_record_whose_data_is_damaged_is_left_out_and_those_after_it_are_read() -> None:
    damaged = bytearray(event(1, 1.0, simple("a", 1.0)))
    damaged[-6] ^= 1
    file = io.BytesIO(event(0, 0.0, simple("a", 0.0)) + damaged + event(2, 2.0, simple("a", 2.0)))

    points, _ = read_scalars(file)

    assert [point.step for point in points] == [0, 2]


def test_last_record_with_a_wrong_checksum_waits_for_its_last_bytes() -> None:
    whole = event(0, 0.0, simple("a", 0.0)) + event(1, 1.0, simple("a", 1.0))
    points, reached = read_scalars(io.BytesIO(whole[:-4] + bytes(4)))

    assert [point.step for point in points] == [0]
    assert [point.step for point in read_scalars(io.BytesIO(whole), reached)[0]] == [1]


def test_wrong_length_is_an_error_only_after_all_before_it_is_read() -> None:
    good = event(0, 0.0, simple("a", 0.0))
    file = io.BytesIO(good + b"not a record, and long enough to be one")

    points, reached = read_scalars(file)

    assert (len(points), reached) == (1, len(good))
    with pytest.raises(DamagedFile, match=f"damaged at byte {len(good)}"):
        read_scalars(file, reached)


def test_file_that_was_replaced_by_a_shorter_one_has_nothing_new() -> None:
    assert read_scalars(io.BytesIO(b""), 1000) == ([], 1000)


def test_tensor_of_another_plugin_is_no_scalar() -> None:
    content = struct.pack("<f", 1.5)
    file = io.BytesIO(
        event(0, 0.0, tensor("pr", content, plugin="pr_curves"), tensor("loss", content, plugin="scalars"))
        + event(1, 0.0, tensor("loss", content), tensor("one", content, shape=(1, 1)), tensor("none", b"", shape=(0,)))
    )

    assert [(point.tag, point.step) for point in read_scalars(file)[0]] == [("loss", 0), ("loss", 1), ("one", 1)]


def test_bfloat16_is_read() -> None:
    points, _ = read_scalars(io.BytesIO(event(0, 0.0, tensor("b", b"\x80\x3f", dtype=14))))

    assert points == [ScalarPoint("b", 0, 0.0, 1.0)]


def test_names_of_event_files_are_those_of_tensorboard() -> None:
    assert is_events_file("events.out.tfevents.1700000000.host.7.0.v2")
    assert not is_events_file("events.out.tfevents.1.host.profile-empty")
    assert not is_events_file("model.ckpt")


numbers = st.floats(width=32, allow_nan=True)
points = st.builds(ScalarPoint, st.text(min_size=1), st.integers(-(2**63), 2**63 - 1), st.floats(), numbers)


@given(st.lists(points), st.integers(0, 400))
def test_what_is_written_is_read_in_any_pieces(expected: list[ScalarPoint], cut: int) -> None:
    whole = b"".join(event(p.step, p.wall_time, simple(p.tag, p.value)) for p in expected)

    first, reached = read_scalars(io.BytesIO(whole[:cut]))
    second, last = read_scalars(io.BytesIO(whole), reached)

    assert last == len(whole)
    for read, wanted in zip(first + second, expected, strict=True):
        assert (read.tag, read.step) == (wanted.tag, wanted.step)
        assert read.value == wanted.value or math.isnan(wanted.value)
        assert read.wall_time == wanted.wall_time or math.isnan(wanted.wall_time)


@given(st.binary())
def test_no_bytes_break_the_reader(data: bytes) -> None:
    read_scalars(io.BytesIO(record(data)))
    with contextlib.suppress(DamagedFile):
        assert read_scalars(io.BytesIO(data))[1] <= len(data)
