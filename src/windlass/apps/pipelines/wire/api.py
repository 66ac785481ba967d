"""The API of pipelines over HTTP: finds the route, and turns what it returns or raises into an answer."""

import logging
from collections.abc import Mapping

from aiohttp import web

from windlass.apps.pipelines.rows.errors import DatabaseError
from windlass.apps.pipelines.wire.call import Call, Caller, Services, Transcoded
from windlass.apps.pipelines.wire.errors import NotFound, Unavailable, WireError, of_kubernetes
from windlass.apps.pipelines.wire.routes import LOGS, UI, V2, Route, find
from windlass.apps.pipelines.wire.v1.routes import V1
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, encode

log = logging.getLogger(__name__)

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
GROUPS: Mapping[str, tuple[Route, ...]] = {"v2beta1": V2, "v1beta1": V1, "v1alpha1": LOGS, "ui": UI}
"""Routes by the version in the path; `ui` are those of upstream's UI server."""


class PipelinesApi:
    def __init__(self, services: Services) -> None:
        self._services = services

    async def answer(self, request: web.Request, caller: Caller, group: str, path: str) -> web.StreamResponse:
        """Answer a request for `path` below the group's prefix. Never raises for bad input."""
        match = find(GROUPS.get(group, ()), request.method, path.strip("/"))
        if match is None:
            return failure(NotFound("Not Found"), is_plain=False)
        route, parts = match
        try:
            answer = await self.call(route, parts, request, caller)
        except WireError as error:
            return failure(error, is_plain=route.is_plain)
        return answer if isinstance(answer, web.StreamResponse) else json_answer(answer, 200)

    async def call(
        self, route: Route, parts: dict[str, str], request: web.Request | Transcoded, caller: Caller
    ) -> Object | web.StreamResponse:
        """What the route's handler answers. Raises WireError."""
        try:
            database = await self._services.open_database()
            call = Call(request=request, services=self._services, caller=caller, database=database, parts=parts)
            return await route.handler(call)
        except ApiError as error:
            raise of_kubernetes(error) from error
        except DatabaseError as error:
            log.warning("request refused method=%s path=%s error=%s", route.method, route.path, error)
            raise Unavailable("the database of pipelines cannot be used") from error


def failure(error: WireError, *, is_plain: bool) -> web.Response:
    return json_answer(error.plain_body() if is_plain else error.body(), error.status)


def json_answer(body: Object, status: int) -> web.Response:
    return web.Response(body=encode(body), status=status, content_type="application/json", headers=HEADERS)
