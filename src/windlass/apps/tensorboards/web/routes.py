"""/tensorboards: the REST API of the TensorBoards web app."""

import asyncio
from datetime import UTC, datetime

import msgspec
from aiohttp import web

from windlass.apis.core_v1 import Event
from windlass.apps.tensorboards.children import deployment
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.names import APP_LABEL, CONTAINER
from windlass.apps.tensorboards.web.board_status import board_status
from windlass.gateway.context import GatewayContext
from windlass.gateway.webapps.answers import Fields
from windlass.gateway.webapps.common import WebApp, claim_names, events_by_name, first_pod, list_if_allowed
from windlass.gateway.webapps.inputs import json_body, key_of, labels_field, namespace_of, text_field
from windlass.gateway.webapps.namespaces import is_profile
from windlass.gateway.webapps.pod_configurations import check_configurations
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object
from windlass.kube.kind import KINDS

PREFIX = "/tensorboards"
BOARDS = KINDS.of(Tensorboard)
MAX_NAME_LENGTH = 50

_LIST = "/api/namespaces/{namespace}/tensorboards"
_ONE = f"{_LIST}/{{name}}"


def routes(context: GatewayContext) -> list[web.RouteDef]:
    app = TensorboardsApp(context)
    return app.routes(
        [
            app.get("/api/namespaces/{namespace}/pvcs", app.claims),
            app.get(_LIST, app.boards),
            app.post(_LIST, app.create),
            app.get(_ONE, app.board),
            app.delete(_ONE, app.remove),
            app.get(f"{_ONE}/pod", app.pod),
            app.get(f"{_ONE}/pod/{{pod}}/logs", app.container_logs),
            app.get(f"{_ONE}/events", app.events_of),
        ]
    )


class TensorboardsApp(WebApp):
    def __init__(self, context: GatewayContext) -> None:
        super().__init__(context, PREFIX, BOARDS)

    async def claims(self, request: web.Request) -> Fields:
        return {"pvcs": await claim_names(self.client(request), namespace_of(request))}

    async def boards(self, request: web.Request) -> Fields:
        client, namespace = self.client(request), namespace_of(request)
        boards = (await client.list(Tensorboard, namespace)).items
        if not boards:
            return {"tensorboards": []}
        events, claims = await asyncio.gather(
            list_if_allowed(client, Event, namespace, f"involvedObject.kind={BOARDS.name}"),
            claim_names(client, namespace, if_allowed=True),
        )
        of, now = events_by_name(events), datetime.now(UTC)
        entrance = self.context.proxy.entrances(BOARDS)
        rows = [
            _row(each, board_status(each, claims, of(name), now, entrance(namespace, name)))
            for each in boards
            for name in [each.metadata.name]
        ]
        return {"tensorboards": rows}

    async def board(self, request: web.Request) -> Fields:
        key = key_of(request)
        return {"tensorboard": await self.client(request).get(BOARDS, key.name, key.namespace)}

    async def create(self, request: web.Request) -> Fields:
        namespace, body = namespace_of(request), await json_body(request)
        name = text_field(body, "name")
        if len(name) > MAX_NAME_LENGTH:
            raise BadRequest(f"name: must be no more than {MAX_NAME_LENGTH} characters")
        board: Object = {
            "apiVersion": BOARDS.api_version,
            "kind": BOARDS.name,
            "metadata": {"name": name, "namespace": namespace, "labels": labels_field(body, "configurations")},
            "spec": {"logspath": text_field(body, "logspath")},
        }
        client = self.client(request)
        await client.create(board, dry_run=True)
        if await is_profile(self.context.client, namespace):
            await check_configurations(client, _pod(board))
        await client.create(board)
        return {"message": "Tensorboard created."}

    async def remove(self, request: web.Request) -> Fields:
        key = key_of(request)
        await self.client(request).delete(BOARDS, key)
        return {"message": f"Tensorboard {key.name} deleted."}

    async def pod(self, request: web.Request) -> Fields:
        return {"pod": await first_pod(self.client(request), key_of(request), APP_LABEL)}

    async def container_logs(self, request: web.Request) -> Fields:
        return await self.logs(request, CONTAINER)


def _pod(board: Object) -> Object:
    """The board's pod, as far as the form decides about it."""
    workload = deployment(msgspec.convert(board, Tensorboard), None, image="")
    key, template = workload.metadata.key, workload.spec.template
    return {**template, "metadata": {**template["metadata"], "name": key.name, "namespace": key.namespace}}


def _row(board: Tensorboard, status: Object) -> Object:
    return {
        "name": board.metadata.name,
        "namespace": board.metadata.namespace,
        "logspath": board.spec.logspath,
        "age": board.metadata.creation_timestamp,
        "status": status,
    }
