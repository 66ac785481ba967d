"""/jupyter: the REST API of the notebooks web app."""

import asyncio
import secrets
import string
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from aiohttp import web

from windlass.apis.access import Access
from windlass.apis.core_v1 import Event, Node
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import NOTEBOOK_LABEL, STARTED_AT, STOPPED
from windlass.apps.notebooks.web.form import BadForm, notebook_of
from windlass.apps.notebooks.web.making import Checks, check, make
from windlass.apps.notebooks.web.manifests import made_of
from windlass.apps.notebooks.web.notebook_status import notebook_status
from windlass.apps.notebooks.web.old_fields import with_todays_fields
from windlass.apps.notebooks.web.rows import row
from windlass.apps.notebooks.web.spawner_config import gpu_vendors, spawner_config
from windlass.gateway.context import GatewayContext
from windlass.gateway.proxy.entrances.state import EntranceState
from windlass.gateway.request import IDENTITY
from windlass.gateway.webapps.answers import Fields
from windlass.gateway.webapps.common import CLAIMS, WebApp, events_by_name, first_pod, list_if_allowed
from windlass.gateway.webapps.inputs import is_dry_run, json_body, key_of, namespace_of
from windlass.gateway.webapps.namespaces import is_profile
from windlass.kube.errors import BadRequest, Conflict
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.objects import without_nulls

PREFIX = "/jupyter"
NOTEBOOKS = KINDS.of(Notebook)
OF_NOTEBOOKS = f"involvedObject.kind={NOTEBOOKS.name}"
_SUFFIX_CHARACTERS, _SUFFIX_LENGTH = string.ascii_lowercase + string.digits, 5

_LIST = "/api/namespaces/{namespace}/notebooks"
_ONE = f"{_LIST}/{{name}}"


def routes(context: GatewayContext) -> list[web.RouteDef]:
    app = NotebooksApp(context)
    return app.routes(
        [
            app.get("/api/config", app.config),
            app.get("/api/gpus", app.gpus),
            app.get("/api/namespaces/{namespace}/pvcs", app.claims),
            app.get(_LIST, app.notebooks),
            app.post(_LIST, app.create),
            app.get(_ONE, app.notebook),
            app.patch(_ONE, app.change),
            app.delete(_ONE, app.remove),
            app.get(f"{_ONE}/pod", app.pod),
            app.get(f"{_ONE}/pod/{{pod}}/logs", app.container_logs),
            app.get(f"{_ONE}/events", app.events_of),
        ]
    )


class NotebooksApp(WebApp):
    def __init__(self, context: GatewayContext) -> None:
        super().__init__(context, PREFIX, NOTEBOOKS)
        self._spawner = context.service(spawner_config)

    async def config(self, request: web.Request) -> Fields:
        return {"config": self._spawner.defaults()}

    async def gpus(self, request: web.Request) -> Fields:
        """The vendors of which a node has GPUs. Everyone may know them, so the gateway asks by its own rights."""
        there = {name for node in (await self.context.client.list(Node)).items for name in node.status.capacity}
        return {"vendors": [key for vendor in gpu_vendors(self.context) if (key := vendor.get("limitsKey")) in there]}

    async def claims(self, request: web.Request) -> Fields:
        claims = (await self.client(request).list(CLAIMS, namespace_of(request))).items
        return {"pvcs": [_claim(claim) for claim in claims]}

    async def notebooks(self, request: web.Request) -> Fields:
        """All rows from two lists, however many notebooks there are."""
        client, namespace = self.client(request), namespace_of(request)
        notebooks = (await client.list(Notebook, namespace)).items
        of = events_by_name(await list_if_allowed(client, Event, namespace, OF_NOTEBOOKS) if notebooks else ())
        now, vendors = datetime.now(UTC), gpu_vendors(self.context)
        entrance = self.context.proxy.entrances(NOTEBOOKS)
        rows = [
            row(each, of(name), vendors, now, entrance(namespace, name))
            for each in notebooks
            for name in [each.metadata.name]
        ]
        return {"notebooks": rows}

    async def notebook(self, request: web.Request) -> Fields:
        client, key = self.client(request), key_of(request)
        found = await client.get(NOTEBOOKS, key.name, key.namespace)
        events = await list_if_allowed(client, Event, key.namespace, f"{OF_NOTEBOOKS},involvedObject.name={key.name}")
        entrance = self.context.proxy.entrances(NOTEBOOKS)(key.namespace, key.name)
        return {"notebook": {**found, "processed_status": _processed(found, events, entrance)}}

    async def pod(self, request: web.Request) -> Fields:
        return {"pod": await first_pod(self.client(request), key_of(request), NOTEBOOK_LABEL)}

    async def container_logs(self, request: web.Request) -> Fields:
        return await self.logs(request, key_of(request).name)

    async def create(self, request: web.Request) -> Fields:
        """Make the Notebook and its new claims, or nothing; with `?dryRun=All` only try, and answer what would be.

        The body is the form, or `{"objects": […]}` with what the form cannot say.
        """
        namespace, user = namespace_of(request), request[IDENTITY].user
        body, defaults = await json_body(request), self._spawner.defaults()
        try:
            if "objects" in body:
                made = made_of(body["objects"], namespace, user, defaults)
            else:
                made = notebook_of(with_todays_fields(body), namespace, user, defaults, _suffix)
        except BadForm as error:
            raise BadRequest(str(error)) from error
        checks = await self._checks(request, namespace)
        if is_dry_run(request):
            await check(self.client(request), made, checks)
            return {"message": "Notebook checked.", "objects": [*made.claims, made.notebook]}
        # A client that goes away in the middle must not leave claims without their notebook.
        await asyncio.shield(asyncio.ensure_future(make(self.client(request), made, checks)))
        return {"message": "Notebook created."}

    async def _checks(self, request: web.Request, namespace: str) -> Checks:
        """A profile's rules hold for the pod, which can be tried where the user may make pods."""
        allowed = await self.context.proxy.reviews.allows(request[IDENTITY], Access("create", "", "pods", namespace))
        in_profile = await is_profile(self.context.client, namespace)
        return Checks(pod_defaults=in_profile, pod=in_profile and allowed)

    async def change(self, request: web.Request) -> Fields:
        """Stop or start a notebook."""
        client, key = self.client(request), key_of(request)
        body = await json_body(request)
        if "stopped" not in body:
            raise BadRequest("the body has none of the known fields: stopped")
        if not isinstance(body["stopped"], bool):
            raise BadRequest("stopped: must be true or false")
        found = await client.get(NOTEBOOKS, key.name, key.namespace)
        is_stopped = STOPPED in dig_object(found, "metadata", "annotations")
        if body["stopped"] and is_stopped:
            raise Conflict(f"Notebook {key} is stopped already")
        if body["stopped"] or is_stopped:
            marks = {STOPPED: timestamp()} if body["stopped"] else {STOPPED: None, STARTED_AT: timestamp()}
            await client.patch(NOTEBOOKS, key, {"metadata": {"annotations": marks}})
        return {}

    async def remove(self, request: web.Request) -> Fields:
        key = key_of(request)
        await self.client(request).delete(NOTEBOOKS, key, propagation="Foreground")
        return {"message": f"Notebook {key.name} deleted."}


def _processed(notebook: Object, events: Sequence[Event], entrance: EntranceState) -> Object:
    typed = msgspec.convert(without_nulls(notebook), Notebook)
    return notebook_status(typed, events, datetime.now(UTC), entrance)


def _claim(claim: Object) -> Object:
    modes = dig_list(claim, "spec", "accessModes")
    return {
        "name": dig(claim, "metadata", "name"),
        "size": dig(claim, "spec", "resources", "requests", "storage") or "",
        "mode": modes[0] if modes else "",
    }


def _suffix() -> str:
    """What the API server adds to a generateName."""
    return "".join(secrets.choice(_SUFFIX_CHARACTERS) for _ in range(_SUFFIX_LENGTH))
