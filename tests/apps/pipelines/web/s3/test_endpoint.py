"""The S3 endpoint over HTTP: objects are files of the namespace's claim, and no request leaves it."""

import logging
import re
import socket
import stat
from datetime import UTC, datetime, timedelta
from hashlib import md5
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
import requests

from tests.apps.pipelines.web.s3.conftest import ANNA, BERT, Endpoint, keys_secret
from tests.apps.pipelines.web.s3.signing import signed_headers
from windlass.apps.pipelines.web.s3.call import PIECE_BYTES
from windlass.apps.pipelines.web.s3.files.store import OpenObject

NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"


def keys_of(answer: requests.Response) -> list[str | None]:
    return [item.text for item in fromstring(answer.content).iter(f"{NAMESPACE}Key")]


def test_an_object_is_the_file_of_an_artifact(endpoint: Endpoint) -> None:
    """`minio://mlpipeline/v2/x` and the object `v2/x` of the bucket `mlpipeline` are the same."""
    stored = endpoint.send("PUT", "/mlpipeline/v2/x", b"hello", content_type="text/plain", x_amz_meta_who="me")
    assert (stored.status_code, stored.headers["ETag"]) == (200, f'"{md5(b"hello").hexdigest()}"')
    assert (endpoint.folder / "mlpipeline" / "v2" / "x").read_bytes() == b"hello"

    answer = endpoint.send("GET", "/mlpipeline/v2/x")
    assert answer.content == b"hello"
    kept = [answer.headers[name] for name in ("ETag", "Content-Type", "x-amz-meta-who")]
    assert kept == [stored.headers["ETag"], "text/plain", "me"]
    head = endpoint.send("HEAD", "/mlpipeline/v2/x")
    assert (head.status_code, head.headers["Content-Length"], head.content) == (200, "5", b"")

    (endpoint.folder / "mlpipeline" / "v2" / "x").write_bytes(b"by a pod")
    changed = endpoint.send("GET", "/mlpipeline/v2/x")
    assert changed.content == b"by a pod"
    assert changed.headers["ETag"] != stored.headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{32}-1"', changed.headers["ETag"])
    assert changed.headers["Content-Type"] == "binary/octet-stream"


def test_keys_open_their_namespace_and_no_other(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/secret", b"anna's")

    assert endpoint.code("GET", "/mlpipeline/secret", keys=BERT) == "NoSuchKey"
    assert keys_of(endpoint.send("GET", "/mlpipeline", keys=BERT)) == []
    assert endpoint.send("PUT", "/mlpipeline/secret", b"bert's", keys=BERT).status_code == 200
    assert endpoint.send("GET", "/mlpipeline/secret").content == b"anna's"
    source: dict[str, Any] = {"x_amz_copy_source": "/mlpipeline/secret"}
    assert endpoint.send("PUT", "/mlpipeline/copy", keys=BERT, **source).status_code == 200
    assert endpoint.send("GET", "/mlpipeline/copy", keys=BERT).content == b"bert's"
    assert endpoint.code("GET", "/mlpipeline/secret", keys=("anna", BERT[1])) == "SignatureDoesNotMatch"
    for path in ("/../volume-anna/minio/mlpipeline/secret", "/mlpipeline/../../../volume-anna/minio/mlpipeline/secret"):
        with socket.create_connection(("127.0.0.1", int(endpoint.url.rpartition(":")[2]))) as connection:
            headers = signed_headers("GET", endpoint.url + path, b"", BERT)
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            connection.sendall(f"GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")), answer
        assert b"anna's" not in answer


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        (("nobody", "x"), "InvalidAccessKeyId"),
        (("../anna", "a" * 64), "AuthorizationHeaderMalformed"),
        (("Anna", "a" * 64), "InvalidAccessKeyId"),
        (("anna", "wrong"), "SignatureDoesNotMatch"),
    ],
)
def test_wrong_keys_are_refused(endpoint: Endpoint, keys: tuple[str, str], code: str) -> None:
    answer = endpoint.send("GET", "/mlpipeline", keys=keys)

    assert answer.text.partition("<Code>")[2].partition("<")[0] == code
    assert answer.status_code in (400, 403)
    assert fromstring(answer.content).tag == "Error"


def test_keys_of_another_store_in_the_secret_open_nothing(endpoint: Endpoint) -> None:
    endpoint.server.put(keys_secret("carl", "AKIA", "key"))

    assert endpoint.code("GET", "/", keys=("AKIA", "key")) == "InvalidAccessKeyId"
    assert endpoint.code("GET", "/", keys=("carl", "key")) == "InvalidAccessKeyId"


def test_a_request_without_or_with_an_old_signature_is_refused(endpoint: Endpoint) -> None:
    assert "AccessDenied" in requests.get(f"{endpoint.url}/mlpipeline", timeout=10).text
    old = datetime.now(UTC) - timedelta(minutes=20)
    headers = signed_headers("GET", f"{endpoint.url}/mlpipeline", b"", ANNA, now=old)
    assert "RequestTimeTooSkewed" in requests.get(f"{endpoint.url}/mlpipeline", headers=headers, timeout=10).text


def test_a_body_that_is_not_the_signed_one_is_not_stored(endpoint: Endpoint) -> None:
    wrong = "0" * 64
    assert endpoint.code("PUT", "/mlpipeline/a", b"x", payload=wrong) == "XAmzContentSHA256Mismatch"
    assert endpoint.code("PUT", "/mlpipeline/a", b"x", content_md5="AAAAAAAAAAAAAAAAAAAAAA==") == "BadDigest"
    assert endpoint.code("PUT", "/mlpipeline/a", b"x", content_md5="?") == "InvalidDigest"
    assert endpoint.code("PUT", "/mlpipeline/a", b"x", x_amz_checksum_crc32="AAAAAA==") == "BadDigest"
    assert endpoint.code("GET", "/mlpipeline/a") == "NoSuchKey"
    assert list((endpoint.folders["anna"] / ".windlass-s3" / "staging").iterdir()) == []


def test_nothing_is_read_or_written_through_a_link(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a/file", b"x")
    outside = endpoint.folders["bert"] / "secret"
    outside.write_bytes(b"secret")
    bucket = endpoint.folder / "mlpipeline"
    (bucket / "link").symlink_to(outside)
    (bucket / "folder").symlink_to(outside.parent)
    (endpoint.folder / "linked").symlink_to(outside.parent)

    assert endpoint.code("GET", "/mlpipeline/link") == "NoSuchKey"
    assert endpoint.code("GET", "/mlpipeline/folder/secret") == "NoSuchKey"
    assert endpoint.code("PUT", "/mlpipeline/folder/new", b"x") == "XMinioParentIsObject"
    assert endpoint.code("GET", "/linked") == "NoSuchBucket"
    assert keys_of(endpoint.send("GET", "/mlpipeline")) == ["a/file"]
    assert endpoint.code("DELETE", "/mlpipeline/folder/secret") == ""
    assert endpoint.send("PUT", "/mlpipeline/link", b"mine").status_code == 200
    assert outside.read_bytes() == b"secret"
    assert sorted(path.name for path in outside.parent.iterdir()) == ["secret"]


def test_the_hidden_folder_is_in_no_bucket(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a", b"x")

    listed = fromstring(endpoint.send("GET", "/").content)
    assert [item.text for item in listed.iter(f"{NAMESPACE}Name")] == ["mlpipeline"]
    for path in ("/.windlass-s3", "/..", "/.", "/%2e%2e"):
        with_path = requests.Request("GET", endpoint.url).prepare()
        with_path.url = endpoint.url + path
        with_path.headers.update(signed_headers("GET", endpoint.url + path.replace("%2e", "."), b"", ANNA))
        with requests.Session() as session:
            assert "NoSuchBucket" in session.send(with_path, timeout=10).text, path


def test_folders_for_other_users_containers_have_the_volumes_mode(endpoint: Endpoint) -> None:
    endpoint.folders["anna"].chmod(0o777)
    endpoint.send("PUT", "/mlpipeline/deep/er/file", b"x")

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (endpoint.folder, *endpoint.folder.rglob("*"))}
    assert modes == {0o777, 0o644}


def test_folder_markers(endpoint: Endpoint) -> None:
    assert endpoint.send("PUT", "/mlpipeline/dir/").status_code == 200
    assert endpoint.code("PUT", "/mlpipeline/dir2/", b"content") == "InvalidArgument"
    assert endpoint.send("HEAD", "/mlpipeline/dir/").status_code == 200
    assert endpoint.send("GET", "/mlpipeline/dir/").content == b""
    assert endpoint.send("HEAD", "/mlpipeline/dir").status_code == 404
    endpoint.send("PUT", "/mlpipeline/dir/a", b"x")
    assert keys_of(endpoint.send("GET", "/mlpipeline")) == ["dir/", "dir/a"]
    endpoint.send("DELETE", "/mlpipeline/dir/a")
    assert keys_of(endpoint.send("GET", "/mlpipeline?list-type=2")) == ["dir/"]
    endpoint.send("DELETE", "/mlpipeline/dir/")
    assert keys_of(endpoint.send("GET", "/mlpipeline")) == []
    assert not (endpoint.folder / "mlpipeline" / "dir").exists()


def test_an_object_and_a_folder_of_one_name_exclude_each_other(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a", b"x")
    endpoint.send("PUT", "/mlpipeline/b/c", b"x")

    assert endpoint.code("PUT", "/mlpipeline/a/b", b"x") == "XMinioParentIsObject"
    assert endpoint.code("PUT", "/mlpipeline/b", b"x") == "XMinioObjectExistsAsDirectory"
    assert endpoint.send("GET", "/mlpipeline/a").content == b"x"
    endpoint.send("DELETE", "/mlpipeline/b/c")
    assert endpoint.send("PUT", "/mlpipeline/b", b"y").status_code == 200


def test_buckets(endpoint: Endpoint) -> None:
    assert endpoint.send("HEAD", "/mlpipeline").status_code == 200
    assert endpoint.send("PUT", "/data").status_code == 200
    assert endpoint.code("PUT", "/data") == "BucketAlreadyOwnedByYou"
    assert endpoint.code("PUT", "/Data") == "InvalidBucketName"
    assert endpoint.code("PUT", "/other/a", b"x") == "NoSuchBucket"
    assert endpoint.code("GET", "/other") == "NoSuchBucket"
    endpoint.send("PUT", "/data/a/b", b"x")
    assert endpoint.code("DELETE", "/data") == "BucketNotEmpty"
    endpoint.send("DELETE", "/data/a/b")
    (endpoint.folder / "data" / "empty").mkdir()
    assert endpoint.send("DELETE", "/data").status_code == 204
    assert endpoint.send("HEAD", "/data").status_code == 404
    assert endpoint.send("DELETE", "/mlpipeline").status_code == 204
    assert endpoint.send("HEAD", "/mlpipeline").status_code == 200, "it always exists"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("?location", "LocationConstraint"),
        ("?versioning", "VersioningConfiguration"),
        ("?policy", "NoSuchBucketPolicy"),
        ("?cors", "NoSuchCORSConfiguration"),
        ("?lifecycle", "NoSuchLifecycleConfiguration"),
        ("?tagging", "NoSuchTagSet"),
        ("?acl", "NotImplemented"),
        ("?object-lock", "ObjectLockConfigurationNotFoundError"),
    ],
)
def test_settings_of_a_bucket(endpoint: Endpoint, path: str, text: str) -> None:
    assert text in endpoint.send("GET", f"/mlpipeline{path}").text


def test_ranges_and_conditions(endpoint: Endpoint) -> None:
    etag = endpoint.send("PUT", "/mlpipeline/a", b"0123456789").headers["ETag"]

    part = endpoint.send("GET", "/mlpipeline/a", range="bytes=2-4")
    assert (part.status_code, part.content, part.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
    outside = endpoint.send("GET", "/mlpipeline/a", range="bytes=10-")
    assert (outside.status_code, outside.headers["Content-Range"]) == (416, "bytes */10")
    assert endpoint.send("GET", "/mlpipeline/a", if_none_match=etag).status_code == 304
    assert endpoint.code("GET", "/mlpipeline/a", if_match='"x"') == "PreconditionFailed"
    assert endpoint.code("PUT", "/mlpipeline/a", b"y", if_none_match="*") == "PreconditionFailed"
    assert endpoint.send("PUT", "/mlpipeline/b", b"y", if_none_match="*").status_code == 200
    named = endpoint.send("GET", "/mlpipeline/a?response-content-type=text%2Fcsv")
    assert named.headers["Content-Type"] == "text/csv"
    assert endpoint.code("GET", "/mlpipeline/a?response-content-type=a%0Ab") == "InvalidArgument"


def test_copies_keep_or_replace_metadata(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a%20b", b"x", content_type="text/plain", x_amz_meta_a="1")

    copied = endpoint.send("PUT", "/mlpipeline/copy", x_amz_copy_source="mlpipeline/a%20b")
    assert md5(b"x").hexdigest() in copied.text
    assert endpoint.send("HEAD", "/mlpipeline/copy").headers["x-amz-meta-a"] == "1"
    replaced: dict[str, Any] = {
        "x_amz_copy_source": "mlpipeline/copy",
        "x_amz_metadata_directive": "REPLACE",
        "x_amz_meta_b": "2",
    }
    assert endpoint.send("PUT", "/mlpipeline/copy", **replaced).status_code == 200
    head = endpoint.send("HEAD", "/mlpipeline/copy").headers
    assert ("x-amz-meta-a" in head, head["x-amz-meta-b"]) == (False, "2")
    for source, code in [
        ("mlpipeline/none", "NoSuchKey"),
        ("none/a", "NoSuchBucket"),
        ("mlpipeline", "InvalidArgument"),
        ("mlpipeline/../a", "InvalidArgument"),
        ("mlpipeline/copy", "InvalidRequest"),
        ("mlpipeline/copy?versionId=3", "NotImplemented"),
    ]:
        assert endpoint.code("PUT", "/mlpipeline/copy", x_amz_copy_source=source) == code, source


def test_multipart_uploads(endpoint: Endpoint) -> None:
    start = endpoint.send("POST", "/mlpipeline/big?uploads=", content_type="text/plain").text
    upload = start.partition("<UploadId>")[2].partition("<")[0]
    where = f"/mlpipeline/big?uploadId={upload}"
    large = b"a" * (5 << 20)
    tags = [
        endpoint.send("PUT", f"/mlpipeline/big?partNumber={number}&uploadId={upload}", part).headers["ETag"]
        for number, part in ((1, b"replaced"), (1, large), (2, b"small"), (3, b"end"))
    ]

    def complete(*parts: tuple[int, str]) -> str:
        rows = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in parts)
        body = f"<CompleteMultipartUpload>{rows}</CompleteMultipartUpload>".encode()
        answer = endpoint.send("POST", where, body)
        return answer.text.partition("<Code>")[2].partition("<")[0] or f"{answer.status_code}"

    assert keys_of(endpoint.send("GET", "/mlpipeline?uploads=")) == ["big"]
    assert endpoint.send("GET", where).text.count("<Part>") == 3
    assert endpoint.code("GET", "/mlpipeline/big") == "NoSuchKey"
    assert complete() == "MalformedXML"
    assert complete((1, tags[0])) == "InvalidPart"
    assert complete((4, tags[1])) == "InvalidPart"
    assert complete((2, tags[2]), (1, tags[1])) == "InvalidPartOrder"
    assert complete((1, tags[1]), (2, tags[2]), (3, tags[3])) == "EntityTooSmall"
    assert endpoint.code("PUT", f"/mlpipeline/big?partNumber=10001&uploadId={upload}", b"") == "InvalidArgument"
    assert endpoint.code("PUT", "/mlpipeline/big?partNumber=1&uploadId=..%2F..", b"") == "NoSuchUpload"
    assert endpoint.code("PUT", f"/mlpipeline/other?partNumber=1&uploadId={upload}", b"") == "NoSuchUpload"
    assert complete((1, tags[1]), (3, tags[3])) == "200"
    whole = endpoint.send("GET", "/mlpipeline/big")
    assert whole.content == large + b"end"
    assert (whole.headers["ETag"][-3:], whole.headers["Content-Type"]) == ('-2"', "text/plain")
    assert complete((1, tags[1])) == "NoSuchUpload"
    assert keys_of(endpoint.send("GET", "/mlpipeline?uploads=")) == []


def test_an_upload_is_aborted_and_parts_are_copied(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/source", b"0123456789")
    start = endpoint.send("POST", "/mlpipeline/big?uploads=").text
    upload = start.partition("<UploadId>")[2].partition("<")[0]
    part = f"/mlpipeline/big?partNumber=1&uploadId={upload}"

    source: dict[str, Any] = {"x_amz_copy_source": "mlpipeline/source"}
    copied = endpoint.send("PUT", part, x_amz_copy_source_range="bytes=2-4", **source)
    assert md5(b"234").hexdigest() in copied.text
    assert endpoint.code("PUT", part, x_amz_copy_source_range="bytes=2-10", **source) == "InvalidArgument"
    assert endpoint.send("DELETE", f"/mlpipeline/big?uploadId={upload}").status_code == 204
    assert endpoint.code("DELETE", f"/mlpipeline/big?uploadId={upload}") == "NoSuchUpload"
    assert list((endpoint.folders["anna"] / ".windlass-s3" / "uploads" / "mlpipeline").iterdir()) == []


def test_objects_are_deleted_together(endpoint: Endpoint) -> None:
    for key in ("a/1", "a/2", "b"):
        endpoint.send("PUT", f"/mlpipeline/{key}", b"x")
    rows = "".join(f"<Object><Key>{key}</Key></Object>" for key in ("a/1", "a/2", "none", "a//b"))

    answer = endpoint.send("POST", "/mlpipeline?delete=", f"<Delete>{rows}</Delete>".encode()).text
    assert (answer.count("<Deleted>"), answer.count("<Error>")) == (3, 1)
    assert keys_of(endpoint.send("GET", "/mlpipeline")) == ["b"]
    quiet = b"<Delete><Quiet>true</Quiet><Object><Key>b</Key></Object></Delete>"
    assert "Deleted" not in endpoint.send("POST", "/mlpipeline?delete=", quiet).text
    assert endpoint.code("POST", "/mlpipeline?delete=", b"<Delete/>") == "MalformedXML"
    assert endpoint.code("POST", "/mlpipeline?delete=", b"<!DOCTYPE a><Delete/>") == "MalformedXML"


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("PUT", "/mlpipeline/%2E%2E/a", {}),
        ("PUT", "/mlpipeline/a%00", {}),
        ("PUT", "/mlpipeline/" + "a" * 300, {}),
        ("GET", "/mlpipeline?max-keys=many", {}),
        ("GET", "/mlpipeline?max-keys=99999999999999999999", {}),
        ("GET", "/mlpipeline?prefix=%01", {}),
        ("GET", "/mlpipeline?encoding-type=html", {}),
        ("GET", "/mlpipeline?list-type=2&continuation-token=abc", {}),
        ("PUT", "/mlpipeline/a", {"x-amz-meta-a": "b" * 3000}),
        ("PUT", "/mlpipeline/a", {"x-amz-server-side-encryption": "AES256"}),
        ("PUT", "/mlpipeline/a", {"x-amz-acl": "public-read"}),
        ("PATCH", "/mlpipeline/a", {}),
        ("POST", "/mlpipeline", {}),
        ("GET", "/mlpipeline/a%ff", {}),
    ],
)
def test_bad_requests_get_an_error_of_s3(
    endpoint: Endpoint, method: str, path: str, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    named: dict[str, Any] = {name.replace("-", "_"): value for name, value in headers.items()}
    answer = endpoint.send(method, path, **named)

    assert answer.status_code in (400, 403, 405, 501), answer.text
    assert fromstring(answer.content).tag == "Error"
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("fail", "reason"),
    [(OSError("Input/output error"), "Input/output error"), (None, "the file has become shorter")],
    ids=["failed", "shortened"],
)
def test_an_object_that_cannot_be_read_to_its_end_ends_the_connection(
    endpoint: Endpoint,
    fail: OSError | None,
    reason: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(opened: OpenObject, position: int, size: int) -> bytes:
        if position == 0:
            return bytes(size)
        if fail is not None:
            raise fail
        return b""

    caplog.set_level(logging.INFO, "windlass")
    endpoint.send("PUT", "/mlpipeline/large", bytes(2 * PIECE_BYTES))
    monkeypatch.setattr(OpenObject, "read", read)

    with pytest.raises(requests.RequestException, match="Connection broken"):
        endpoint.send("GET", "/mlpipeline/large")

    lines = [record.getMessage() for record in caplog.records if record.name.startswith("windlass")]
    assert lines == [f"answer broken off method=GET path=/mlpipeline/large error={reason}"]


def test_records_that_a_pod_has_written_are_not_trusted(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a", b"x", x_amz_meta_a="1")
    (record,) = [path for path in (endpoint.folders["anna"] / ".windlass-s3" / "objects").rglob("*") if path.is_file()]
    text = record.read_text()
    for content in (
        text.replace('"1"', '"1\\r\\nSet-Cookie: a=b"'),
        text.replace("x-amz-meta-a", "set-cookie"),
        text.replace(md5(b"x").hexdigest(), 'x\\r\\ny: \\"z'),
        "[" * 100_000,
        "{}",
        "\ud800".encode(errors="surrogatepass").decode("latin-1"),
    ):
        record.write_text(content)
        answer = endpoint.send("GET", "/mlpipeline/a")
        assert (answer.status_code, answer.content) == (200, b"x")
        assert "set-cookie" not in answer.headers


def test_a_compressed_body_is_stored_as_it_was_sent(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a.gz", b"not really gzip", content_encoding="gzip,aws-chunked")

    assert (endpoint.folder / "mlpipeline" / "a.gz").read_bytes() == b"not really gzip"
    assert endpoint.send("HEAD", "/mlpipeline/a.gz").headers["Content-Encoding"] == "gzip"
