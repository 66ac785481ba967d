"""Receives the body of a request: decodes it, and checks everything that the client said about its content."""

import base64
import binascii
import hashlib
import hmac
import zlib
from collections.abc import Callable
from typing import Protocol

from windlass.apps.pipelines.web.s3.protocol.chunks import ChunkDecoder
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.signature import CHUNKED, UNSIGNED, Claim, SentRequest

MAX_OBJECT_BYTES = 5 << 40
"""S3's limit of an object; that of one request is 5 GiB there, and this one here."""


class Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...


class Crc32:
    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes) -> None:
        self._value = zlib.crc32(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(4, "big")


def new_md5() -> Digest:
    return hashlib.md5(usedforsecurity=False)


CHECKSUMS: dict[str, Callable[[], Digest]] = {
    "x-amz-checksum-crc32": Crc32,
    "x-amz-checksum-sha1": lambda: hashlib.sha1(usedforsecurity=False),
    "x-amz-checksum-sha256": hashlib.sha256,
}
"""Checksums that are checked. CRC32C and CRC64NVME are not: Python has no fast implementation of them."""


class Receiver:
    """Takes the body in pieces and hands its content to `write`. Methods raise S3Error; call them in threads."""

    def __init__(
        self, request: SentRequest, claim: Claim, secret_key: str, write: Callable[[bytes], object], max_bytes: int
    ) -> None:
        self._request, self._claim, self._write, self._max_bytes = request, claim, write, max_bytes
        self._decoder = ChunkDecoder(claim, secret_key) if claim.payload_hash in CHUNKED else None
        self._md5, self._sha256 = new_md5(), hashlib.sha256()
        self._is_hashed = self._decoder is None and claim.payload_hash != UNSIGNED
        announced = request.header("x-amz-trailer").lower().split(",")
        names = [name for name in CHECKSUMS if request.header(name) or name in (each.strip() for each in announced)]
        self._checksums = {name: CHECKSUMS[name]() for name in names}
        self.size = 0

    @property
    def md5(self) -> str:
        return self._md5.digest().hex()

    def take(self, data: bytes) -> None:
        content = self._decoder.feed(data) if self._decoder is not None else data
        self.size += len(content)
        if self.size > self._max_bytes:
            raise S3Error("EntityTooLarge", f"The body has more than {self._max_bytes} bytes.")
        self._md5.update(content)
        if self._is_hashed:
            self._sha256.update(content)
        for checksum in self._checksums.values():
            checksum.update(content)
        if content:
            self._write(content)

    def finish(self) -> None:
        """Check the body, which has ended."""
        if self._decoder is not None:
            self._decoder.finish()
            self._check_length()
        elif self._is_hashed and not hmac.compare_digest(self._sha256.hexdigest(), self._claim.payload_hash):
            message = "The SHA-256 of the body is not that of the header x-amz-content-sha256."
            raise S3Error("XAmzContentSHA256Mismatch", message)
        expected = self._request.header("content-md5")
        if expected and _decoded(expected, "Content-MD5") != self._md5.digest():
            raise S3Error("BadDigest", "The Content-MD5 is not that of the body.")
        self._check_checksums()

    def _check_length(self) -> None:
        declared = self._request.header("x-amz-decoded-content-length")
        if declared != str(self.size):
            raise S3Error("IncompleteBody", "The body has not the length that x-amz-decoded-content-length says.")

    def _check_checksums(self) -> None:
        trailers = self._decoder.trailers if self._decoder is not None else {}
        for name, checksum in self._checksums.items():
            expected = self._request.header(name) or trailers.get(name, "")
            if not expected:
                raise S3Error("InvalidRequest", f"The trailer {name} was announced and not sent.")
            if _decoded(expected, name) != checksum.digest():
                raise S3Error("BadDigest", f"The {name} is not that of the body.")


def _decoded(value: str, name: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise S3Error("InvalidDigest", f"The value of {name} is not base64.") from None
