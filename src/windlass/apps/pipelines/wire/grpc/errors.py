"""An error as the status of a call: its sentence, and its details, which are the body of the error over HTTP. Pure."""

from typing import NamedTuple

from windlass.apps.pipelines.wire.errors import WireError
from windlass.formats.protobuf_json import from_json
from windlass.formats.protobuf_messages import encode
from windlass.formats.protobuf_well_known import STATUS

MAX_SENTENCE = 1000
"""Bytes: a status travels in headers three times, and clients refuse more than 8 KiB of them."""


class Status(NamedTuple):
    code: int
    message: str
    details: bytes
    """A google.rpc.Status."""


def status_of(error: WireError) -> Status:
    short = type(error)(_short(error.message))
    return Status(error.code, short.message, encode(STATUS, from_json(STATUS, short.body())))


def _short(sentence: str) -> str:
    data = sentence.encode("utf-8", "replace")
    return sentence if len(data) <= MAX_SENTENCE else f"{data[:MAX_SENTENCE].decode('utf-8', 'ignore')} …"
