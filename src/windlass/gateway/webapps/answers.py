"""What the web apps answer: success with one field, failure with a code and a text, both with the user.

`answering` turns what a handler returns or raises into such an answer. Bad input never becomes a 500.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.gateway.request import IDENTITY
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, encode

Fields: TypeAlias = Mapping[str, Any]
AppHandler: TypeAlias = Callable[[web.Request], Awaitable[Fields]]
"""Answers the fields of a success, or raises ApiError."""

JSON = "application/json"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def success(user: str, fields: Fields) -> web.Response:
    return _json({"status": 200, "success": True, "user": user, **fields}, 200)


def failure(user: str, code: int, text: str) -> web.Response:
    return _json({"success": False, "log": text, "status": code, "user": user}, code)


def answering(handler: AppHandler) -> Handler:
    """A handler for aiohttp."""

    async def answer(request: web.Request) -> web.StreamResponse:
        user = request[IDENTITY].user
        try:
            return success(user, await handler(request))
        except ApiError as error:
            return failure(user, code_of(error), error.message)
        except web.HTTPRequestEntityTooLarge as error:
            return failure(user, error.status, "the body is too large")

    return answer


def code_of(error: ApiError) -> int:
    """The code of a failed API call. What is not the user's fault is 503: the same request may work later."""
    return error.code if 400 <= error.code < 500 and error.code != 401 else 503


async def not_found(request: web.Request) -> web.StreamResponse:
    """For paths of the API that no route has."""
    return failure(request[IDENTITY].user, 404, "there is nothing at this address")


def _json(body: Object, code: int) -> web.Response:
    return web.Response(body=encode(body), status=code, content_type=JSON, headers=HEADERS)
