"""How bytes reach a Kubernetes API: HTTP over a Unix socket or TLS, with credentials that may change while running.

A transport knows nothing of kinds or of Status objects; `windlass.kube.client` does. Its creator closes it.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable
from urllib.parse import urlencode

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from windlass.kube.errors import ServiceUnavailable

P = TypeVar("P", bound=asyncio.BaseProtocol)

CONNECT_TIMEOUT_SECONDS = 10.0
TOKEN_FILE_SECONDS = 60.0  # seconds; as client-go rereads a projected token, which the kubelet rotates

_controller: ContextVar[str] = ContextVar("controller", default="")


@contextmanager
def requests_of(controller: str) -> Generator[None]:
    """Name a controller in the User-Agent of all requests of the block and of the tasks that it starts.

    So the audit log of a server says which controller of a manager asked for something.
    """
    token = _controller.set(controller)
    try:
        yield
    finally:
        _controller.reset(token)


def acting_controller() -> str:
    """The controller of the innermost `requests_of` block; empty outside."""
    return _controller.get()


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"
    timeout: float | None = 60.0
    """Seconds until the whole answer must be there; None waits for ever."""
    more_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    as_user: str = ""
    """Whose rights the request has, if not those of the credential."""
    as_groups: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    def headers(self) -> CIMultiDict[str]:
        headers = CIMultiDict({**self.more_headers, "Accept": self.accept})
        if self.body is not None:
            headers["Content-Type"] = self.content_type
        if self.as_user:
            headers["Impersonate-User"] = self.as_user
            headers.extend([("Impersonate-Group", group) for group in self.as_groups])
        return headers


class Response(NamedTuple):
    code: int
    headers: Mapping[str, str]
    body: bytes


class Stream(NamedTuple):
    code: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]


class Transport(Protocol):
    async def request(self, request: Request) -> Response: ...

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]: ...

    async def close(self) -> None: ...


@runtime_checkable
class Dialling(Protocol):
    """A transport that opens connections for protocols other than HTTP's requests and answers."""

    async def dial(self, request: Request, upgrade: str, protocol: Callable[[], P]) -> tuple[P, bytes]:
        """Open a connection for a request to change to the protocol `upgrade`.

        Returns what `protocol` makes, connected, and the head of the request, which the caller sends.
        Raises ServiceUnavailable.
        """
        ...


@runtime_checkable
class WebSockets(Protocol):
    """A transport that opens WebSockets."""

    def websocket(
        self, request: Request, subprotocol: str
    ) -> AbstractAsyncContextManager[aiohttp.ClientWebSocketResponse]:
        """Raises ServiceUnavailable, and aiohttp.WSServerHandshakeError where the server refuses."""
        ...


async def dialled(transport: Transport, request: Request, upgrade: str, protocol: Callable[[], P]) -> tuple[P, bytes]:
    """What `dial` of that transport returns. Raises ServiceUnavailable."""
    if not isinstance(transport, Dialling):
        raise ServiceUnavailable(f"{transport} opens no connections for {upgrade}")
    return await transport.dial(request, upgrade, protocol)


class Credential(Protocol):
    """Who the client is, as an Authorization header."""

    async def header(self) -> str | None:
        """Asked for on every request; None sends no header."""
        ...

    def refused(self) -> bool:
        """The server answered 401. True when asking again may give another header."""
        ...


class Token:
    """A bearer token that stays as it is."""

    def __init__(self, value: str) -> None:
        self._header = f"Bearer {value}"

    async def header(self) -> str:
        return self._header

    def refused(self) -> bool:
        return False


class TokenFile:
    """A bearer token read from a file, and read again once a minute and when it was refused."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._read_at = float("-inf")
        self._header = ""

    async def header(self) -> str:
        if self._clock() - self._read_at >= TOKEN_FILE_SECONDS:
            try:
                self._header = f"Bearer {(await asyncio.to_thread(self._path.read_text)).strip()}"
            except FileNotFoundError as error:
                raise ServiceUnavailable(f"the token {self._path} is not there yet") from error
            self._read_at = self._clock()
        return self._header

    def refused(self) -> bool:
        self._read_at = float("-inf")
        return True


class ImpersonatingTransport:
    """Another transport's connections, with each request in the name of one user. Closing it closes nothing."""

    def __init__(self, transport: Transport, user: str, groups: tuple[str, ...]) -> None:
        self._transport, self._user, self._groups = transport, user, groups

    async def request(self, request: Request) -> Response:
        return await self._transport.request(self._named(request))

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]:
        return self._transport.stream(self._named(request))

    async def dial(self, request: Request, upgrade: str, protocol: Callable[[], P]) -> tuple[P, bytes]:
        return await dialled(self._transport, self._named(request), upgrade, protocol)

    async def close(self) -> None:
        pass

    def _named(self, request: Request) -> Request:
        return replace(request, as_user=self._user, as_groups=self._groups)


class HttpTransport:
    """HTTP/1.1 with keep-alive. Connections are not limited in number: each watch holds one."""

    def __init__(
        self,
        base_url: str,
        *,
        socket: Path | None = None,
        tls: ssl.SSLContext | None = None,
        credential: Credential | None = None,
        server_name: str = "",
        user_agent: str = "windlass",
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._socket = socket
        self._tls = tls
        self._credential = credential
        self._server_name = server_name or None
        self._user_agent = user_agent
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"HttpTransport({self._socket or self._base_url})"

    async def request(self, request: Request) -> Response:
        async with self._send(request) as answer:
            response = Response(answer.status, answer.headers, await answer.read())
        if response.code == 401 and self._credential and self._credential.refused():
            async with self._send(request) as answer:
                response = Response(answer.status, answer.headers, await answer.read())
        return response

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[Stream]:
        async with self._send(request) as answer:
            yield Stream(answer.status, answer.headers, self._chunks(answer))

    async def dial(self, request: Request, upgrade: str, protocol: Callable[[], P]) -> tuple[P, bytes]:
        headers = await self._headers(request)
        url = URL(self._base_url)
        headers.update({"Host": url.authority, "Connection": "Upgrade", "Upgrade": upgrade})
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
                connected = await self._connect(url, protocol)
        except (TimeoutError, OSError) as error:
            raise self._unreachable(error) from error
        lines = [f"{request.method} {url.raw_path.rstrip('/')}{request.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return connected, ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")

    async def _connect(self, url: URL, protocol: Callable[[], P]) -> P:
        loop = asyncio.get_running_loop()
        if self._socket is not None:
            _, connected = await loop.create_unix_connection(protocol, str(self._socket))
            return connected
        tls = (self._tls or ssl.create_default_context()) if url.scheme == "https" else None
        host, port = url.host or "", url.port or 0
        name = (self._server_name or host) if tls else None
        _, connected = await loop.create_connection(protocol, host, port, ssl=tls, server_hostname=name)
        return connected

    @asynccontextmanager
    async def websocket(self, request: Request, subprotocol: str) -> AsyncGenerator[aiohttp.ClientWebSocketResponse]:
        headers = await self._headers(request)
        url = URL(self._base_url + request.target, encoded=True)
        try:
            socket = await self._open_session().ws_connect(
                url, protocols=[subprotocol], headers=headers, server_hostname=self._server_name, max_msg_size=0
            )
        except aiohttp.WSServerHandshakeError:
            raise
        except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
            raise self._unreachable(error) from error
        async with socket:
            yield socket

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @asynccontextmanager
    async def _send(self, request: Request) -> AsyncGenerator[aiohttp.ClientResponse]:
        headers = await self._headers(request)
        try:
            async with self._open_session().request(
                request.method,
                URL(self._base_url + request.target, encoded=True),
                data=request.body,
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=request.timeout, connect=CONNECT_TIMEOUT_SECONDS),
                allow_redirects=False,
                server_hostname=self._server_name,
            ) as answer:
                yield answer
        except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
            raise self._unreachable(error) from error

    async def _headers(self, request: Request) -> CIMultiDict[str]:
        headers = request.headers()
        if controller := acting_controller():
            headers["User-Agent"] = f"{self._user_agent}/{controller}"
        authorization = await self._credential.header() if self._credential else None
        if authorization:
            headers["Authorization"] = authorization
        return headers

    async def _chunks(self, answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        async for chunk in answer.content.iter_any():
            yield chunk

    def _unreachable(self, error: Exception) -> ServiceUnavailable:
        why = str(error) or type(error).__name__
        return ServiceUnavailable(f"the API server at {self._socket or self._base_url} does not answer: {why}")

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            connector = (
                aiohttp.UnixConnector(str(self._socket), limit=0)
                if self._socket
                else aiohttp.TCPConnector(limit=0, ssl=self._tls or True)
            )
            self._session = aiohttp.ClientSession(connector=connector, headers={"User-Agent": self._user_agent})
        return self._session
