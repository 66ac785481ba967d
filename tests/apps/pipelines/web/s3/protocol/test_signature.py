"""Signatures of S3, by the examples of Amazon's documentation, and what is refused."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.signature import (
    EMPTY_SHA256,
    SentRequest,
    canonical_request,
    check_signature,
    claim_of,
    signature,
)

SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
NOW = datetime(2013, 5, 24, tzinfo=UTC)
HOST = "examplebucket.s3.amazonaws.com"
SCOPE = "20130524/us-east-1/s3/aws4_request"


def request(
    method: str, path: str, query: str, names: str, signed: str, payload: str = EMPTY_SHA256, **headers: str
) -> SentRequest:
    sent = {
        "host": [HOST],
        "x-amz-date": ["20130524T000000Z"],
        "x-amz-content-sha256": [payload],
        "authorization": [
            f"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/{SCOPE},SignedHeaders={names},Signature={signed}"
        ],
    }
    return SentRequest(method, path, query, sent | {name.replace("_", "-"): [v] for name, v in headers.items()})


GET = request(
    "GET",
    "/test.txt",
    "",
    "host;range;x-amz-content-sha256;x-amz-date",
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    range="bytes=0-9",
)
PUT = request(
    "PUT",
    "/test%24file.text",
    "",
    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    date="Fri, 24 May 2013 00:00:00 GMT",
    x_amz_storage_class="REDUCED_REDUNDANCY",
)
LIFECYCLE = request(
    "GET",
    "/",
    "lifecycle",
    "host;x-amz-content-sha256;x-amz-date",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
)
LIST = request(
    "GET",
    "/",
    "max-keys=2&prefix=J",
    "host;x-amz-content-sha256;x-amz-date",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
)
PRESIGNED = SentRequest(
    "GET",
    "/test.txt",
    "X-Amz-Algorithm=AWS4-HMAC-SHA256"
    "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
    "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
    "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    {"host": [HOST]},
)


@pytest.mark.parametrize("sent", [GET, PUT, LIFECYCLE, LIST, PRESIGNED])
def test_the_examples_of_the_documentation_are_right_and_only_with_their_key(sent: SentRequest) -> None:
    claim = claim_of(sent, NOW)

    check_signature(sent, claim, SECRET)
    assert claim.access_key == "AKIAIOSFODNN7EXAMPLE"
    with pytest.raises(S3Error) as refused:
        check_signature(sent, claim, SECRET + "x")
    assert (refused.value.code, refused.value.status) == ("SignatureDoesNotMatch", 403)


@pytest.mark.parametrize(
    "changed",
    [
        replace(GET, method="PUT"),
        replace(GET, raw_path="/test.tx"),
        replace(GET, raw_query="acl"),
        replace(GET, headers={**GET.headers, "range": ["bytes=0-8"]}),
        replace(GET, headers={**GET.headers, "x-amz-content-sha256": ["UNSIGNED-PAYLOAD"]}),
        replace(PRESIGNED, raw_query=PRESIGNED.raw_query.replace("86400", "86401")),
        replace(PRESIGNED, headers={"host": ["elsewhere"]}),
    ],
)
def test_whatever_is_changed_the_signature_no_longer_matches(changed: SentRequest) -> None:
    with pytest.raises(S3Error, match="SignatureDoesNotMatch"):
        check_signature(changed, claim_of(changed, NOW), SECRET)


@pytest.mark.parametrize("spelling", ["/test$file.text", "/test%24file.text", "/%74est%24file%2Etext"])
def test_a_path_has_one_signature_however_it_is_encoded(spelling: str) -> None:
    sent = replace(PUT, raw_path=spelling)

    check_signature(sent, claim_of(sent, NOW), SECRET)


def header(sent: SentRequest, **values: str) -> SentRequest:
    changed = {name.replace("_", "-"): [value] for name, value in values.items()}
    return replace(sent, headers={**sent.headers, **changed})


def query(old: str, new: str) -> SentRequest:
    return replace(PRESIGNED, raw_query=PRESIGNED.raw_query.replace(old, new))


@pytest.mark.parametrize(
    ("sent", "now", "code"),
    [
        (GET, NOW + timedelta(minutes=16), "RequestTimeTooSkewed"),
        (GET, NOW - timedelta(minutes=16), "RequestTimeTooSkewed"),
        (PRESIGNED, NOW + timedelta(days=1, seconds=1), "AccessDenied"),
        (PRESIGNED, NOW - timedelta(minutes=16), "RequestTimeTooSkewed"),
        (query("86400", "604801"), NOW, "AuthorizationQueryParametersError"),
        (query("86400", "0"), NOW, "AuthorizationQueryParametersError"),
        (query("86400", "-1"), NOW, "AuthorizationQueryParametersError"),
        (query("X-Amz-Date=20130524T000000Z", "X-Amz-Date="), NOW, "AuthorizationQueryParametersError"),
        (query("20130524T000000Z", "20130532T000000Z"), NOW, "AuthorizationQueryParametersError"),
        (query("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"), NOW, "InvalidRequest"),
        (query("%2Fs3%2F", "%2Fiam%2F"), NOW, "AuthorizationQueryParametersError"),
        (SentRequest("GET", "/", "", {"host": [HOST]}), NOW, "AccessDenied"),
        (SentRequest("GET", "/", "AWSAccessKeyId=a&Signature=b", {"host": [HOST]}), NOW, "InvalidRequest"),
        (header(GET, authorization="AWS AKIA:signature"), NOW, "InvalidRequest"),
        (header(GET, authorization="Bearer token"), NOW, "InvalidRequest"),
        (header(GET, authorization="AWS4-HMAC-SHA256 Credential=a"), NOW, "AuthorizationHeaderMalformed"),
        (header(GET, x_amz_date="20130525T000000Z"), NOW, "AuthorizationHeaderMalformed"),
        (header(GET, x_amz_date="yesterday"), NOW, "AuthorizationHeaderMalformed"),
        (header(GET, x_amz_content_sha256="abc"), NOW, "InvalidArgument"),
        (header(GET, x_amz_content_sha256=""), NOW, "InvalidRequest"),
        (header(GET, x_amz_copy_source="/other/key"), NOW, "AccessDenied"),
        (header(PRESIGNED, x_amz_acl="private"), NOW, "AccessDenied"),
        (header(GET, x_amz_security_token="t"), NOW, "InvalidToken"),
        (replace(GET, raw_query="X-Amz-Signature=a"), NOW, "InvalidArgument"),
    ],
)
def test_requests_that_are_refused_before_their_signature_is_computed(
    sent: SentRequest, now: datetime, code: str
) -> None:
    with pytest.raises(S3Error) as refused:
        claim_of(sent, now)
    assert refused.value.code == code


def test_a_uri_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(S3Error, match="InvalidURI"):
        _ = SentRequest("GET", "/%ff", "", {}).path


@given(
    st.text("aü$+ /%&=?", max_size=12),
    st.lists(st.tuples(st.text("ab+ &=%ü", min_size=1, max_size=4), st.text("ab+ &=%ü", max_size=4)), max_size=4),
)
def test_the_signature_is_of_what_was_meant_not_of_how_it_was_encoded(path: str, pairs: list[tuple[str, str]]) -> None:
    """A client that encodes everything, and one that encodes as little as it may, sign the same text."""
    claim = claim_of(GET, NOW)

    def every(text: str) -> str:
        return "".join(f"%{byte:02x}" for byte in text.encode())

    def few(text: str) -> str:
        return "".join(char if char.isascii() and char.isalnum() else every(char) for char in text)

    versions = [
        SentRequest(
            "GET", "/" + encode(path), "&".join(f"{encode(name)}={encode(value)}" for name, value in pairs), GET.headers
        )
        for encode in (every, few)
    ]

    texts = {canonical_request(sent, claim) for sent in versions}
    assert len(texts) == 1
    assert versions[0].path == f"/{path}"
    assert signature(claim, SECRET, texts.pop())


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=60))
def test_no_request_gives_anything_but_an_s3_error(path: str, raw_query: str, authorization: str) -> None:
    sent = SentRequest("GET", path, raw_query, {"host": ["a"], "authorization": [authorization]})
    with suppress(S3Error):
        check_signature(sent, claim_of(sent, NOW), SECRET)
