"""Answers requests about multipart uploads."""

import re
import time
from xml.etree.ElementTree import Element

from aiohttp import web

from windlass.apps.pipelines.web.s3.call import Call, in_thread, xml_answer, xml_time
from windlass.apps.pipelines.web.s3.files.records import kept_headers
from windlass.apps.pipelines.web.s3.files.store import OpenObject
from windlass.apps.pipelines.web.s3.files.uploads import MAX_PARTS, Part
from windlass.apps.pipelines.web.s3.object_calls import copy_result, open_source
from windlass.apps.pipelines.web.s3.protocol.conditions import ByteRange, check_write
from windlass.apps.pipelines.web.s3.protocol.documents import element, malformed, text_of
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.object_names import is_folder_key

MAX_LISTED = 1000
_RANGE = re.compile(r"bytes=([0-9]{1,18})-([0-9]{1,18})")


async def create_upload(call: Call) -> web.StreamResponse:
    if is_folder_key(call.key):
        raise S3Error("InvalidArgument", "A key that ends in / is a folder, and has no content.")
    await call.receive(lambda _: None)
    upload_id = await in_thread(call.uploads.create, call.bucket, call.key, kept_headers(call.headers))
    parts = [element("Bucket", call.bucket), element("Key", call.key), element("UploadId", upload_id)]
    return xml_answer(element("InitiateMultipartUploadResult", parts))


async def upload_part(call: Call) -> web.StreamResponse:
    number, upload_id = _part_number(call), call.query["uploadId"]
    await in_thread(call.uploads.get, call.bucket, call.key, upload_id)
    staged = await in_thread(call.store.stage)
    try:
        received = await call.receive(staged.write)
        etag = received.md5
        await in_thread(call.uploads.add_part, call.bucket, call.key, upload_id, number, staged, etag)
    finally:
        await in_thread(staged.discard)
    return web.Response(headers={"ETag": f'"{etag}"'})


async def upload_part_copy(call: Call) -> web.StreamResponse:
    number, upload_id = _part_number(call), call.query["uploadId"]
    await in_thread(call.uploads.get, call.bucket, call.key, upload_id)
    source = await open_source(call)
    try:
        part = source_range(call.header("x-amz-copy-source-range"), source.info.size)
        etag = await in_thread(_copy_part, call, source, part, number)
    finally:
        source.close()
    return xml_answer(copy_result("CopyPartResult", etag, time.time()))


def _copy_part(call: Call, source: OpenObject, part: ByteRange, number: int) -> str:
    staged = call.store.stage()
    try:
        etag = staged.copy_from(source.descriptor, part.start, part.size)
        call.uploads.add_part(call.bucket, call.key, call.query["uploadId"], number, staged, etag)
    finally:
        staged.discard()
    return etag


def source_range(header: str, size: int) -> ByteRange:
    """Return the bytes to copy. Raises S3Error: unlike Range, the header must fit the source."""
    if not header:
        return ByteRange(0, size)
    match = _RANGE.fullmatch(header)
    if match is None or not int(match[1]) <= int(match[2]) < size:
        raise S3Error("InvalidArgument", "x-amz-copy-source-range must be bytes=first-last, inside the source.")
    return ByteRange(int(match[1]), int(match[2]) + 1)


def _part_number(call: Call) -> int:
    text = call.query.get("partNumber", "")
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= MAX_PARTS:
        raise S3Error("InvalidArgument", f"partNumber must be a number from 1 to {MAX_PARTS}.")
    return int(text)


async def complete_upload(call: Call) -> web.StreamResponse:
    upload_id = call.query["uploadId"]
    await in_thread(call.uploads.get, call.bucket, call.key, upload_id)
    wanted = [_wanted(part) for part in (await call.document("CompleteMultipartUpload")).findall("Part")]
    info = await in_thread(
        call.uploads.complete,
        call.bucket,
        call.key,
        upload_id,
        wanted,
        lambda etag: check_write(call.header, etag),
    )
    parts = [
        element("Location", f"/{call.bucket}/{call.key}"),
        element("Bucket", call.bucket),
        element("Key", call.key),
        element("ETag", f'"{info.etag}"'),
    ]
    return xml_answer(element("CompleteMultipartUploadResult", parts))


def _wanted(part: Element) -> tuple[int, str]:
    number = text_of(part, "PartNumber").strip()
    if not re.fullmatch(r"[0-9]{1,5}", number):
        raise malformed("a PartNumber is not a number")
    return int(number), text_of(part, "ETag")


async def abort_upload(call: Call) -> web.StreamResponse:
    await in_thread(call.uploads.abort, call.bucket, call.key, call.query["uploadId"])
    return web.Response(status=204)


async def list_parts(call: Call) -> web.StreamResponse:
    upload_id = call.query["uploadId"]
    after = call.number("part-number-marker", 0, MAX_PARTS)
    limit = call.number("max-parts", MAX_LISTED, MAX_LISTED)
    parts = [
        part for part in await in_thread(call.uploads.parts, call.bucket, call.key, upload_id) if part.number > after
    ]
    page, is_truncated = parts[:limit], len(parts) > limit > 0
    rows = [
        element("Bucket", call.bucket),
        element("Key", call.key),
        element("UploadId", upload_id),
        element("PartNumberMarker", after),
        element("NextPartNumberMarker", page[-1].number if page else 0),
        element("MaxParts", limit),
        element("IsTruncated", is_truncated),
        *map(_part_row, page),
    ]
    return xml_answer(element("ListPartsResult", rows))


def _part_row(part: Part) -> Element:
    return element(
        "Part",
        [
            element("PartNumber", part.number),
            element("LastModified", xml_time(part.modified)),
            element("ETag", f'"{part.etag}"'),
            element("Size", part.size),
        ],
    )
