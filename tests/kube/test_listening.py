"""Pages for whoever looks after a process."""

import asyncio
from contextlib import suppress
from http import HTTPStatus

import pytest

from windlass.kube.listening import CannotListen, Page, Pages, listening, parse_address

PAGES: Pages = {
    "/healthz": lambda: Page("ok"),
    "/readyz": lambda: Page("not ready: just so\n", HTTPStatus.INTERNAL_SERVER_ERROR),
}
HERE = "127.0.0.1:0"


@pytest.mark.parametrize(
    ("address", "parsed"),
    [
        (":8080", ("", 8080)),
        ("127.0.0.1:0", ("127.0.0.1", 0)),
        ("[::1]:8081", ("::1", 8081)),
        ("localhost:1", ("localhost", 1)),
        ("0", None),
    ],
)
def test_an_address_is_written_as_in_others_operators(address: str, parsed: tuple[str, int] | None) -> None:
    assert parse_address(address) == parsed


@pytest.mark.parametrize("address", ["", "8080", "host", "host:", ":http", ":65536", "::1:80"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"form|brackets"):
        parse_address(address)


async def said(at: tuple[str, int], request: str) -> tuple[str, str]:
    """The status and the body of the answer."""
    reader, writer = await asyncio.open_connection(*at)
    writer.write(request.encode())
    answer = (await reader.read()).decode()
    writer.close()
    return answer.partition("\r\n")[0].partition(" ")[2], answer.partition("\r\n\r\n")[2]


@pytest.mark.parametrize(
    ("request_line", "status", "body"),
    [
        ("GET /healthz HTTP/1.1", "200 OK", "ok"),
        ("GET /healthz?verbose=1 HTTP/1.0", "200 OK", "ok"),
        ("HEAD /healthz HTTP/1.1", "200 OK", ""),
        ("GET /readyz HTTP/1.1", "500 Internal Server Error", "not ready: just so\n"),
        ("GET /other HTTP/1.1", "404 Not Found", "404 page not found\n"),
        ("POST /healthz HTTP/1.1", "405 Method Not Allowed", "405 method not allowed\n"),
    ],
)
async def test_pages_are_answered(request_line: str, status: str, body: str) -> None:
    async with listening({HERE: PAGES}) as (at,):
        assert await said(at, f"{request_line}\r\nHost: x\r\nConnection: close\r\n\r\n") == (status, body)


async def test_one_who_says_too_much_or_leaves_disturbs_nobody() -> None:
    async with listening({HERE: PAGES}) as (at,):
        _, silent = await asyncio.open_connection(*at)
        silent.close()
        reader, talker = await asyncio.open_connection(*at)
        talker.write(b"x" * 200_000)
        with suppress(ConnectionError):  # what it had not read may be answered with a reset
            assert b" 400 Bad Request\r\n" in await reader.read()
        talker.close()

        assert (await said(at, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))[1] == "ok"


async def test_zero_listens_nowhere_and_a_taken_address_is_named() -> None:
    async with listening({"0": PAGES}) as none, listening({HERE: PAGES}) as (at,):
        assert none == []
        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1:{at[1]}: Address already in use"):
            async with listening({f"127.0.0.1:{at[1]}": PAGES}):
                pass
