"""Text of a request never breaks a header of the answer: sign-in routes under characters that a header may not have."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from windlass.gateway.app import answer_errors
from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.dashboard import frames
from windlass.gateway.identity import provider
from windlass.gateway.login import routes as login
from windlass.gateway.login.authentication import ask_to_sign_in
from windlass.gateway.redirect import header_text
from windlass.gateway.settings import GatewaySettings
from windlass.kube.serving import serving_at

REQUEST = {
    "client_id": "kubeflow-oidc-authservice",
    "redirect_uri": "/oauth2/callback",
    "response_type": "code",
    "scope": "openid",
    "state": "s",
    "nonce": "n",
    "code_challenge": "x" * 43,
    "code_challenge_method": "S256",
}
HOSTILE = (
    "%0d%0aSet-Cookie:%20a=b",
    "%00",
    "%1b%5b31m",
    "%7f",
    "%22",
    "%5c",
    "%ff",
    "%ed%a0%80",
    "%c2%85",
    "%e2%80%a8",
)
CONTROL = HOSTILE[:4]


@pytest.fixture
def context(tmp_path: Path) -> Iterator[GatewayContext]:
    settings = GatewaySettings(folder=tmp_path, audit_log=tmp_path / "audit.log")
    with open_context(settings, cast(Any, None), {}) as opened:
        yield opened


@pytest.fixture
async def address(context: GatewayContext) -> AsyncIterator[tuple[str, int]]:
    app = web.Application(middlewares=[answer_errors])
    app.add_routes([*provider.routes(context), *login.routes(context)])
    async with serving_at(app, "127.0.0.1", 0) as served:
        yield served


async def answered(address: tuple[str, int], target: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of a request with these bytes, which no client library corrects."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode("utf-8", "surrogateescape"))
    answer = await reader.read()
    writer.close()
    assert answer, f"no answer to {target}"
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return int(first.split(" ")[1]), headers, body.decode()


def asked(path: str, name: str, value: str) -> str:
    query = "&".join(f"{key}={quote(text)}" for key, text in REQUEST.items() if key != name)
    return f"{path}?{query}&{name}={REQUEST.get(name, '')}{value}"


@pytest.mark.parametrize("path", ["/dex/auth", "/dex/auth/local", "/dex/auth/local/login", "/dex/callback"])
async def test_any_parameter_of_a_sign_in_may_have_any_character(address: tuple[str, int], path: str) -> None:
    for name in (*REQUEST, "back", "code", "error", "extra"):
        for value in HOSTILE:
            status, headers, _ = await answered(address, asked(path, name, value))

            assert status in (302, 400, 403), (name, value, status)
            assert "set-cookie" not in headers


@pytest.mark.parametrize("name", REQUEST)
@pytest.mark.parametrize("value", CONTROL)
async def test_the_parameter_with_a_control_character_is_named(address: tuple[str, int], name: str, value: str) -> None:
    status, _, body = await answered(address, asked("/dex/auth", name, value))

    assert status == 400
    assert f"{name} has a character that it may not have" in body


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("path", ["/oauth2/start?rd=/", "/oauth2/sign_out?rd=/", "/oauth2/callback?error_description="])
async def test_a_target_after_the_sign_in_may_have_any_character(
    address: tuple[str, int], path: str, value: str
) -> None:
    status, headers, _ = await answered(address, path + value)

    assert status in (302, 403)
    assert "\n" not in headers.get("location", "")


@pytest.mark.parametrize("charset", ["utf-7", "unicode_escape", "utf-16", "idna", "zlib"])
async def test_a_form_in_any_charset_is_read_or_refused(context: GatewayContext, charset: str) -> None:
    app = web.Application(middlewares=[answer_errors])
    app.add_routes(provider.routes(context))
    body = b"grant_type=%2B2AA-&client_id=%5Cud800&code=+2AA-"
    async with serving_at(app, "127.0.0.1", 0) as address:
        reader, writer = await asyncio.open_connection(*address)
        head = f"POST /dex/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        writer.write(
            f"{head}Content-Type: application/x-www-form-urlencoded; charset={charset}\r\n\r\n".encode() + body
        )
        answer = await reader.read()
        writer.close()

    assert answer.split(b" ")[1] in (b"400", b"401", b"413"), answer


def test_a_location_keeps_what_a_url_may_have_and_encodes_the_rest() -> None:
    plain = "https://a.example:1/b%20c;d/~e?f=g&h=[i]#j"

    assert header_text(plain) == plain
    assert header_text("/a\r\nSet-Cookie: b\x00é\udcff") == "/a%0D%0ASet-Cookie:%20b%00%C3%A9%FF"


def test_every_redirect_of_the_gateway_is_made_in_one_place() -> None:
    """S3 alone sets a Location elsewhere; it checks the names of buckets."""
    source = Path(frames.__file__).parents[2]
    folders = [source / "gateway", *source.glob("apps/*/web")]
    texts = {path.relative_to(source).as_posix(): path.read_text() for each in folders for path in each.rglob("*.py")}

    assert {path for path, text in texts.items() if '"Location": ' in text} == {
        "gateway/redirect.py",
        "apps/pipelines/web/s3/bucket_calls.py",
    }
    assert not [path for path, text in texts.items() if "HTTPFound(" in text]


def test_the_way_back_from_a_sign_in_is_a_header_whatever_was_asked_for() -> None:
    answer = ask_to_sign_in(make_mocked_request("GET", "/notebook/a\udcff?b=\udcfe"))

    assert answer.headers["Location"] == "/oauth2/start?rd=%2Fnotebook%2Fa%FF%3Fb%3D%FE"
