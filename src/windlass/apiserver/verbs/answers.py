"""Responses: an object or a list as JSON, YAML, a Table or metadata only.

Stored bytes are sent unchanged wherever the client reads JSON in the storage version; everything else is the slow path.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from windlass.apiserver.api import load
from windlass.apiserver.call import YAML, Accept, Call
from windlass.apiserver.connection import CHUNK, Answer, Headers, Response, Stream
from windlass.apiserver.indentation import is_indented
from windlass.apiserver.resources import Column, Resource
from windlass.apiserver.store import Row
from windlass.formats import yaml_writer
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, decode, encode

if TYPE_CHECKING:
    from windlass.apiserver.tables.render import Include

_JSON = b"application/json"
_YAML = b"application/yaml"
_TABLE_AT_ONCE = 500  # rows; kubectl's page


def warning_headers(warnings: Iterable[str]) -> Headers:
    """RFC 7234 Warning headers with agent and code as Kubernetes sends them, without duplicates."""
    headers: list[tuple[bytes, bytes]] = []
    for text in dict.fromkeys(warnings):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")
        printable = "".join(c if c.isprintable() else " " for c in quoted)
        headers.append((b"warning", b'299 - "%b"' % printable.encode("utf-8", "replace")[:4096]))
    return headers


def stored_bytes(resource: Resource, row: Row) -> bytes:
    """The object's JSON in the version of `resource`."""
    if resource.from_storage is None and row.rev >= resource.conformed_since:
        return row.value
    return encode(load(resource, row))


def object_answer(call: Call, value: bytes, status: int = 200) -> Response:
    """Respond with one object, given as JSON bytes in the call's version."""
    headers = warning_headers(call.warnings) if call.warnings else ()
    accept = call.accept
    if not accept.transform:
        return encoded(value, accept, status, headers)
    obj: Object = decode(value)
    if accept.transform == "Table":
        body = table_of(call, [obj], {"resourceVersion": obj.get("metadata", {}).get("resourceVersion", "")})
    else:
        body = metadata_only(obj, accept)
    return encoded(encode(body), accept, status, headers)


def encoded(value: bytes, accept: Accept, status: int = 200, headers: Headers = ()) -> Response:
    if accept.format == YAML:
        return Response(status, to_yaml(decode(value)), _YAML, headers)
    return Response(status, value, _JSON, headers)


def plain_answer(call: Call, obj: Object, status: int = 200) -> Response:
    """Respond with an object that is not stored, for example a Status or a review."""
    return encoded(encode(obj), Accept(call.accept.format), status, warning_headers(call.warnings))


_SUCCESS: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def succeeded(call: Call) -> Response:
    """The Status that answers the creation of an object that is not stored, such as a Binding."""
    return plain_answer(call, _SUCCESS, 201)


def to_yaml(obj: Any) -> bytes:
    return yaml_writer.write_fast(obj).encode()


def metadata_only(obj: Object, accept: Accept) -> Object:
    from windlass.apiserver.tables.render import partial_object_metadata

    partial = partial_object_metadata(obj)
    partial["apiVersion"] = f"meta.k8s.io/{accept.transform_version}"
    return partial


class _Outline(msgspec.Struct):
    metadata: msgspec.Raw


_outline = msgspec.json.Decoder(_Outline).decode


def partial_bytes(resource: Resource, row: Row, accept: Accept) -> bytes:
    """The JSON of an object's metadata only, cut out of the object's bytes without decoding them."""
    metadata = _outline(stored_bytes(resource, row)).metadata
    version = accept.transform_version.encode()
    return b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/%b","metadata":%b}' % (version, metadata)


def table_of(
    call: Call,
    objects: Iterable[Object],
    list_metadata: Object,
    *,
    no_headers: bool = False,
    columns: Sequence[Column] | None = None,
) -> Object:
    """Build a Table with the columns of the call's kind, or with those of the displayed subresource."""
    from windlass.apiserver.tables.render import table

    return table(
        call.resource.columns if columns is None else columns,
        objects,
        include=_included(call),
        list_metadata=list_metadata,
        no_headers=no_headers,
        api_version=f"meta.k8s.io/{call.accept.transform_version}",
        now=datetime.now(UTC),
    )


def _included(call: Call) -> "Include":
    include = call.query.get("includeObject") or "Metadata"
    if include not in ("Metadata", "Object", "None"):
        raise BadRequest(f'Invalid value: "{include}": includeObject must be one of None, Metadata, Object')
    return include


def _table_list(call: Call, rows: Sequence[Row], list_metadata: Object, headers: Headers) -> Answer:
    from windlass.apiserver.tables.render import encode_table

    pieces = encode_table(
        call.resource.columns,
        (load(call.resource, row) for row in rows),
        include=_included(call),
        list_metadata=list_metadata,
        api_version=f"meta.k8s.io/{call.accept.transform_version}",
        now=datetime.now(UTC),
    )
    if len(rows) <= _TABLE_AT_ONCE or call.accept.format == YAML or is_indented(call.request):
        return encoded(b"".join(pieces), call.accept, headers=headers)
    return Stream(200, _in_turn(pieces), _JSON, headers)


async def _in_turn(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield slow pieces, with a chance for other requests between them."""
    for piece in pieces:
        yield piece
        await asyncio.sleep(0)


def list_answer(call: Call, rows: Sequence[Row], list_metadata: Object) -> Answer:
    """Respond with a list of stored rows in the format that the client wants."""
    resource, accept = call.resource, call.accept
    headers = warning_headers(call.warnings) if call.warnings else ()
    if accept.transform == "Table":
        return _table_list(call, rows, list_metadata, headers)
    if accept.transform:
        body = b'{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/%b","metadata":%b,"items":[%b]}' % (
            accept.transform_version.encode(),
            encode(list_metadata),
            b",".join([partial_bytes(resource, row, accept) for row in rows]),
        )
        response = encoded(body, accept, headers=headers)
        return response if is_indented(call.request) else _whole_or_streamed(response)
    head = b'{"kind":%b,"apiVersion":%b,"metadata":%b,"items":[' % (
        encode(resource.list_kind_name),
        encode(resource.api_version),
        encode(list_metadata),
    )
    as_stored = resource.from_storage is None and not resource.conformed_since
    values = [row.value for row in rows] if as_stored else [stored_bytes(resource, row) for row in rows]
    size = len(head) + sum(map(len, values)) + max(len(values) - 1, 0) + 2
    if size < CHUNK or accept.format == YAML or is_indented(call.request):
        return encoded(b"%b%b]}" % (head, b",".join(values)), accept, headers=headers)
    return Stream(200, _spliced(head, values), _JSON, headers, length=size)


async def _spliced(head: bytes, values: list[bytes]) -> AsyncIterator[bytes]:
    """Yield the list's bytes in pieces of about CHUNK, so that a long list neither doubles memory nor blocks others."""
    piece, size = [head], len(head)
    for index, value in enumerate(values):
        if index:
            piece.append(b",")
        piece.append(value)
        size += len(value) + 1
        if size >= CHUNK:
            yield b"".join(piece)
            piece, size = [], 0
    piece.append(b"]}")
    yield b"".join(piece)


def _whole_or_streamed(response: Response) -> Answer:
    if len(response.body) < 4 * CHUNK:
        return response
    return Stream(response.status, _pieces(response.body), response.content_type, response.headers, len(response.body))


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), CHUNK):
        yield body[start : start + CHUNK]
