"""AWS Signature Version 4 of S3: what was signed, and whether the signature is that of a secret key. Pure.

sent = SentRequest(method, raw path, raw query, headers)
claim = claim_of(sent, now)                # whose signature it says it is; raises S3Error
check_signature(sent, claim, secret_key)   # raises S3Error
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from urllib.parse import quote, unquote_to_bytes

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"
SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_CHUNKS_TRAILER = f"{SIGNED_CHUNKS}-TRAILER"
UNSIGNED_CHUNKS_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
CHUNKED = (SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER)
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
MAX_SKEW = timedelta(minutes=15)
MAX_EXPIRY_SECONDS = 7 * 24 * 3600
_TIME = re.compile(r"\d{8}T\d{6}Z")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SCOPE = re.compile(r"([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request")
_PRESIGNED = ("X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Signature", "X-Amz-SignedHeaders")


@dataclass(frozen=True)
class SentRequest:
    """A request as the client sent it."""

    method: str
    raw_path: str
    raw_query: str
    headers: Mapping[str, Sequence[str]]
    """All values by the name of the header in lower case."""

    @cached_property
    def path(self) -> str:
        return decoded(self.raw_path)

    @cached_property
    def query(self) -> tuple[tuple[str, str], ...]:
        """Parameters in the order in which they were sent."""
        parts = [part.partition("=") for part in self.raw_query.split("&") if part]
        return tuple((decoded(name, plus=True), decoded(value, plus=True)) for name, _, value in parts)

    def header(self, name: str) -> str:
        """Return the only value of a header, or the first; empty if it was not sent."""
        return next(iter(self.headers.get(name, ())), "")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Whose signature a request has, as it says itself."""

    access_key: str
    scope: str
    """`date/region/service/aws4_request`."""
    signed_at: str
    signed_headers: tuple[str, ...]
    signature: str = field(repr=False)
    payload_hash: str
    is_presigned: bool = False


def decoded(text: str, *, plus: bool = False) -> str:
    """Decode percent-encoding. Raises S3Error for what is not UTF-8."""
    try:
        # A lone surrogate is a byte that was not ASCII on the wire.
        return unquote_to_bytes((text.replace("+", " ") if plus else text).encode(errors="surrogateescape")).decode()
    except UnicodeDecodeError:
        raise S3Error("InvalidURI", "The URI is not percent-encoded UTF-8.") from None


def claim_of(request: SentRequest, now: datetime) -> Claim:
    """Read the signature of a request, in its header or its query. Raises S3Error, also for a wrong time."""
    query = dict(request.query)
    header = request.header("authorization")
    if header and "X-Amz-Signature" in query:
        raise S3Error("InvalidArgument", "Only one authentication mechanism is permitted: header or query.")
    if header:
        return _header_claim(request, header, now)
    if "X-Amz-Algorithm" in query or "X-Amz-Signature" in query:
        return _query_claim(request, query, now)
    if "Signature" in query or "AWSAccessKeyId" in query:
        raise _unsupported()
    raise S3Error("AccessDenied", "Requests must be signed with the keys of a namespace.")


def _header_claim(request: SentRequest, header: str, now: datetime) -> Claim:
    algorithm, _, rest = header.partition(" ")
    if algorithm != ALGORITHM:
        raise _unsupported()
    pairs = [part.strip().partition("=") for part in rest.split(",")]
    fields = {name: value for name, _, value in pairs}
    if not {"Credential", "SignedHeaders", "Signature"} <= fields.keys():
        raise S3Error("AuthorizationHeaderMalformed", "Authorization needs Credential, SignedHeaders and Signature.")
    access_key, scope = _credential(fields["Credential"], "AuthorizationHeaderMalformed")
    claim = Claim(
        access_key=access_key,
        scope=scope,
        signed_at=request.header("x-amz-date"),
        signed_headers=tuple(fields["SignedHeaders"].lower().split(";")),
        signature=fields["Signature"],
        payload_hash=request.header("x-amz-content-sha256"),
    )
    signed_at = _time(claim, "AuthorizationHeaderMalformed")
    if abs(now - signed_at) > MAX_SKEW:
        raise S3Error("RequestTimeTooSkewed", "The time of the request and that of the server differ too much.")
    return _checked(request, claim)


def _query_claim(request: SentRequest, query: Mapping[str, str], now: datetime) -> Claim:
    missing = next((name for name in _PRESIGNED if not query.get(name)), None)
    if missing:
        raise S3Error("AuthorizationQueryParametersError", f"A presigned URL needs the parameter {missing}.")
    if query.get("X-Amz-Algorithm") != ALGORITHM:
        raise _unsupported()
    access_key, scope = _credential(query["X-Amz-Credential"], "AuthorizationQueryParametersError")
    claim = Claim(
        access_key=access_key,
        scope=scope,
        signed_at=query["X-Amz-Date"],
        signed_headers=tuple(query["X-Amz-SignedHeaders"].lower().split(";")),
        signature=query["X-Amz-Signature"],
        payload_hash=query.get("X-Amz-Content-Sha256") or request.header("x-amz-content-sha256") or UNSIGNED,
        is_presigned=True,
    )
    signed_at = _time(claim, "AuthorizationQueryParametersError")
    expires = query["X-Amz-Expires"]
    if not re.fullmatch(r"[0-9]{1,6}", expires) or not 1 <= int(expires) <= MAX_EXPIRY_SECONDS:
        message = f"X-Amz-Expires must be a number of seconds from 1 to {MAX_EXPIRY_SECONDS}."
        raise S3Error("AuthorizationQueryParametersError", message)
    if signed_at - now > MAX_SKEW:
        raise S3Error("RequestTimeTooSkewed", "The URL was signed in the future of the server.")
    if now > signed_at + timedelta(seconds=int(expires)):
        raise S3Error("AccessDenied", "The URL has expired.")
    return _checked(request, claim)


def _checked(request: SentRequest, claim: Claim) -> Claim:
    if request.header("x-amz-security-token") or any(name == "X-Amz-Security-Token" for name, _ in request.query):
        raise S3Error("InvalidToken", "Session tokens are not supported.")
    payload = claim.payload_hash
    if payload != UNSIGNED and payload not in CHUNKED and not _SHA256.fullmatch(payload):
        message = f"x-amz-content-sha256 must be {UNSIGNED}, {', '.join(CHUNKED)} or a SHA-256 in hexadecimal."
        raise S3Error("InvalidArgument" if payload else "InvalidRequest", message)
    unsigned = [
        name
        for name in request.headers
        if (name == "host" or name.startswith("x-amz-")) and name not in claim.signed_headers
    ]
    if unsigned or "host" not in claim.signed_headers:
        names = ", ".join(sorted(unsigned)) or "host"
        raise S3Error("AccessDenied", f"There were headers present in the request which were not signed: {names}.")
    return claim


def _credential(credential: str, code: str) -> tuple[str, str]:
    """Split into access key and scope."""
    match = _SCOPE.fullmatch(credential)
    if match is None or match[4] != "s3":
        raise S3Error(code, "The credential must be ACCESS_KEY/DATE/REGION/s3/aws4_request.")
    return match[1], credential.partition("/")[2]


def _time(claim: Claim, code: str) -> datetime:
    if not _TIME.fullmatch(claim.signed_at) or not claim.scope.startswith(f"{claim.signed_at[:8]}/"):
        raise S3Error(code, "x-amz-date must be a time such as 20260101T000000Z, of the date in the credential.")
    try:
        return datetime.strptime(claim.signed_at, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise S3Error(code, f"{claim.signed_at} is not a time.") from None


def _unsupported() -> S3Error:
    message = f"The authorization mechanism you have provided is not supported. Please use {ALGORITHM}."
    return S3Error("InvalidRequest", message)


def check_signature(request: SentRequest, claim: Claim, secret_key: str) -> None:
    """Raises S3Error unless the request was signed with this key."""
    expected = signature(claim, secret_key, canonical_request(request, claim))
    if not hmac.compare_digest(expected.encode(), claim.signature.encode(errors="replace")):
        message = "The request signature does not match. Check the secret key and the signing method."
        raise S3Error("SignatureDoesNotMatch", message)


def canonical_request(request: SentRequest, claim: Claim) -> str:
    pairs = [(name, value) for name, value in request.query if name != "X-Amz-Signature" or not claim.is_presigned]
    query = sorted((encoded(name), encoded(value)) for name, value in pairs)
    headers = [f"{name}:{_canonical_value(request.headers.get(name, ()))}\n" for name in claim.signed_headers]
    return "\n".join(
        (
            request.method,
            encoded(request.path, safe="/") or "/",
            "&".join(f"{name}={value}" for name, value in query),
            "".join(headers),
            ";".join(claim.signed_headers),
            claim.payload_hash,
        )
    )


def _canonical_value(values: Sequence[str]) -> str:
    return ",".join(" ".join(value.split()) for value in values)


def encoded(text: str, safe: str = "") -> str:
    """Percent-encode as S3 does: all but unreserved characters."""
    return quote(text, safe=f"{safe}-._~")


def signature(claim: Claim, secret_key: str, canonical: str) -> str:
    digest = hashlib.sha256(canonical.encode(errors="surrogateescape")).hexdigest()
    text = "\n".join((ALGORITHM, claim.signed_at, claim.scope, digest))
    return _hmac(signing_key(secret_key, claim.scope), text).hex()


def signing_key(secret_key: str, scope: str) -> bytes:
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    return key


def chunk_signature(key: bytes, claim: Claim, previous: str, chunk_sha256: str) -> str:
    """Return the signature of one chunk of a body, which continues that of the chunk before it."""
    parts = (f"{ALGORITHM}-PAYLOAD", claim.signed_at, claim.scope, previous, EMPTY_SHA256, chunk_sha256)
    return _hmac(key, "\n".join(parts)).hex()


def trailer_signature(key: bytes, claim: Claim, previous: str, trailers: Sequence[tuple[str, str]]) -> str:
    """Return the signature of the trailers after the last chunk."""
    digest = hashlib.sha256("".join(f"{name}:{value}\n" for name, value in trailers).encode()).hexdigest()
    parts = (f"{ALGORITHM}-TRAILER", claim.signed_at, claim.scope, previous, digest)
    return _hmac(key, "\n".join(parts)).hex()


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(errors="surrogateescape"), hashlib.sha256).digest()
