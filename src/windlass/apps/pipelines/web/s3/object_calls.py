"""Answers requests about one object."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import formatdate
from xml.etree.ElementTree import Element

from aiohttp import web

from windlass.apps.pipelines.web.s3.call import PIECE_BYTES, Call, in_thread, xml_answer, xml_time
from windlass.apps.pipelines.web.s3.files.records import DEFAULT_TYPE, ObjectInfo, Record, kept_headers
from windlass.apps.pipelines.web.s3.files.store import EMPTY_MD5, OpenObject
from windlass.apps.pipelines.web.s3.protocol.conditions import ByteRange, check_conditions, check_write, range_of
from windlass.apps.pipelines.web.s3.protocol.documents import element
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.object_names import check_key, is_folder_key
from windlass.apps.pipelines.web.s3.protocol.signature import decoded
from windlass.kube.broken_answers import BrokenAnswer

OVERRIDES = {
    f"response-{name}": name
    for name in (
        "cache-control",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-type",
        "expires",
    )
}
"""Parameters of a query that replace headers of the answer."""


async def get_object(call: Call) -> web.StreamResponse:
    opened = await in_thread(call.store.open, call.bucket, call.key)
    try:
        return await _send(call, opened)
    finally:
        opened.close()


async def head_object(call: Call) -> web.StreamResponse:
    opened = await in_thread(call.store.open, call.bucket, call.key)
    opened.close()
    if not check_conditions(call.header, opened.info.etag, opened.info.modified):
        return web.Response(status=304, headers=_validators(opened.info))
    part = range_of(call.header("range"), opened.info.size)
    return _head(call, opened.info, part)


async def get_attribute(call: Call) -> web.StreamResponse:
    opened = await in_thread(call.store.open, call.bucket, call.key)
    opened.close()
    return xml_answer(element("Tagging", [element("TagSet")]))


async def _send(call: Call, opened: OpenObject) -> web.StreamResponse:
    if not check_conditions(call.header, opened.info.etag, opened.info.modified):
        return web.Response(status=304, headers=_validators(opened.info))
    part = range_of(call.header("range"), opened.info.size)
    response = _head(call, opened.info, part)
    await response.prepare(call.request)
    with suppress(ConnectionError):  # the client has left
        await _send_bytes(opened, response, part or ByteRange(0, opened.info.size))
    return response


async def _send_bytes(opened: OpenObject, response: web.StreamResponse, part: ByteRange) -> None:
    position = part.start
    while position < part.end:
        data = await _read(opened, position, min(PIECE_BYTES, part.end - position))
        await response.write(data)
        position += len(data)
    await response.write_eof()


async def _read(opened: OpenObject, position: int, size: int) -> bytes:
    """A piece of the file, which is not empty. Raises BrokenAnswer."""
    try:
        data = await in_thread(opened.read, position, size)
    except OSError as error:
        raise BrokenAnswer(str(error)) from error
    if not data:
        raise BrokenAnswer("the file has become shorter")
    return data


def _head(call: Call, info: ObjectInfo, part: ByteRange | None) -> web.StreamResponse:
    headers = {"content-type": DEFAULT_TYPE, **info.headers, **_overrides(call.query)}
    response = web.StreamResponse(status=200 if part is None else 206, headers=_validators(info))
    response.headers.update(headers)
    response.headers["Accept-Ranges"] = "bytes"
    if part is not None:
        response.headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{info.size}"
    response.content_length = info.size if part is None else part.size
    return response


def _overrides(query: Mapping[str, str]) -> dict[str, str]:
    chosen = {header: query[name] for name, header in OVERRIDES.items() if query.get(name)}
    return kept_headers(chosen) if chosen else {}


def _validators(info: ObjectInfo) -> dict[str, str]:
    return {"ETag": f'"{info.etag}"', "Last-Modified": formatdate(int(info.modified), usegmt=True)}


async def put_object(call: Call) -> web.StreamResponse:
    headers = kept_headers(call.headers)
    await in_thread(call.store.require_bucket, call.bucket)
    if is_folder_key(call.key):
        return await _put_folder(call, headers)
    staged = await in_thread(call.store.stage)
    try:
        received = await call.receive(staged.write)
        record = Record(etag=received.md5, headers=headers)
        await in_thread(call.store.place, call.bucket, call.key, staged, record, _check(call))
    finally:
        await in_thread(staged.discard)
    return web.Response(headers={"ETag": f'"{record.etag}"'})


async def _put_folder(call: Call, headers: dict[str, str]) -> web.StreamResponse:
    received = await call.receive(lambda _: None)
    if received.size:
        raise S3Error("InvalidArgument", "A key that ends in / is a folder, and has no content.")
    await in_thread(call.store.make_folder_object, call.bucket, call.key, headers)
    return web.Response(headers={"ETag": f'"{EMPTY_MD5}"'})


def _check(call: Call) -> Callable[[str | None], None]:
    return lambda etag: check_write(call.header, etag)


async def delete_object(call: Call) -> web.StreamResponse:
    await in_thread(call.store.delete, call.bucket, call.key)
    return web.Response(status=204)


def copy_source(call: Call) -> tuple[str, str]:
    """Return the bucket and the key that a copy is made of. Raises S3Error."""
    path, _, version = call.header("x-amz-copy-source").partition("?")
    bucket, _, key = decoded(path).lstrip("/").partition("/")
    if version and version != "versionId=null":
        raise S3Error("NotImplemented", "versionId is not supported by this endpoint.")
    if not bucket or not key:
        raise S3Error("InvalidArgument", "x-amz-copy-source must be a bucket and a key.")
    check_key(key)
    return bucket, key


async def open_source(call: Call) -> OpenObject:
    """Open the object that a copy is made of, if the conditions of the request hold. The caller closes it."""
    opened = await in_thread(call.store.open, *copy_source(call))
    try:
        check_conditions(call.header, opened.info.etag, opened.info.modified, prefix="x-amz-copy-source-")
    except S3Error:
        opened.close()
        raise
    return opened


async def copy_object(call: Call) -> web.StreamResponse:
    directive = call.header("x-amz-metadata-directive") or "COPY"
    if directive not in ("COPY", "REPLACE"):
        raise S3Error("InvalidArgument", "x-amz-metadata-directive must be COPY or REPLACE.")
    if copy_source(call) == (call.bucket, call.key) and directive == "COPY":
        raise S3Error("InvalidRequest", "A copy to itself must change the metadata.")
    await in_thread(call.store.require_bucket, call.bucket)
    source = await open_source(call)
    try:
        headers = dict(source.info.headers) if directive == "COPY" else kept_headers(call.headers)
        info = await in_thread(_copy, call, source, headers)
    finally:
        source.close()
    return xml_answer(copy_result("CopyObjectResult", info.etag, info.modified))


def _copy(call: Call, source: OpenObject, headers: dict[str, str]) -> ObjectInfo:
    if is_folder_key(call.key):
        if source.info.size:
            raise S3Error("InvalidArgument", "A key that ends in / is a folder, and has no content.")
        call.store.make_folder_object(call.bucket, call.key, headers)
        return ObjectInfo(size=0, modified_ns=source.info.modified_ns, etag=EMPTY_MD5)
    staged = call.store.stage()
    try:
        etag = staged.copy_from(source.descriptor, 0, source.info.size)
        return call.store.place(call.bucket, call.key, staged, Record(etag=etag, headers=headers), _check(call))
    finally:
        staged.discard()


def copy_result(name: str, etag: str, modified: float) -> Element:
    return element(name, [element("ETag", f'"{etag}"'), element("LastModified", xml_time(modified))])
