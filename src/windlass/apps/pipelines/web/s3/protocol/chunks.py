"""Decodes bodies of the encoding `aws-chunked`, and checks the signature of every chunk. Deterministic, without I/O.

<size in hexadecimal>[;chunk-signature=<signature>]\\r\\n<data>\\r\\n … 0[;chunk-signature=…]\\r\\n[trailers]\\r\\n
"""

import hashlib
import hmac
import re

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.signature import (
    SIGNED_CHUNKS,
    SIGNED_CHUNKS_TRAILER,
    Claim,
    chunk_signature,
    signing_key,
    trailer_signature,
)

MAX_LINE_BYTES = 4096
MAX_TRAILERS = 16
MAX_CHUNK_BYTES = 5 << 30
_SIZE = re.compile(r"([0-9a-fA-F]{1,16})(?:;chunk-signature=([0-9a-f]{64}))?")
_TRAILER_SIGNATURE = "x-amz-trailer-signature"


class ChunkDecoder:
    """Takes a body in pieces of any size, and gives its content. After an S3Error it cannot be used again."""

    def __init__(self, claim: Claim, secret_key: str) -> None:
        self._claim = claim
        self._is_signed = claim.payload_hash in (SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER)
        self._has_signed_trailer = claim.payload_hash == SIGNED_CHUNKS_TRAILER
        self._key = signing_key(secret_key, claim.scope)
        self._previous = claim.signature
        self._buffer = bytearray()
        self._left = 0  # bytes of the chunk that are still to come
        self._declared = ""
        self._digest = hashlib.sha256()
        self._expects = self._size_line
        self._trailers: list[tuple[str, str]] = []
        self._trailer_signature = ""
        self.is_complete = False

    @property
    def trailers(self) -> dict[str, str]:
        return dict(self._trailers)

    def feed(self, data: bytes) -> bytes:
        """Return the content that `data` adds."""
        self._buffer += data
        content = bytearray()
        while not self.is_complete:
            if self._left:
                piece = bytes(self._buffer[: self._left])
                if not piece:
                    break
                del self._buffer[: len(piece)]
                self._left -= len(piece)
                self._digest.update(piece)
                content += piece
            else:
                line = self._line()
                if line is None:
                    break
                self._expects(line)
        return bytes(content)

    def finish(self) -> None:
        """Raises S3Error if the body has ended too early."""
        if not self.is_complete:
            raise S3Error("IncompleteBody", "The body ended before its last chunk.")

    def _line(self) -> str | None:
        end = self._buffer.find(b"\r\n", 0, MAX_LINE_BYTES)
        if end < 0:
            if len(self._buffer) >= MAX_LINE_BYTES:
                raise _invalid("a line is too long")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line.decode("latin-1").strip("\n")

    def _size_line(self, line: str) -> None:
        match = _SIZE.fullmatch(line)
        if match is None or bool(match[2]) != self._is_signed:
            raise _invalid("a chunk does not start with its size and signature")
        self._left, self._declared = int(match[1], 16), match[2] or ""
        if self._left > MAX_CHUNK_BYTES:
            raise S3Error("EntityTooLarge", "A chunk is too large.")
        self._digest = hashlib.sha256()
        if self._left:
            self._expects = self._end_of_chunk
        else:
            self._check_chunk()
            self._expects = self._trailer_line

    def _end_of_chunk(self, line: str) -> None:
        if line:
            raise _invalid("a chunk is longer than its size")
        self._check_chunk()
        self._expects = self._size_line

    def _check_chunk(self) -> None:
        if not self._is_signed:
            return
        expected = chunk_signature(self._key, self._claim, self._previous, self._digest.hexdigest())
        if not hmac.compare_digest(expected, self._declared):
            raise S3Error("SignatureDoesNotMatch", "The signature of a chunk does not match.")
        self._previous = expected

    def _trailer_line(self, line: str) -> None:
        if not line:
            self._end_of_trailers()
            return
        name, separator, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not separator or len(self._trailers) >= MAX_TRAILERS:
            raise _invalid("the trailers are not headers")
        if name == _TRAILER_SIGNATURE:
            self._trailer_signature = value
        else:
            self._trailers.append((name, value))

    def _end_of_trailers(self) -> None:
        if self._has_signed_trailer and not self._trailer_signature and self._trailers:
            # Some clients end the trailers with an empty line, and send their signature after it.
            return
        if self._has_signed_trailer and self._trailers:
            expected = trailer_signature(self._key, self._claim, self._previous, self._trailers)
            if not hmac.compare_digest(expected.encode(), self._trailer_signature.encode(errors="replace")):
                raise S3Error("SignatureDoesNotMatch", "The signature of the trailers does not match.")
        self.is_complete = True


def _invalid(reason: str) -> S3Error:
    return S3Error("InvalidRequest", f"The body is not of the encoding aws-chunked: {reason}.")
