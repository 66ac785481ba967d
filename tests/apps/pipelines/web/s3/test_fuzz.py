"""Requests of any form, with a good signature: none is a failure of the server."""

import http.client
import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.web.s3.conftest import ANNA, Endpoint, open_endpoint
from tests.apps.pipelines.web.s3.signing import signed_headers

METHODS = st.sampled_from(["GET", "GET", "PUT", "PUT", "POST", "DELETE", "HEAD", "PATCH"])
STEPS = st.sampled_from(["a", "b", "..", ".", "", "ü", "a" * 256, "\x01", "x y+z", "%2e", "\ufffe", "mlpipeline"])
PATHS = st.one_of(
    st.just("/mlpipeline"), st.lists(STEPS, max_size=4).map(lambda steps: "/mlpipeline/" + "/".join(steps))
) | st.lists(STEPS, max_size=3).map(lambda steps: "/" + "/".join(steps))
PARAMETERS = (
    *("uploads", "uploadId", "partNumber", "delete", "list-type", "prefix", "delimiter", "marker", "max-keys"),
    *("continuation-token", "start-after", "encoding-type", "versionId", "acl", "policy"),
    *("key-marker", "upload-id-marker", "max-uploads", "max-parts", "part-number-marker", "response-content-type"),
)
VALUES = st.sampled_from(["", "1", "2", "0", "-1", "url", "/", "a", "\x01", "ü", "9" * 30, "null", "0" * 32, "a\nb"])
QUERIES = st.dictionaries(st.sampled_from(PARAMETERS), VALUES, max_size=3)
HEADERS = st.dictionaries(
    st.sampled_from(
        [
            *("range", "if-match", "if-none-match", "if-modified-since", "content-md5", "x-amz-copy-source"),
            *("x-amz-metadata-directive", "x-amz-copy-source-range", "x-amz-checksum-crc32", "x-amz-meta-a"),
            *("x-amz-trailer", "x-amz-decoded-content-length", "content-encoding", "x-amz-acl", "x-amz-storage-class"),
        ]
    ),
    st.sampled_from(
        ["", "*", "bytes=0-", "bytes=9-1", "/mlpipeline/a", "mlpipeline/..", "REPLACE", "private", "AAAA", "5"]
    ),
    max_size=3,
)
BODIES = st.sampled_from(
    [
        b"",
        b"x",
        b"<Delete><Object><Key>a</Key></Object></Delete>",
        b"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>",
        b"5\r\nhello\r\n0\r\n\r\n",
        b"<!DOCTYPE a><a/>",
    ]
)
FORMS = st.sampled_from(
    ["", "UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"]
)


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    with open_endpoint(folder) as endpoint:
        yield endpoint


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(METHODS, PATHS, QUERIES, HEADERS, BODIES, FORMS)
def test_no_request_is_a_failure_of_the_server(
    endpoint: Endpoint,
    caplog: pytest.LogCaptureFixture,
    method: str,
    path: str,
    query: dict[str, str],
    headers: dict[str, str],
    body: bytes,
    form: str,
) -> None:
    caplog.set_level(logging.WARNING)
    target = quote(path, safe="/-._~")
    if query:
        target += "?" + "&".join(
            f"{quote(name, safe='-._~')}={quote(value, safe='-._~')}" for name, value in query.items()
        )
    signed = signed_headers(method, endpoint.url + target, body, ANNA, headers, form)
    connection = http.client.HTTPConnection(endpoint.url.removeprefix("http://"), timeout=20)
    try:
        connection.request(method, target, body, signed)
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()

    assert answer.status < 500 or answer.status == 501, content
    assert b"SignatureDoesNotMatch" not in content or form.startswith("STREAMING-AWS4"), content
    if answer.status >= 400 and method != "HEAD":
        assert fromstring(content).tag == "Error"
    assert not caplog.records
