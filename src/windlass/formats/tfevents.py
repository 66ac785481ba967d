"""Scalars of TFEvents files: what TensorFlow, PyTorch, Keras, Lightning and tensorboardX write for TensorBoard.

`read_scalars` is incremental: its second answer is the offset for the next call, which reads what was written since.
Both forms of scalars are read: `simple_value`, and tensors with one number, which TensorFlow 2 writes.
"""

import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

from windlass.formats.protobuf_wire import FIXED32, FIXED64, VARINT, BadMessage, fields, signed, varints
from windlass.formats.tfrecord import DamagedFile, records

__all__ = ["DamagedFile", "ScalarPoint", "is_events_file", "read_scalars", "scalars_of_event"]

MAX_TAG_CHARACTERS = 256
"""Points of longer tags are left out: they are no names of curves, and each point holds its tag."""
_DATA_CLASS_SCALAR = 1


class ScalarPoint(NamedTuple):
    """One value of a run: the tag names the curve, `wall_time` is in seconds since 1970."""

    tag: str
    step: int
    wall_time: float
    value: float


class _Metadata(NamedTuple):
    plugin: str = ""
    data_class: int = 0


def is_events_file(name: str) -> bool:
    """Whether TensorBoard would read a file with this name."""
    return "tfevents" in name and not name.endswith(".profile-empty")


def read_scalars(
    source: str | Path | BinaryIO, offset: int = 0, limit: int | None = None
) -> tuple[list[ScalarPoint], int]:
    """The scalars from an offset on, and the offset after the last complete record.

    With a limit, reading stops after the record with which that many bytes have been read.

    A record that is only half written is read by a later call. Records with a wrong checksum are left out. Where even
    a record's length is wrong, reading stops before it, and the call that starts there raises `DamagedFile`: so what
    comes before the damage is never lost. A file that became shorter than the offset has no new scalars.
    """
    if isinstance(source, str | Path):
        with Path(source).open("rb") as file:
            return read_scalars(file, offset, limit)
    points: list[ScalarPoint] = []
    reached = offset
    try:
        for record in records(source, offset):
            if record.data is not None:
                points.extend(scalars_of_event(record.data))
            reached = record.next_offset
            if limit is not None and reached - offset >= limit:
                break
    except DamagedFile:
        if reached == offset:
            raise
    return points, reached


def scalars_of_event(event: bytes) -> list[ScalarPoint]:
    """The scalars of one serialized Event; none if it has another content or cannot be read."""
    wall_time, step = 0.0, 0
    summaries: list[bytes] = []
    try:
        for number, wire_type, value in fields(event):
            if number == 1 and wire_type == FIXED64 and isinstance(value, bytes):
                (wall_time,) = struct.unpack("<d", value)
            elif number == 2 and isinstance(value, int):
                step = signed(value)
            elif number == 5 and isinstance(value, bytes):
                summaries.append(value)
        values = [_tagged_value(item) for summary in summaries for item in _nested(summary, 1)]
    except BadMessage:
        return []
    return [
        ScalarPoint(tag, step, wall_time, value)
        for tag, value in values
        if 0 < len(tag) <= MAX_TAG_CHARACTERS and value is not None
    ]


def _nested(message: bytes, wanted: int) -> list[bytes]:
    return [value for number, _, value in fields(message) if number == wanted and isinstance(value, bytes)]


def _tagged_value(message: bytes) -> tuple[str, float | None]:
    """The tag and the scalar of a `Summary.Value`; None for histograms, images, texts and other tensors."""
    tag, simple, tensor, metadata = "", None, None, None
    for number, wire_type, value in fields(message):
        if number == 1 and isinstance(value, bytes):
            tag = value.decode(errors="replace")
        elif number == 2 and wire_type == FIXED32 and isinstance(value, bytes):
            (simple,) = struct.unpack("<f", value)
        elif number == 8 and isinstance(value, bytes):
            tensor = value
        elif number == 9 and isinstance(value, bytes):
            metadata = _metadata(value)
    if simple is None and tensor is not None and _may_be_scalar(metadata):
        return tag, _scalar_of_tensor(tensor)
    return tag, simple


def _may_be_scalar(metadata: _Metadata | None) -> bool:
    """Whether a tensor is a point of a curve: later points of a tag may leave their metadata out."""
    return metadata is None or metadata.plugin in ("", "scalars") or metadata.data_class == _DATA_CLASS_SCALAR


def _metadata(message: bytes) -> _Metadata:
    plugin, data_class = "", 0
    for number, _, value in fields(message):
        if number == 1 and isinstance(value, bytes):
            plugin = "".join(name.decode(errors="replace") for name in _nested(value, 1))
        elif number == 4 and isinstance(value, int):
            data_class = value
    return _Metadata(plugin, data_class)


# The number of a TensorProto's `dtype`, and the format of its elements in `tensor_content`.
_CONTENT_FORMATS = {
    1: "<f", 2: "<d", 3: "<i", 4: "<B", 5: "<h", 6: "<b", 9: "<q", 10: "<?", 17: "<H", 19: "<e", 22: "<I", 23: "<Q",
}  # fmt: skip
_BFLOAT16, _HALF = 14, 19
# The fields that hold elements one by one, and the format of each where it is not a varint.
_FLOAT_FIELDS = {5: "<f", 6: "<d"}
_SIGNED_FIELDS, _UNSIGNED_FIELDS, _HALF_FIELD = (7, 10), (11, 16, 17), 13


def _scalar_of_tensor(message: bytes) -> float | None:
    """The number of a TensorProto with one numeric element, whatever its rank; None for other tensors."""
    dtype, elements = 0, 1
    numbers: list[float] = []
    content = b""
    for number, wire_type, value in fields(message):
        if number == 1 and isinstance(value, int):
            dtype = value
        elif number == 2 and isinstance(value, bytes):
            elements = _element_count(value)
        elif number == 4 and isinstance(value, bytes):
            content = value
        else:
            numbers.extend(_elements(number, wire_type, value, dtype))
    if elements != 1:
        return None
    if content:
        return _of_content(content, dtype)
    return numbers[0] if len(numbers) == 1 else None


def _element_count(shape: bytes) -> int:
    count = 1
    for dimension in _nested(shape, 2):
        sizes = [signed(value) for number, _, value in fields(dimension) if number == 1 and isinstance(value, int)]
        count *= sizes[-1] if sizes else 0
    return count


def _of_content(content: bytes, dtype: int) -> float | None:
    if dtype == _BFLOAT16 and len(content) == 2:
        return struct.unpack("<f", b"\0\0" + content)[0]
    layout = _CONTENT_FORMATS.get(dtype)
    if layout is None or struct.calcsize(layout) != len(content):
        return None
    return float(struct.unpack(layout, content)[0])


def _elements(number: int, wire_type: int, value: int | bytes, dtype: int) -> list[float]:
    """The elements that one field holds, packed or alone."""
    if number in _FLOAT_FIELDS and isinstance(value, bytes):
        layout = _FLOAT_FIELDS[number]
        if len(value) % struct.calcsize(layout):
            raise BadMessage(f"field {number} ends inside a number")
        return [item for (item,) in struct.iter_unpack(layout, value)]
    if number in (*_SIGNED_FIELDS, *_UNSIGNED_FIELDS, _HALF_FIELD):
        return [_number(number, item, dtype) for item in _varints(wire_type, value)]
    return []


def _varints(wire_type: int, value: int | bytes) -> list[int]:
    if wire_type == VARINT and isinstance(value, int):
        return [value]
    return varints(value) if isinstance(value, bytes) else []


def _number(field: int, value: int, dtype: int) -> float:
    if field == _HALF_FIELD:
        bits = struct.pack("<H", value & 0xFFFF)
        return struct.unpack("<e", bits)[0] if dtype == _HALF else struct.unpack("<f", b"\0\0" + bits)[0]
    return float(signed(value) if field in _SIGNED_FIELDS else value)
