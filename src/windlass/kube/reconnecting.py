"""A transport whose requests outlast a restart of the server, so that its users' clients see no error.

Only what cannot happen twice is sent again: requests that never reached the server, since it refused the connection,
and those that change nothing.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import aiohttp

from windlass.kube.errors import ServiceUnavailable
from windlass.kube.transport import P, Request, Response, Stream, Transport, dialled

T = TypeVar("T")

PAUSE_SECONDS = 0.1
REVIEWS = ("/apis/authorization.k8s.io/", "/apis/authentication.k8s.io/")
"""Groups whose objects are questions: a POST creates nothing."""


class ReconnectingTransport:
    """Another transport, with requests sent again for `seconds` while its server is restarting."""

    def __init__(self, transport: Transport, seconds: float) -> None:
        self._transport, self._seconds = transport, seconds

    def __repr__(self) -> str:
        return repr(self._transport)

    async def request(self, request: Request) -> Response:
        return await self._repeat(request, lambda: self._transport.request(request))

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[Stream]:
        async with AsyncExitStack() as stack:
            yield await self._repeat(request, lambda: stack.enter_async_context(self._transport.stream(request)))

    async def dial(self, request: Request, upgrade: str, protocol: Callable[[], P]) -> tuple[P, bytes]:
        return await dialled(self._transport, request, upgrade, protocol)

    async def close(self) -> None:
        await self._transport.close()

    async def _repeat(self, request: Request, send: Callable[[], Awaitable[T]]) -> T:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._seconds
        while True:
            try:
                return await send()
            except ServiceUnavailable as error:
                if not may_repeat(request, error.__cause__) or clock() >= deadline:
                    raise
            await asyncio.sleep(PAUSE_SECONDS)


def may_repeat(request: Request, cause: BaseException | None) -> bool:
    """Whether a request that failed for `cause` can be sent again without happening twice."""
    if isinstance(cause, aiohttp.ClientConnectorError):
        return True
    is_lost = isinstance(cause, aiohttp.ClientConnectionError | ConnectionError)
    changes_nothing = request.method == "GET" or request.path.startswith(REVIEWS)
    return is_lost and changes_nothing
