"""Reading from a backend stops while the client is slow, and goes on afterwards: also for the next exchange."""

import asyncio
from typing import cast

from windlass.gateway.proxy.upstream import HIGH_WATER, Upstream


class _Transport:
    """Notes whether its protocol reads."""

    def __init__(self) -> None:
        self.is_reading = True

    def write(self, data: bytes) -> None:
        pass

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def is_closing(self) -> bool:
        return False


def an_answer(size: int) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + bytes(size)


def test_a_large_answer_that_came_at_once_leaves_the_connection_reading() -> None:
    upstream, transport = Upstream(), _Transport()
    upstream.connection_made(cast(asyncio.Transport, transport))
    upstream.begin(b"GET / HTTP/1.1\r\n\r\n")

    upstream.data_received(an_answer(HIGH_WATER + 1))
    was_reading = transport.is_reading
    body = upstream.take_body()

    assert (upstream.is_complete, upstream.is_reusable, len(body)) == (True, True, HIGH_WATER + 1)
    assert (was_reading, transport.is_reading) == (False, True)


async def test_reading_goes_on_when_a_slow_client_has_taken_most_of_it() -> None:
    upstream, transport = Upstream(), _Transport()
    upstream.connection_made(cast(asyncio.Transport, transport))
    upstream.begin(b"GET / HTTP/1.1\r\n\r\n")
    answer = an_answer(HIGH_WATER * 2)

    upstream.data_received(answer[: HIGH_WATER + 1000])
    assert not transport.is_reading
    assert await upstream.chunk()

    assert transport.is_reading
