"""Send a request on to a backend and its answer back, unbuffered: chunks, server-sent events, upgrades."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from aiohttp import web
from multidict import CIMultiDict

from windlass.gateway.proxy.headers import WORKER_SCOPE_HEADER, forwarded_headers, takes_session
from windlass.gateway.proxy.tunnel import Tunnel, tunnel
from windlass.gateway.proxy.upstream import Address, BackendFailed, Pool, Upstream
from windlass.gateway.request import Asked
from windlass.kube.broken_answers import BrokenAnswer

_HTTP_PROTOCOLS = frozenset({"h2", "h2c", "http", "tls"})
_ANSWER_STAYS_HERE = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"trailer", b"transfer-encoding"})


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where one request goes, and what is said of it there."""

    address: Address
    path: str
    """Encoded, without the query."""
    query: str = ""
    """As it was sent, with the question mark; empty for none."""
    set_headers: Sequence[tuple[str, str]] = ()
    dropped_headers: frozenset[str] = frozenset()
    """In lower case: what the client sent for the gateway alone."""
    hidden_cookies: frozenset[str] = frozenset()
    timeout: timedelta | None = None
    scope: str = "/"
    """The path of the backend's own pages, beyond which it installs no service worker in browsers."""


def is_upgrade(request: web.Request) -> bool:
    """Whether a client wants another protocol. HTTP is none: its requests would pass by the gateway's rules."""
    if "upgrade" not in request.headers or "upgrade" not in request.headers.get("connection", "").lower():
        return False
    wanted = {token.strip().lower().partition("/")[0] for token in request.headers["upgrade"].split(",")}
    return wanted.isdisjoint(_HTTP_PROTOCOLS)


async def forward(
    request: web.Request,
    target: Target,
    pool: Pool,
    *,
    on_open: Callable[[Tunnel], None] = lambda _: None,
    on_head: Callable[[], None] = lambda: None,
    while_sent: Callable[[Upstream], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> web.StreamResponse:
    """Send the request on and return the answer.

    `on_open` is called with the tunnel that an upgrade opens, `on_head` when the head of another answer has come. An
    answer that does not come at once is sent within `while_sent`; closing its connection ends it.

    Raises BackendFailed where there is no answer to pass on, TimeoutError after the route's timeout, and BrokenAnswer
    where the backend fails in the middle of its answer.
    """
    if is_upgrade(request):
        upstream, _ = await pool.get(target.address, fresh=True)
        head = request_head(request, target, upgrade=True)
        return await tunnel(request, upstream, head, on_open, target.hidden_cookies)
    has_body = request.can_read_body
    async with asyncio.timeout(target.timeout.total_seconds() if target.timeout else None) as limit:
        upstream = await _exchange(request, target, pool, has_body=has_body)
        limit.reschedule(None)  # the timeout is for the head: a stream may last
    on_head()
    try:
        return await _answer(request, upstream, target, while_sent)
    except BaseException:
        upstream.abort()
        raise
    finally:
        pool.give_back(target.address, upstream)


async def _exchange(request: web.Request, target: Target, pool: Pool, *, has_body: bool) -> Upstream:
    """Send the request and wait for the head of the answer.

    A connection that was kept open may have been closed by the backend in the same moment. If no byte of an answer
    came, and nothing of a body has been consumed, the request is sent once more on a fresh connection.
    """
    head = request_head(request, target, chunked=has_body and request.content_length is None)
    is_retry = False
    while True:
        upstream, was_used = await pool.get(target.address, fresh=is_retry)
        try:
            upstream.begin(head, is_head_request=request.method == "HEAD")
            if has_body:
                await _send_body(request, upstream)
            await upstream.head()
            return upstream
        except BackendFailed as error:
            if error.answered or has_body or not was_used or is_retry:
                raise
            is_retry = True
        except BaseException:
            upstream.abort()
            raise


async def _send_body(request: web.Request, upstream: Upstream) -> None:
    """Stream the body, but stop when the backend answers before it has read it."""
    sending = asyncio.ensure_future(_copy_body(request, upstream))
    answered = asyncio.ensure_future(upstream.head())
    try:
        await asyncio.wait((sending, answered), return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()
        else:  # an early answer: what is left of the body is not wanted
            upstream.is_reusable = False
    finally:
        for task in (sending, answered):
            task.cancel()
            with suppress(asyncio.CancelledError, BackendFailed):
                await task


async def _copy_body(request: web.Request, upstream: Upstream) -> None:
    is_chunked = request.content_length is None
    async for chunk in request.content.iter_any():
        upstream.write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if is_chunked else chunk)
        await upstream.drained()
    if is_chunked:
        upstream.write(b"0\r\n\r\n")


async def _answer(
    request: web.Request,
    upstream: Upstream,
    target: Target,
    while_sent: Callable[[Upstream], AbstractContextManager[None]],
) -> web.StreamResponse:
    headers = CIMultiDict[str](
        (name.decode("latin-1"), _text(value))
        for name, value in upstream.headers
        if name.lower() not in _ANSWER_STAYS_HERE and not takes_session(name, value, target.hidden_cookies)
    )
    if WORKER_SCOPE_HEADER in headers:
        headers[WORKER_SCOPE_HEADER] = target.scope
    # aiohttp refuses a control character in it, and so do browsers; None is the standard phrase of the status.
    reason = upstream.reason if upstream.reason.isprintable() else None
    if upstream.is_complete and request.method != "HEAD":
        headers.popall("Content-Length", None)
        return web.Response(status=upstream.status, reason=reason, headers=headers, body=upstream.take_body())
    response = web.StreamResponse(status=upstream.status, reason=reason, headers=headers)
    await response.prepare(request)
    with while_sent(upstream):
        try:
            while chunk := await upstream.chunk():
                await response.write(chunk)
        except BackendFailed as error:
            raise BrokenAnswer(str(error)) from error
    await response.write_eof()
    return response


def _text(value: bytes) -> str:
    """A header's value, which is sent on as UTF-8; older servers write ISO 8859-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def request_head(request: web.Request, target: Target, *, chunked: bool = False, upgrade: bool = False) -> bytes:
    """Request line and headers for the backend: the client's, without what concerns this connection or an identity."""
    kept = forwarded_headers(
        request.headers.items(),
        connection=request.headers.get("connection", ""),
        replaced=target.dropped_headers.union(name.lower() for name, _ in target.set_headers),
        hidden_cookies=target.hidden_cookies,
    )
    lines = [f"{request.method} {target.path}{target.query} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in kept]
    lines += [f"{name}: {value}" for name, value in target.set_headers]
    if upgrade:
        lines += ["Connection: Upgrade", f"Upgrade: {request.headers['upgrade']}"]
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def query_of(request: Asked) -> str:
    """The query as it was sent, with its question mark."""
    _, mark, query = request.raw_path.partition("?")
    return mark + query


def passed_headers(request: Asked, scheme: str) -> list[tuple[str, str]]:
    """What a backend learns of the client's side."""
    peer: Any = request.transport.get_extra_info("peername") if request.transport is not None else None
    return [
        ("X-Forwarded-For", str(peer[0]) if peer else ""),
        ("X-Forwarded-Proto", scheme),
        ("X-Forwarded-Host", request.host),
    ]
