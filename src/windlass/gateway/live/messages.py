"""What a page sends over the stream, and the messages that it is sent."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

import msgspec

from windlass.kube.errors import ApiError, BadRequest
from windlass.kube.json import encode, timestamp
from windlass.kube.meta import Struct

S = TypeVar("S", bound=msgspec.Struct)
MAX_ID = 2**53


class Subscribe(Struct, tag="subscribe", tag_field="op"):
    id: int
    topic: str
    params: dict[str, Any] = {}
    version: str = ""
    """Where to resume: the last one that the page has seen."""


class Unsubscribe(Struct, tag="unsubscribe", tag_field="op"):
    id: int


Incoming: TypeAlias = Subscribe | Unsubscribe
_incoming: msgspec.json.Decoder[Incoming] = msgspec.json.Decoder(Incoming)


def read(text: str) -> Incoming:
    """Raises BadRequest, which names what is wrong."""
    try:
        message = _incoming.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadRequest(f"the message cannot be read: {error}") from error
    if not 0 <= message.id <= MAX_ID:
        raise BadRequest(f"id: {message.id} is not between 0 and {MAX_ID}")
    return message


def read_params(params: dict[str, Any], of: type[S]) -> S:
    """The parameters of a topic; raises BadRequest, which names the field."""
    try:
        return msgspec.convert(params, of)
    except msgspec.ValidationError as error:
        raise BadRequest(f"params: {error}") from error


def hello(user: str) -> bytes:
    return encode({"type": "hello", "user": user})


def snapshot(id: int, items: Iterable[bytes], version: str) -> bytes:
    return b'{"id":%d,"type":"snapshot","items":[%b],"version":"%b"}' % (id, b",".join(items), version.encode())


def changes(id: int, changed: Iterable[bytes], removed: Iterable[str], version: str) -> bytes:
    gone = encode(list(removed))
    return b'{"id":%d,"type":"changes","changed":[%b],"removed":%b,"version":"%b"}' % (
        id, b",".join(changed), gone, version.encode(),
    )  # fmt: skip


def value(id: int, encoded: bytes) -> bytes:
    return b'{"id":%d,"type":"value","value":%b}' % (id, encoded)


def failure(id: int | None, error: ApiError) -> bytes:
    about = {} if id is None else {"id": id}
    return encode({**about, "type": "error", "status": error.code, "reason": error.reason, "message": error.message})


def stale(id: int, since: datetime, why: str) -> bytes:
    return encode({"id": id, "type": "stale", "since": timestamp(since), "message": why})
