"""Names, operations, conditions, ranges and documents of S3."""

from contextlib import nullcontext, suppress
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.web.s3.protocol.conditions import ByteRange, check_conditions, check_write, range_of
from windlass.apps.pipelines.web.s3.protocol.documents import document, element, error_document, parse
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.object_names import check_bucket_name, check_key
from windlass.apps.pipelines.web.s3.protocol.operations import Operation, check_headers, operation_of


@pytest.mark.parametrize("key", ["a", "a/b", "a/b/", "ä/ß", "a b+c", "...", ".hidden", "a" * 255, "x/" * 500])
def test_keys_that_a_file_system_can_have(key: str) -> None:
    check_key(key)


@pytest.mark.parametrize(
    "key",
    [
        *("/a", "a//b", "a//", "/", "..", "a/../b", "./a", "a/."),
        *("a\x00", "a\nb", "\x7f", "\ud800", "\ufffe", "a" * 256, "ü" * 128, "x/" * 513),
    ],
)
def test_other_keys_are_refused(key: str) -> None:
    with pytest.raises(S3Error) as refused:
        check_key(key)
    assert refused.value.code in ("InvalidArgument", "KeyTooLongError")


@pytest.mark.parametrize("name", ["ab", "A", "a_b", "-ab", "a..b", "1.2.3.4", "a" * 64, ".ab", "a/b", "", "..."])
def test_names_that_no_bucket_has(name: str) -> None:
    with pytest.raises(S3Error, match="InvalidBucketName"):
        check_bucket_name(name)


@pytest.mark.parametrize(
    ("method", "path", "query", "operation"),
    [
        ("GET", ("", ""), {}, Operation.LIST_BUCKETS),
        ("PUT", ("b", ""), {}, Operation.CREATE_BUCKET),
        ("HEAD", ("b", ""), {}, Operation.HEAD_BUCKET),
        ("DELETE", ("b", ""), {}, Operation.DELETE_BUCKET),
        ("GET", ("b", ""), {"location": ""}, Operation.GET_BUCKET_LOCATION),
        ("GET", ("b", ""), {"versioning": ""}, Operation.GET_BUCKET_SETTING),
        ("GET", ("b", ""), {"policy": ""}, Operation.GET_BUCKET_SETTING),
        ("GET", ("b", ""), {"prefix": "a"}, Operation.LIST_OBJECTS),
        ("GET", ("b", ""), {"list-type": "2"}, Operation.LIST_OBJECTS_V2),
        ("GET", ("b", ""), {"uploads": ""}, Operation.LIST_UPLOADS),
        ("POST", ("b", ""), {"delete": ""}, Operation.DELETE_OBJECTS),
        ("GET", ("b", "k"), {"versionId": "null"}, Operation.GET_OBJECT),
        ("GET", ("b", "k"), {"tagging": ""}, Operation.GET_OBJECT_ATTRIBUTE),
        ("HEAD", ("b", "k"), {}, Operation.HEAD_OBJECT),
        ("PUT", ("b", "k"), {}, Operation.PUT_OBJECT),
        ("DELETE", ("b", "k"), {}, Operation.DELETE_OBJECT),
        ("POST", ("b", "k"), {"uploads": ""}, Operation.CREATE_UPLOAD),
        ("PUT", ("b", "k"), {"uploadId": "a", "partNumber": "1"}, Operation.UPLOAD_PART),
        ("POST", ("b", "k"), {"uploadId": "a"}, Operation.COMPLETE_UPLOAD),
        ("DELETE", ("b", "k"), {"uploadId": "a"}, Operation.ABORT_UPLOAD),
        ("GET", ("b", "k"), {"uploadId": "a"}, Operation.LIST_PARTS),
    ],
)
def test_operations(method: str, path: tuple[str, str], query: dict[str, str], operation: Operation) -> None:
    assert operation_of(method, *path, query, is_copy=False) == operation


def test_copies() -> None:
    assert operation_of("PUT", "b", "k", {}, is_copy=True) == Operation.COPY_OBJECT
    assert operation_of("PUT", "b", "k", {"uploadId": "a"}, is_copy=True) == Operation.UPLOAD_PART_COPY


@pytest.mark.parametrize(
    ("method", "path", "query", "named"),
    [
        ("PUT", ("b", ""), {"policy": ""}, "policy"),
        ("PUT", ("b", ""), {"versioning": ""}, "versioning"),
        ("GET", ("b", ""), {"acl": ""}, "acl"),
        ("GET", ("b", ""), {"versions": ""}, "versions"),
        ("PUT", ("b", "k"), {"tagging": ""}, "tagging"),
        ("GET", ("b", "k"), {"versionId": "7"}, "versionId"),
        ("POST", ("b", "k"), {"select": "", "select-type": "2"}, "select"),
        ("POST", ("b", ""), {}, "form"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(
    method: str, path: tuple[str, str], query: dict[str, str], named: str
) -> None:
    with pytest.raises(S3Error) as refused:
        operation_of(method, *path, query, is_copy=False)
    assert refused.value.code == "NotImplemented"
    assert named in refused.value.message


def test_a_method_that_does_nothing_here() -> None:
    with pytest.raises(S3Error, match="MethodNotAllowed"):
        operation_of("PATCH", "b", "k", {}, is_copy=False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-amz-server-side-encryption", "AES256"),
        ("x-amz-server-side-encryption-customer-key", "a"),
        ("x-amz-object-lock-mode", "GOVERNANCE"),
        ("x-amz-tagging", "a=b"),
        ("x-amz-acl", "public-read"),
        ("x-amz-storage-class", "GLACIER"),
    ],
)
def test_headers_that_ask_for_more_are_refused(name: str, value: str) -> None:
    with pytest.raises(S3Error):
        check_headers({name: [value]})


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None),
        ("bytes=0-0", ByteRange(0, 1)),
        ("bytes=2-", ByteRange(2, 10)),
        ("bytes=2-100", ByteRange(2, 10)),
        ("bytes=-3", ByteRange(7, 10)),
        ("bytes=-30", ByteRange(0, 10)),
        ("bytes=3-2", None),
        ("bytes=-", None),
        ("bytes=0-1,3-4", None),
        ("lines=1-2", None),
    ],
)
def test_ranges(header: str, expected: ByteRange | None) -> None:
    assert range_of(header, 10) == expected


@pytest.mark.parametrize(
    ("header", "size"), [("bytes=10-", 10), ("bytes=10-12", 10), ("bytes=-0", 10), ("bytes=0-", 0)]
)
def test_a_range_that_the_object_does_not_have(header: str, size: int) -> None:
    with pytest.raises(S3Error) as refused:
        range_of(header, size)
    assert (refused.value.status, refused.value.headers["Content-Range"]) == (416, f"bytes */{size}")


TIME = 1_767_225_600.5  # 1 January 2026, half a second after midnight


@pytest.mark.parametrize(
    ("headers", "outcome"),
    [
        ({}, True),
        ({"if-match": '"e"'}, True),
        ({"if-match": "*"}, True),
        ({"if-match": '"x", "e"'}, True),
        ({"if-match": '"x"'}, "PreconditionFailed"),
        ({"if-none-match": '"x"'}, True),
        ({"if-none-match": 'W/"e"'}, False),
        ({"if-none-match": "*"}, False),
        ({"if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT"}, False),
        ({"if-modified-since": "Wed, 31 Dec 2025 23:59:59 GMT"}, True),
        ({"if-modified-since": "Wed, 31 Dec 2025 23:59:59 GMT", "if-none-match": '"e"'}, False),
        ({"if-modified-since": "once upon a time"}, True),
        ({"if-unmodified-since": "Thu, 01 Jan 2026 00:00:00 GMT"}, True),
        ({"if-unmodified-since": "Wed, 31 Dec 2025 23:59:59 GMT"}, "PreconditionFailed"),
        ({"if-unmodified-since": "Wed, 31 Dec 2025 23:59:59 GMT", "if-match": '"e"'}, True),
    ],
)
def test_conditions(headers: dict[str, str], outcome: bool | str) -> None:
    try:
        found: bool | str = check_conditions(lambda name: headers.get(name, ""), "e", TIME)
    except S3Error as error:
        found = error.code
    assert found == outcome


@pytest.mark.parametrize(
    ("headers", "etag", "outcome"),
    [
        ({}, None, ""),
        ({"if-none-match": "*"}, None, ""),
        ({"if-none-match": "*"}, "e", "PreconditionFailed"),
        ({"if-match": '"e"'}, "e", ""),
        ({"if-match": '"e"'}, "f", "PreconditionFailed"),
        ({"if-match": '"e"'}, None, "NoSuchKey"),
    ],
)
def test_conditions_of_writes(headers: dict[str, str], etag: str | None, outcome: str) -> None:
    with pytest.raises(S3Error, match=outcome) if outcome else nullcontext():
        check_write(lambda name: headers.get(name, ""), etag)


def test_a_document_is_read_whatever_its_namespace() -> None:
    body = b'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object><Key>a &amp; b</Key></Object></Delete>'

    for text in (body, body.replace(b' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', b"")):
        assert [item.findtext("Key") for item in parse(text, "Delete").findall("Object")] == ["a & b"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<Delete>",
        b"<Other/>",
        b'<!DOCTYPE Delete [<!ENTITY a "b">]><Delete>&a;</Delete>',
        b'<!DOCTYPE Delete SYSTEM "file:///etc/passwd"><Delete/>',
        b"<Delete>&undefined;</Delete>",
        b"<Delete>" + b"<a>" * 20 + b"</a>" * 20 + b"</Delete>",
        b'<?xml version="1.0" encoding="no-such"?><Delete/>',
        b"<Delete>\xff</Delete>",
        b"<Delete>\x00</Delete>",
    ],
)
def test_documents_with_a_type_or_errors_are_refused(body: bytes) -> None:
    with pytest.raises(S3Error, match="MalformedXML"):
        parse(body, "Delete")


@given(st.binary(max_size=60))
def test_no_body_gives_anything_but_an_s3_error(body: bytes) -> None:
    for text in (body, b"<Delete>" + body + b"</Delete>"):
        with suppress(S3Error):
            parse(text, "Delete")


@given(st.text(st.characters(codec=None), max_size=30))
def test_whatever_the_text_a_document_can_be_parsed(text: str) -> None:
    assert fromstring(document(element("A", [element("B", text), None]))) is not None
    assert (
        fromstring(error_document(S3Error("NoSuchKey", text), text.encode(errors="replace").decode(), "1")) is not None
    )
