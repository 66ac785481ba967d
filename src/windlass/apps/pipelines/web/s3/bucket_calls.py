"""Answers requests about buckets."""

from collections.abc import Callable
from urllib.parse import quote
from xml.etree.ElementTree import Element

from aiohttp import web

from windlass.apps.pipelines.web.s3.call import Call, in_thread, xml_answer, xml_time
from windlass.apps.pipelines.web.s3.files.records import ObjectInfo
from windlass.apps.pipelines.web.s3.files.store import storage_error
from windlass.apps.pipelines.web.s3.files.uploads import Upload
from windlass.apps.pipelines.web.s3.protocol.documents import element, malformed, text_of
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error, not_implemented
from windlass.apps.pipelines.web.s3.protocol.listing import (
    MAX_KEYS,
    Page,
    Position,
    Question,
    position_of_marker,
    position_of_token,
    token_of,
)
from windlass.apps.pipelines.web.s3.protocol.object_names import check_key, is_text
from windlass.apps.pipelines.web.s3.protocol.operations import ABSENT, EMPTY

MAX_DELETED = 1000


async def list_buckets(call: Call) -> web.StreamResponse:
    buckets = await in_thread(call.store.buckets)
    rows = [
        element("Bucket", [element("Name", bucket.name), element("CreationDate", xml_time(bucket.created))])
        for bucket in buckets
    ]
    owner = element("Owner", [element("ID", call.claim.access_key), element("DisplayName", call.claim.access_key)])
    return xml_answer(element("ListAllMyBucketsResult", [owner, element("Buckets", rows)]))


async def create_bucket(call: Call) -> web.StreamResponse:
    await call.receive(lambda _: None, max_bytes=MAX_DELETED)  # a location, which changes nothing
    await in_thread(call.store.create_bucket, call.bucket)
    return web.Response(headers={"Location": f"/{call.bucket}"})


async def head_bucket(call: Call) -> web.StreamResponse:
    await in_thread(call.store.require_bucket, call.bucket)
    return web.Response(headers={"x-amz-bucket-region": "us-east-1"})


async def delete_bucket(call: Call) -> web.StreamResponse:
    await in_thread(call.store.delete_bucket, call.bucket)
    return web.Response(status=204)


async def get_location(call: Call) -> web.StreamResponse:
    await in_thread(call.store.require_bucket, call.bucket)
    return xml_answer(element("LocationConstraint"))


async def get_setting(call: Call) -> web.StreamResponse:
    await in_thread(call.store.require_bucket, call.bucket)
    for name in call.query:
        if name in EMPTY:
            return xml_answer(element(EMPTY[name]))
        if name in ABSENT:
            raise S3Error(ABSENT[name], f"The bucket has no setting {name}.")
    raise S3Error("InvalidRequest", "The request names no setting.")


async def list_objects(call: Call) -> web.StreamResponse:
    marker = _text(call, "marker")
    prefix, delimiter = _text(call, "prefix"), _text(call, "delimiter")
    encode = _encoding(call)
    page, infos = await _page(call, position_of_marker(marker, prefix, delimiter))
    parts = [
        *_head(call, encode),
        element("Marker", encode(marker)),
        element("NextMarker", encode(page.next.after)) if page.is_truncated and delimiter else None,
        *_rows(page, infos, encode, owner=call.claim.access_key),
    ]
    return xml_answer(element("ListBucketResult", [*parts, element("IsTruncated", page.is_truncated)]))


async def list_objects_v2(call: Call) -> web.StreamResponse:
    token, start_after = call.query.get("continuation-token", ""), _text(call, "start-after")
    position = position_of_token(token) if token else Position(start_after)
    encode = _encoding(call)
    page, infos = await _page(call, position)
    owner = call.claim.access_key if call.query.get("fetch-owner") == "true" else ""
    parts = [
        *_head(call, encode),
        element("StartAfter", encode(start_after)) if start_after else None,
        element("ContinuationToken", token) if token else None,
        element("NextContinuationToken", token_of(page.next)) if page.is_truncated else None,
        element("KeyCount", len(page.entries)),
        *_rows(page, infos, encode, owner=owner),
    ]
    return xml_answer(element("ListBucketResult", [*parts, element("IsTruncated", page.is_truncated)]))


async def _page(call: Call, position: Position) -> tuple[Page, dict[str, ObjectInfo]]:
    question = Question(
        prefix=_text(call, "prefix"),
        delimiter=_text(call, "delimiter"),
        position=position,
        max_keys=call.number("max-keys", MAX_KEYS, MAX_KEYS),
    )
    return await in_thread(call.store.page, call.bucket, question)


def _head(call: Call, encode: Callable[[str], str]) -> list[Element | None]:
    delimiter, encoding = call.query.get("delimiter", ""), call.query.get("encoding-type", "")
    return [
        element("Name", call.bucket),
        element("Prefix", encode(call.query.get("prefix", ""))),
        element("Delimiter", encode(delimiter)) if delimiter else None,
        element("EncodingType", encoding) if encoding else None,
        element("MaxKeys", call.number("max-keys", MAX_KEYS, MAX_KEYS)),
    ]


def _rows(page: Page, infos: dict[str, ObjectInfo], encode: Callable[[str], str], *, owner: str) -> list[Element]:
    rows = [_row(encode(key), info, owner) for key, info in infos.items()]
    prefixes = [element("CommonPrefixes", [element("Prefix", encode(prefix))]) for prefix in page.prefixes]
    return [*rows, *prefixes]


def _row(key: str, info: ObjectInfo, owner: str) -> Element:
    parts = [
        element("Key", key),
        element("LastModified", xml_time(info.modified)),
        element("ETag", f'"{info.etag}"'),
        element("Size", info.size),
        element("StorageClass", "STANDARD"),
        element("Owner", [element("ID", owner), element("DisplayName", owner)]) if owner else None,
    ]
    return element("Contents", parts)


def _text(call: Call, name: str) -> str:
    value = call.query.get(name, "")
    if not is_text(value):
        raise S3Error("InvalidArgument", f"{name} must not have control characters.")
    return value


def _encoding(call: Call) -> Callable[[str], str]:
    """Return how keys are written in the answer. Raises S3Error."""
    encoding = call.query.get("encoding-type", "")
    if encoding not in ("", "url"):
        raise S3Error("InvalidArgument", "encoding-type must be url.")
    return (lambda text: quote(text, safe="/")) if encoding else str


async def delete_objects(call: Call) -> web.StreamResponse:
    request = await call.document("Delete")
    keys = [item.findtext("Key") or "" for item in request.findall("Object")]
    if not 1 <= len(keys) <= MAX_DELETED:
        raise malformed(f"there must be 1 to {MAX_DELETED} objects")
    await in_thread(call.store.require_bucket, call.bucket)
    results = await in_thread(lambda: [_delete(call, key) for key in keys])
    is_quiet = text_of(request, "Quiet") == "true"
    return xml_answer(element("DeleteResult", [row for row in results if row.tag == "Error" or not is_quiet]))


def _delete(call: Call, key: str) -> Element:
    try:
        check_key(key)
        call.store.delete(call.bucket, key)
    except (S3Error, OSError) as error:
        reason = error if isinstance(error, S3Error) else storage_error(error)
        return element("Error", [element("Key", key), element("Code", reason.code), element("Message", reason.message)])
    return element("Deleted", [element("Key", key)])


async def list_uploads(call: Call) -> web.StreamResponse:
    prefix, marker = _text(call, "prefix"), _text(call, "key-marker")
    encode, limit = _encoding(call), call.number("max-uploads", MAX_KEYS, MAX_KEYS)
    if call.query.get("delimiter"):
        raise not_implemented("delimiter of ListMultipartUploads")
    after = (marker, call.query.get("upload-id-marker", "") or "~")
    uploads = [
        (upload_id, upload)
        for upload_id, upload in await in_thread(call.uploads.all, call.bucket)
        if upload.key.startswith(prefix) and (not marker or (upload.key, upload_id) > after)
    ]
    page, is_truncated = uploads[:limit], len(uploads) > limit > 0
    parts = [
        element("Bucket", call.bucket),
        element("KeyMarker", encode(marker)),
        element("UploadIdMarker", call.query.get("upload-id-marker", "")),
        element("NextKeyMarker", encode(page[-1][1].key)) if is_truncated else None,
        element("NextUploadIdMarker", page[-1][0]) if is_truncated else None,
        element("Prefix", encode(prefix)),
        element("MaxUploads", limit),
        element("IsTruncated", is_truncated),
        *(_upload_row(upload_id, upload, encode) for upload_id, upload in page),
    ]
    return xml_answer(element("ListMultipartUploadsResult", parts))


def _upload_row(upload_id: str, upload: Upload, encode: Callable[[str], str]) -> Element:
    parts = [
        element("Key", encode(upload.key)),
        element("UploadId", upload_id),
        element("StorageClass", "STANDARD"),
        element("Initiated", xml_time(upload.started)),
    ]
    return element("Upload", parts)
