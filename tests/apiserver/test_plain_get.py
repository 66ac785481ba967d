"""A GET over TLS without an HTTP client library."""

import asyncio
import ssl
from pathlib import Path

import pytest

from windlass.apiserver.pki import KUBELET_CLIENT, Pki
from windlass.apiserver.plain_get import get

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
TO_THE_END = b"HTTP/1.1 200 OK\r\n\r\n{}"
AFTER_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + PLAIN


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return Pki.load_or_create(tmp_path_factory.mktemp("pki"))


async def asked(pki: Pki, answer: bytes, trust: ssl.SSLContext | None = None) -> tuple[tuple[int, bytes], bytes]:
    """What a server that sends `answer` is asked, and what is made of it."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=pki.ssl_context())
    async with server:
        port = server.sockets[0].getsockname()[1]
        tls = trust or pki.client_context(KUBELET_CLIENT)
        return await get("127.0.0.1", port, "/apis/a/v1", tls, 20, headers=[(b"X-Remote-User", b"jane")]), heads[0]


@pytest.mark.parametrize("answer", [PLAIN, CHUNKED, TO_THE_END, AFTER_HINTS])
def test_the_body_is_read_whatever_its_framing(pki: Pki, answer: bytes) -> None:
    (status, body), head = asyncio.run(asked(pki, answer))

    assert (status, body) == (200, b"{}")
    assert head.startswith(b"GET /apis/a/v1 HTTP/1.1\r\n")
    assert b"X-Remote-User: jane\r\n" in head


def test_an_error_has_its_status(pki: Pki) -> None:
    (status, _), _ = asyncio.run(asked(pki, b"HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n"))

    assert status == 503


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"])
def test_an_answer_that_ends_early_is_an_os_error(pki: Pki, answer: bytes) -> None:
    with pytest.raises(OSError, match="unexpected EOF"):
        asyncio.run(asked(pki, answer))


def test_an_answer_that_is_not_http_is_a_value_error(pki: Pki) -> None:
    with pytest.raises(ValueError, match="malformed HTTP response"):
        asyncio.run(asked(pki, b"SSH-2.0-OpenSSH\r\n"))


def test_an_answer_without_end_is_refused(pki: Pki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windlass.apiserver.plain_get._LARGEST_BODY", 1)

    with pytest.raises(ValueError, match="longer than 1 bytes"):
        asyncio.run(asked(pki, PLAIN))


def test_a_server_that_the_context_does_not_trust_is_not_asked(pki: Pki, tmp_path: Path) -> None:
    other = Pki.load_or_create(tmp_path).client_context(KUBELET_CLIENT)

    with pytest.raises(ssl.SSLError):
        asyncio.run(asked(pki, PLAIN, other))
