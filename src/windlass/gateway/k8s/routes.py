"""Send a request to the API server in the name of the user, and its answer back as it comes."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.k8s.pod_exec import run_in_pod
from windlass.gateway.k8s.targets import PREFIX, SAFETY_HEADERS, ApiTarget, answer_headers, api_target, content_type
from windlass.gateway.k8s.targets import status_of as code_of
from windlass.gateway.request import IDENTITY
from windlass.kube.broken_answers import BrokenAnswer
from windlass.kube.errors import ApiError, ServiceUnavailable, TooLarge, UnsupportedMediaType
from windlass.kube.json import encode
from windlass.kube.transport import Request, Stream

MAX_BODY = 3 << 20  # bytes; the API server's own limit
TIMEOUT_SECONDS = 60.0


def routes(context: GatewayContext) -> list[web.RouteDef]:
    return [web.route("*", f"{PREFIX}/{{path:.*}}", KubernetesApi(context).answer)]


class KubernetesApi:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    async def answer(self, request: web.Request) -> web.StreamResponse:
        try:
            target = api_target(request.method, request.raw_path, upgrade=request.headers.get("Upgrade", ""))
            if target.exec_in is not None:
                return await run_in_pod(self._context, request, target.path, target.exec_in)
            sent = await self._request(request, target)
            return await self._exchange(request, target, sent)
        except ApiError as error:
            return failure(error)

    async def _request(self, request: web.Request, target: ApiTarget) -> Request:
        body = await read_body(request)
        return Request(
            request.method,
            target.path,
            body=body or None,
            content_type=content_type(request.headers.get("Content-Type", "")),
            accept=content_type(request.headers.get("Accept", ""), "*/*"),
            timeout=None if target.is_stream else TIMEOUT_SECONDS,
        )

    async def _exchange(self, request: web.Request, target: ApiTarget, sent: Request) -> web.StreamResponse:
        client = self._context.client_of(request[IDENTITY])
        async with client.stream(sent) as stream:
            if stream.code == 401:
                raise ServiceUnavailable("the API server does not know the gateway; its log has the details")
            response = web.StreamResponse(status=stream.code, headers=answer_headers(stream.headers))
            if not target.is_stream:
                await response.prepare(request)
                return await copy(response, stream)
            return await self._follow(request, response, stream)

    async def _follow(self, request: web.Request, response: web.StreamResponse, stream: Stream) -> web.StreamResponse:
        await response.prepare(request)
        return await follow(self._context, request, response, copy(response, stream))


async def follow(
    context: GatewayContext,
    request: web.Request,
    response: web.StreamResponse,
    sending: Coroutine[None, None, web.StreamResponse],
) -> web.StreamResponse:
    """Send as long as there is something to send, and no longer than the session of the user."""
    copying = asyncio.ensure_future(sending)
    tunnels, following = context.proxy.tunnels, _Following(copying)
    tunnels.add(following, request[IDENTITY], None)
    try:
        return await copying
    except asyncio.CancelledError:
        if not following.is_closed:
            raise
        if request.transport is not None:
            request.transport.abort()
        return response
    finally:
        tunnels.remove(following)
        copying.cancel()
        with suppress(asyncio.CancelledError, ConnectionError, ApiError, BrokenAnswer):
            await copying


class _Following:
    """What ends an open stream when the session of its user does."""

    def __init__(self, copying: asyncio.Future[web.StreamResponse]) -> None:
        self._copying = copying
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True
        self._copying.cancel()


async def copy(response: web.StreamResponse, stream: Stream) -> web.StreamResponse:
    """Every piece as it comes. Where the API server stops half-way, so does the answer."""
    try:
        async for chunk in stream.chunks:
            await response.write(chunk)
    except ServiceUnavailable as error:
        raise BrokenAnswer(str(error)) from error
    await response.write_eof()
    return response


async def read_body(request: web.Request) -> bytes:
    """The whole body; raises TooLarge before more than the limit is held."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("send the body without Content-Encoding")
    body = bytearray()
    if (request.content_length or 0) <= MAX_BODY:
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > MAX_BODY:
                break
        else:
            return bytes(body)
    raise TooLarge(f"the body has more than {MAX_BODY} bytes")


def failure(error: ApiError) -> web.Response:
    """A Kubernetes Status."""
    status = {**error.status(), "code": code_of(error)}
    return web.Response(
        body=encode(status),
        status=code_of(error),
        headers={"Cache-Control": "no-store", "Content-Type": "application/json", **SAFETY_HEADERS},
    )
