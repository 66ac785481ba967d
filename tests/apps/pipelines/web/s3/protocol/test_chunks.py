"""Bodies of the encoding aws-chunked, by the example of Amazon's documentation and in pieces of any size."""

import hashlib
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.web.s3.protocol.chunks import ChunkDecoder
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.signature import (
    SIGNED_CHUNKS,
    SIGNED_CHUNKS_TRAILER,
    UNSIGNED_CHUNKS_TRAILER,
    Claim,
    chunk_signature,
    signing_key,
    trailer_signature,
)

SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
SCOPE = "20130524/us-east-1/s3/aws4_request"
SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
EXAMPLE = (
    b"10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n"
    + b"a" * 65536
    + b"\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n"
    + b"a" * 1024
    + b"\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n"
)


def claim(payload: str) -> Claim:
    return Claim(
        access_key="AKIAIOSFODNN7EXAMPLE",
        scope=SCOPE,
        signed_at="20130524T000000Z",
        signed_headers=("host",),
        signature=SEED,
        payload_hash=payload,
    )


def encoded(chunks: list[bytes], payload: str, trailers: list[tuple[str, str]]) -> bytes:
    return encoded_by(claim(payload), SECRET, chunks, trailers)


def encoded_by(claim: Claim, secret_key: str, chunks: list[bytes], trailers: list[tuple[str, str]]) -> bytes:
    """A body as clients write it, for the request that the claim is of."""
    key, previous, body = signing_key(secret_key, claim.scope), claim.signature, b""
    for chunk in (*chunks, b""):
        previous = chunk_signature(key, claim, previous, hashlib.sha256(chunk).hexdigest())
        mark = "" if claim.payload_hash == UNSIGNED_CHUNKS_TRAILER else f";chunk-signature={previous}"
        body += f"{len(chunk):x}{mark}\r\n".encode() + chunk + (b"\r\n" if chunk else b"")
    for name, value in trailers:
        body += f"{name}:{value}\r\n".encode()
    if claim.payload_hash == SIGNED_CHUNKS_TRAILER:
        body += f"x-amz-trailer-signature:{trailer_signature(key, claim, previous, trailers)}\r\n".encode()
    return body + b"\r\n"


def decoded(body: bytes, payload: str = SIGNED_CHUNKS, cuts: tuple[int, ...] = ()) -> tuple[bytes, dict[str, str]]:
    decoder = ChunkDecoder(claim(payload), SECRET)
    content = b"".join(decoder.feed(body[start:end]) for start, end in pairwise((0, *sorted(cuts), len(body))))
    decoder.finish()
    return content, decoder.trailers


def test_the_example_of_the_documentation() -> None:
    assert decoded(EXAMPLE) == (b"a" * 66560, {})


@given(
    st.lists(st.binary(min_size=1, max_size=20), max_size=4),
    st.sampled_from([SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER]),
    st.lists(st.integers(0, 400), max_size=6),
)
def test_content_does_not_depend_on_how_the_body_arrives(chunks: list[bytes], payload: str, cuts: list[int]) -> None:
    trailers = [] if payload == SIGNED_CHUNKS else [("x-amz-checksum-crc32", "AAAAAA==")]
    body = encoded(chunks, payload, trailers)

    found = decoded(body, payload, tuple(min(cut, len(body)) for cut in cuts))
    assert found == (b"".join(chunks), dict(trailers))


@given(st.integers(0, len(EXAMPLE) - 3), st.integers(1, 255))
def test_no_changed_byte_of_a_signed_body_is_accepted(position: int, change: int) -> None:
    body = bytearray(EXAMPLE)
    body[position] ^= change
    with suppress(S3Error):
        content, _ = decoded(bytes(body))
        assert content == b"a" * 66560  # only the spelling of a signature's or size's letters, or what is after the end


@given(st.integers(0, len(EXAMPLE) - 2))
def test_a_body_that_is_cut_off_is_refused(end: int) -> None:
    with pytest.raises(S3Error, match=r"IncompleteBody|SignatureDoesNotMatch|InvalidRequest"):
        decoded(EXAMPLE[:end])


@pytest.mark.parametrize(
    ("body", "payload", "code"),
    [
        (b"5\r\nhello\r\n0\r\n\r\n", SIGNED_CHUNKS, "InvalidRequest"),
        (encoded([b"a"], SIGNED_CHUNKS, []), UNSIGNED_CHUNKS_TRAILER, "InvalidRequest"),
        (b"x" * 5000, UNSIGNED_CHUNKS_TRAILER, "InvalidRequest"),
        (b"-5\r\nhello\r\n", UNSIGNED_CHUNKS_TRAILER, "InvalidRequest"),
        (b"3\r\nhello\r\n0\r\n\r\n", UNSIGNED_CHUNKS_TRAILER, "InvalidRequest"),
        (b"ffffffffffffffff\r\nhello", UNSIGNED_CHUNKS_TRAILER, "EntityTooLarge"),
        (b"0\r\nnot a header\r\n\r\n", UNSIGNED_CHUNKS_TRAILER, "InvalidRequest"),
        (b"0\r\n" + b"a:b\r\n" * 20 + b"\r\n", UNSIGNED_CHUNKS_TRAILER, "InvalidRequest"),
        (
            encoded([b"a"], SIGNED_CHUNKS_TRAILER, [("x-amz-checksum-crc32", "a")]).replace(b"crc32:a", b"crc32:b"),
            SIGNED_CHUNKS_TRAILER,
            "SignatureDoesNotMatch",
        ),
    ],
)
def test_what_is_not_of_this_encoding_is_refused(body: bytes, payload: str, code: str) -> None:
    with pytest.raises(S3Error) as refused:
        decoded(body, payload)
    assert refused.value.code == code
