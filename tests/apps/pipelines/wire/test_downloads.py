"""Downloads of pipelines and artifacts from URLs that users give."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, cast
from urllib.parse import urlencode

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from windlass.apps.pipelines.wire.artifact_content import get_by_uri
from windlass.apps.pipelines.wire.call import MAX_BODY, Call, Services
from windlass.apps.pipelines.wire.downloads import DownloadRules, check, download
from windlass.apps.pipelines.wire.errors import InvalidArgument, PermissionDenied
from windlass.kube.serving import serving_at

HERE = DownloadRules(allowed_domains=("127.0.0.1",), allow_http=True, timeout_seconds=5)


async def answer(request: web.Request) -> web.StreamResponse:
    match request.path:
        case "/folder/pipeline.yaml":
            return web.Response(text="content")
        case "/moved":
            raise web.HTTPFound("/folder/pipeline.yaml")
        case "/elsewhere":
            raise web.HTTPFound("http://localhost:1/secret")
        case "/around":
            raise web.HTTPFound("/around")
        case "/large":
            return web.Response(body=b"#" * (MAX_BODY + 1))
        case _:
            raise web.HTTPNotFound


@pytest.fixture
async def url() -> AsyncIterator[str]:
    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    async with serving_at(application, "127.0.0.1", 0) as (host, port):
        yield f"http://{host}:{port}"


@pytest.mark.parametrize("path", ["/folder/pipeline.yaml", "/moved"])
async def test_a_file_is_downloaded_from_a_host_that_is_allowed(url: str, path: str) -> None:
    assert await download(url + path, HERE) == ("pipeline.yaml", b"content")


@pytest.mark.parametrize("path", ["/elsewhere", "/around", "/large", "/none"])
async def test_what_leads_elsewhere_or_is_too_large_is_refused(url: str, path: str) -> None:
    with pytest.raises(InvalidArgument, match="pipeline_url"):
        await download(url + path, HERE)


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "169.254.169.254", "10.0.0.1"],
)
async def test_addresses_that_are_not_public_are_refused(url: str, host: str) -> None:
    port = url.rpartition(":")[2]
    with pytest.raises(InvalidArgument, match="pipeline_url"):
        await download(f"http://{host}:{port}/folder/pipeline.yaml", DownloadRules(allow_http=True, timeout_seconds=5))


@pytest.mark.parametrize(
    "url", ["https://example.org/x", "https://notexample.com/x", "http://example.com/x", "https://u@example.com"]
)
def test_only_listed_hosts_count_when_there_is_a_list(url: str) -> None:
    rules = DownloadRules(allowed_domains=("example.com",))
    check("https://example.com/x", rules)
    check("https://files.example.com/x", rules)

    with pytest.raises(InvalidArgument):
        check(url, rules)


async def test_without_validation_any_address_is_connected_to(url: str) -> None:
    rules = DownloadRules(is_validated=False, timeout_seconds=5)

    assert await download(f"{url}/folder/pipeline.yaml", rules) == ("pipeline.yaml", b"content")


class Reader:
    user = "anna"

    async def allows(self, verb: str, group: str, resource: str, namespace: str, name: str = "") -> bool:
        return (verb, resource, namespace) == ("readArtifact", "runs", "anna")


async def artifact_from(url: str, rules: DownloadRules, namespace: str = "anna") -> bytes:
    """The answer to a request for the content of an artifact that is at a URL."""
    source, _, place = url.partition("://")
    bucket, _, key = place.partition("/")
    query = urlencode({"source": source, "bucket": bucket, "key": key, "namespace": namespace})
    unused: Any = None
    services = Services(
        open_database=unused,
        artifacts=unused,
        default_account=unused,
        now=unused,
        fetch=partial(download, rules=rules),
    )
    request = make_mocked_request("GET", f"/artifacts/get?{query}")
    call = Call(request=request, services=services, caller=cast(Any, Reader()), database=unused, parts={})
    answer = await get_by_uri(call)
    assert isinstance(answer, web.Response)
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    return cast(bytes, answer.body)


async def test_the_content_of_an_artifact_on_the_web_is_fetched_as_a_pipeline_is(url: str) -> None:
    assert await artifact_from(f"{url}/folder/pipeline.yaml", HERE) == b"content"
    assert await artifact_from(f"{url}/moved", HERE) == b"content"
    for path in ("/elsewhere", "/large", "/none"):
        with pytest.raises(InvalidArgument, match="artifact: "):
            await artifact_from(url + path, HERE)
    with pytest.raises(InvalidArgument, match=r"artifact: .* is not a public address"):
        await artifact_from(f"{url}/folder/pipeline.yaml", DownloadRules(allow_http=True))
    with pytest.raises(InvalidArgument, match="artifact: must be a URL with https"):
        await artifact_from(f"{url}/folder/pipeline.yaml", DownloadRules())


async def test_an_artifact_on_the_web_is_fetched_for_those_who_may_read_artifacts(url: str) -> None:
    with pytest.raises(PermissionDenied):
        await artifact_from(f"{url}/folder/pipeline.yaml", HERE, namespace="bert")
