"""Bodies in every form that clients send them in, requests that are cut off, and a disk that is full."""

import asyncio
import errno
import os
import socket
import threading
import time
import zlib
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.apps.pipelines.web.s3.conftest import ANNA, Endpoint, keys_secret
from tests.apps.pipelines.web.s3.protocol.test_chunks import encoded_by
from tests.apps.pipelines.web.s3.signing import signed_headers
from windlass.apps.pipelines.web.s3.files.store import StagedFile, Store
from windlass.apps.pipelines.web.s3.files.uploads import Uploads
from windlass.apps.pipelines.web.s3.keys import KEPT_SECONDS, NamespaceKeys
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.signature import (
    SIGNED_CHUNKS,
    SIGNED_CHUNKS_TRAILER,
    UNSIGNED_CHUNKS_TRAILER,
    SentRequest,
    claim_of,
)
from windlass.kube.client import Client
from windlass.kube.testing import NOW, MemoryServer

CONTENT = [b"first chunk, ", b"x" * 70_000, b" and the last"]
CRC32 = b64encode(zlib.crc32(b"".join(CONTENT)).to_bytes(4, "big")).decode()


def send_chunks(endpoint: Endpoint, form: str, checksum: str = CRC32, **changes: str) -> requests.Response:
    url = f"{endpoint.url}/mlpipeline/chunked"
    headers = {"x-amz-decoded-content-length": str(sum(map(len, CONTENT))), "content-encoding": "aws-chunked"} | changes
    trailers = [] if form == SIGNED_CHUNKS else [("x-amz-checksum-crc32", checksum)]
    if trailers:
        headers["x-amz-trailer"] = "x-amz-checksum-crc32"
    signed = signed_headers("PUT", url, b"", ANNA, headers, form)
    sent = SentRequest("PUT", "/mlpipeline/chunked", "", {name: [value] for name, value in signed.items()})
    claim = claim_of(sent, datetime.now(UTC))
    body = encoded_by(claim, ANNA[1], CONTENT, trailers)
    return requests.put(url, data=body, headers=signed, timeout=30)


FORMS = pytest.mark.parametrize("form", [SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER])


@FORMS
def test_chunked_bodies_are_stored_decoded(endpoint: Endpoint, form: str) -> None:
    assert send_chunks(endpoint, form).status_code == 200

    answer = endpoint.send("GET", "/mlpipeline/chunked")
    assert answer.content == b"".join(CONTENT)
    assert "Content-Encoding" not in answer.headers


@FORMS
def test_chunked_bodies_of_another_length_are_refused(endpoint: Endpoint, form: str) -> None:
    answer = send_chunks(endpoint, form, **{"x-amz-decoded-content-length": "5"})

    assert "IncompleteBody" in answer.text
    assert endpoint.code("GET", "/mlpipeline/chunked") == "NoSuchKey"


@pytest.mark.parametrize("form", [SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER])
def test_a_wrong_checksum_in_a_trailer_is_refused(endpoint: Endpoint, form: str) -> None:
    assert "BadDigest" in send_chunks(endpoint, form, checksum="AAAAAA==").text
    assert "InvalidDigest" in send_chunks(endpoint, form, checksum="?").text


def test_an_unsigned_body(endpoint: Endpoint) -> None:
    assert endpoint.send("PUT", "/mlpipeline/a", b"x", payload="UNSIGNED-PAYLOAD").status_code == 200
    assert endpoint.send("GET", "/mlpipeline/a").content == b"x"


def test_a_request_that_is_cut_off_leaves_nothing(endpoint: Endpoint) -> None:
    endpoint.send("PUT", "/mlpipeline/a", b"before")
    headers = signed_headers("PUT", f"{endpoint.url}/mlpipeline/a", b"", ANNA, payload="UNSIGNED-PAYLOAD")
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    host, _, port = endpoint.url.removeprefix("http://").partition(":")
    staging = endpoint.folders["anna"] / ".windlass-s3" / "staging"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(f"PUT /mlpipeline/a HTTP/1.1\r\n{lines}Content-Length: 9000000\r\n\r\n".encode())
        connection.sendall(b"x" * 500_000)
        wait_for(lambda: any(staging.iterdir()))
    wait_for(lambda: not any(staging.iterdir()))

    assert endpoint.send("GET", "/mlpipeline/a").content == b"before"


def wait_for(is_so: Any) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("number", "status", "code"),
    [(errno.ENOSPC, 507, "InsufficientStorage"), (errno.EDQUOT, 507, "InsufficientStorage"), (errno.EIO, 503, "")],
)
def test_a_full_disk_is_an_error_of_s3(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, number: int, status: int, code: str
) -> None:
    def full(self: StagedFile, data: bytes) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(StagedFile, "write", full)
    answer = endpoint.send("PUT", "/mlpipeline/a", b"x")

    assert answer.status_code == status
    assert code in answer.text
    assert list((endpoint.folders["anna"] / ".windlass-s3" / "staging").iterdir()) == []


def test_readers_see_one_of_the_writes_whole(endpoint: Endpoint) -> None:
    versions = [bytes([65 + number]) * 300_000 for number in range(4)]
    endpoint.send("PUT", "/mlpipeline/a", versions[0])
    seen: set[bytes] = set()

    def write(version: bytes) -> None:
        for _ in range(3):
            endpoint.send("PUT", "/mlpipeline/a", version)

    threads = [threading.Thread(target=write, args=(version,)) for version in versions]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        answer = endpoint.send("GET", "/mlpipeline/a")
        seen.add(answer.content)
    for thread in threads:
        thread.join()
    assert seen <= set(versions)
    last = endpoint.send("GET", "/mlpipeline/a")
    assert not last.headers["ETag"].endswith('-1"'), "the record fits the file"


def test_the_claim_of_a_namespace_is_made_at_its_first_request(endpoint: Endpoint) -> None:
    """As `default-editor` of the namespace: see the end-to-end test for its rights."""
    endpoint.server.put(keys_secret("carl", "carl", "key"))

    done: list[requests.Response] = []
    thread = threading.Thread(target=lambda: done.append(endpoint.send("GET", "/", keys=("carl", "key"))))
    thread.start()
    claims = lambda: [key for (kind, key) in endpoint.server.objects if kind.plural == "persistentvolumeclaims"]  # noqa: E731
    wait_for(lambda: any(key.namespace == "carl" for key in claims()))
    thread.join(15)
    assert "ServiceUnavailable" in done[0].text, "nobody binds the claim here"


async def test_keys_are_kept_for_half_a_minute() -> None:
    server, now = MemoryServer(lambda: NOW), [0.0]
    server.put(keys_secret("ml", "ml", "first"))
    keys = NamespaceKeys(Client(server), lambda: now[0])
    assert await keys.secret_key("ml") == "first"
    server.put(keys_secret("ml", "ml", "second"))

    assert await keys.secret_key("ml") == "first"
    now[0] += KEPT_SECONDS + 1
    assert await keys.secret_key("ml") == "second"
    for number in range(3000):
        with pytest.raises(S3Error, match="InvalidAccessKeyId"):
            await keys.secret_key(f"Nobody{number}")
    assert len(keys._kept) <= 1024


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_what_cut_off_requests_have_left_is_removed_later(store: Store) -> None:
    old, new = store.stage(), store.stage()
    for file in (old, new):
        file.write(b"x")
        file.close()
    os.utime(store.root / old.path, (0, 0))
    uploads = Uploads(store)
    upload = uploads.create("mlpipeline", "a", {})

    store.sweep()
    uploads.sweep()
    assert not (store.root / old.path).exists()
    assert (store.root / new.path).exists()
    assert uploads.get("mlpipeline", "a", upload).key == "a"


def test_many_requests_at_once(endpoint: Endpoint) -> None:
    async def all_of_them() -> list[int]:
        calls = [
            asyncio.to_thread(endpoint.send, "PUT", f"/mlpipeline/{number % 5}/{number}", b"x") for number in range(40)
        ]
        return [answer.status_code for answer in await asyncio.gather(*calls)]

    assert asyncio.run(all_of_them()) == [200] * 40
    assert endpoint.send("GET", "/mlpipeline").text.count("<Contents>") == 40
