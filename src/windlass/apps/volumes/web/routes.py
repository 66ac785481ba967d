"""/volumes: the REST API of the volumes web app."""

import asyncio
from datetime import timedelta

from aiohttp import web

from windlass.apis.access import Access
from windlass.apis.core_v1 import Event, PersistentVolumeClaim
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.web.consumers import Consumers, consumers
from windlass.apps.volumes.web.forms import claim_of, size_of, viewer_of
from windlass.apps.volumes.web.rows import row
from windlass.gateway.context import GatewayContext
from windlass.gateway.proxy.entrances.state import OPEN
from windlass.gateway.request import IDENTITY
from windlass.gateway.views.claims import claims_in
from windlass.gateway.webapps.answers import Fields
from windlass.gateway.webapps.common import CLAIMS, PODS, WebApp, events_by_name, list_if_allowed
from windlass.gateway.webapps.inputs import json_body, key_of, namespace_of, text_field
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, BadRequest, Conflict, NotFound
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.names import dns_subdomain_errors
from windlass.kube.objects import uid_of

PREFIX = "/volumes"
VIEWERS = KINDS.of(PVCViewer)
DELETION_WAIT = timedelta(seconds=2)
"""How long a deletion waits for the claim's protection to end: scripts of Kubeflow look for the claim right after."""
_DELETION_POLL = timedelta(milliseconds=25)

_LIST = "/api/namespaces/{namespace}/pvcs"
_ONE = f"{_LIST}/{{name}}"
_VIEWERS = "/api/namespaces/{namespace}/viewers"


def routes(context: GatewayContext) -> list[web.RouteDef]:
    app = VolumesApp(context)
    return app.routes(
        [
            app.get(_LIST, app.claims),
            app.post(_LIST, app.create),
            app.get(_ONE, app.claim),
            app.patch(_ONE, app.resize),
            app.delete(_ONE, app.remove),
            app.get(f"{_ONE}/pods", app.pods),
            app.get(f"{_ONE}/events", app.events_of),
            app.post(_VIEWERS, app.open_viewer),
            app.delete(f"{_VIEWERS}/{{name}}", app.close_viewer),
        ]
    )


class VolumesApp(WebApp):
    def __init__(self, context: GatewayContext) -> None:
        super().__init__(context, PREFIX, CLAIMS)

    async def claims(self, request: web.Request) -> Fields:
        """All rows from four lists, however many claims there are."""
        client, namespace = self.client(request), namespace_of(request)
        claims = (await client.list(PersistentVolumeClaim, namespace)).items
        events, notebooks, viewers = await asyncio.gather(
            list_if_allowed(client, Event, namespace, f"involvedObject.kind={CLAIMS.name}"),
            list_if_allowed(client, Notebook, namespace),
            list_if_allowed(client, PVCViewer, namespace),
        )
        of = events_by_name(events)
        mounted = [(each.metadata.name, frozenset(claims_in(each.spec.template.spec))) for each in notebooks]
        viewer_of_claim = {each.spec.pvc: each for each in viewers}
        entrance = self.context.proxy.entrances(VIEWERS)

        def row_of(claim: PersistentVolumeClaim) -> Object:
            name = claim.metadata.name
            viewer = viewer_of_claim.get(name)
            users = [notebook for notebook, used in mounted if name in used]
            return row(claim, of(name), users, viewer, entrance(namespace, viewer.metadata.name) if viewer else OPEN)

        return {"pvcs": [row_of(claim) for claim in claims]}

    async def claim(self, request: web.Request) -> Fields:
        key = key_of(request)
        return {"pvc": await self.client(request).get(CLAIMS, key.name, key.namespace)}

    async def pods(self, request: web.Request) -> Fields:
        """The pods that mount the claim."""
        key = key_of(request)
        pods = (await self.client(request).list(PODS, key.namespace)).items
        return {"pods": [pod for pod in pods if key.name in claims_in(dig_object(pod, "spec"))]}

    async def create(self, request: web.Request) -> Fields:
        claim = claim_of(await json_body(request), namespace_of(request))
        await self.client(request).create(claim, kind=CLAIMS)
        return {"message": "PVC created."}

    async def resize(self, request: web.Request) -> Fields:
        """Make a claim larger; whether its class allows that, the API server knows."""
        key, size = key_of(request), size_of(await json_body(request))
        patch = {"spec": {"resources": {"requests": {"storage": size}}}}
        await self.client(request).patch(CLAIMS, key, patch)
        return {"message": f"PVC {key.name} resized to {size}."}

    async def remove(self, request: web.Request) -> Fields:
        """Delete a claim that nothing uses. The answer comes when the claim is gone, or after `DELETION_WAIT`."""
        client, key = self.client(request), key_of(request)
        await client.delete(CLAIMS, key, dry_run=True)  # 403 and 404 come before any word about what uses it
        if users := await self.consumers(request, key):
            raise Conflict(f"PVC {key.name} is in use by {users}")
        for viewer in await list_if_allowed(client, PVCViewer, key.namespace):
            if viewer.spec.pvc == key.name:
                await _delete_if_there(client, viewer.metadata.key)
        deleted = await client.delete(CLAIMS, key)
        await _wait_until_gone(client, key, str(dig(deleted, "metadata", "uid") or ""))
        return {"message": f"PVC {key.name} deleted."}

    async def consumers(self, request: web.Request, key: Key) -> Consumers:
        """What uses a claim, whether the user may see it or not; where the gateway has no rights, the user's count."""
        identity, reviews = request[IDENTITY], self.context.proxy.reviews

        async def may_see(kind: Kind) -> bool:
            return await reviews.allows(identity, Access("list", kind.group, kind.plural, key.namespace))

        return await consumers((self.context.client, self.client(request)), key.namespace, key.name, may_see)

    async def open_viewer(self, request: web.Request) -> Fields:
        namespace, client = namespace_of(request), self.client(request)
        claim = text_field(await json_body(request), "name")
        if errors := dns_subdomain_errors(claim):
            raise BadRequest(f"name: {errors[0]}")
        await client.get(CLAIMS, claim, namespace)
        await client.create(viewer_of(claim, namespace))
        return {"message": f"Viewer of {claim} created."}

    async def close_viewer(self, request: web.Request) -> Fields:
        key = key_of(request)
        await self.client(request).delete(VIEWERS, key)
        return {"message": f"Viewer {key.name} deleted."}


async def _delete_if_there(client: Client, viewer: Key) -> None:
    try:
        await client.delete(VIEWERS, viewer)
    except NotFound:
        return


async def _wait_until_gone(client: Client, key: Key, uid: str) -> None:
    """Return when the claim is gone, when another has its name, or when it takes longer than `DELETION_WAIT`."""
    deadline = asyncio.get_running_loop().time() + DELETION_WAIT.total_seconds()
    try:
        while uid_of(await client.get(CLAIMS, key.name, key.namespace)) == uid:
            if asyncio.get_running_loop().time() > deadline:
                return
            await asyncio.sleep(_DELETION_POLL.total_seconds())
    except ApiError:  # gone, or not for this user to see
        return
