"""Answers of the dashboard's REST API: JSON, with the fault in `error`."""

from collections.abc import Awaitable, Callable, Sequence
from operator import attrgetter
from typing import TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.gateway.context import GatewayContext
from windlass.gateway.webapps.answers import code_of
from windlass.kube.errors import ApiError, InternalError
from windlass.kube.json import encode

Answer: TypeAlias = Callable[[web.Request], Awaitable[object]]
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def answering(handler: Answer) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return json_answer(await handler(request), 200)
        except InternalError as error:
            return json_answer({"error": error.message}, 500)
        except ApiError as error:
            return json_answer({"error": error.message}, code_of(error))

    return answer


def json_answer(value: object, code: int) -> web.Response:
    return web.Response(body=encode(value), status=code, content_type="application/json", headers=HEADERS)


def lazy_routes(
    context: GatewayContext, table: Sequence[tuple[str, str, str]], make: Callable[[GatewayContext], object]
) -> list[web.RouteDef]:
    """Routes by method, path and the name of the handler in an object that is made by the first request.

    Modules that `make` imports load then: a gateway that only lets people into notebooks stays small.
    """

    def handler(name: str) -> Answer:
        async def answer(request: web.Request) -> object:
            return await attrgetter(name)(context.service(make))(request)

        return answer

    return [web.route(method, path, answering(handler(name))) for method, path, name in table]
