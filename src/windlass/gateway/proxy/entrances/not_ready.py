"""The answer while a route has no ready backend: which object is not ready, and why, with a retry by itself."""

from html import escape

from aiohttp import web

from windlass.apis.access import Access
from windlass.apis.app import Cause, Entrance
from windlass.apis.core_v1 import Event
from windlass.apis.wellknown import STOPPED_ANNOTATION
from windlass.gateway.page import page
from windlass.gateway.page_words import Speech
from windlass.gateway.proxy.entrances.lookup import entrance_of
from windlass.gateway.webapps.event_times import newest_warning
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.meta import Object

RETRY_SECONDS = 3


def not_ready(name: str, why: str, say: Speech, *, as_json: bool) -> web.Response:
    """503 with the reason; for programs in English."""
    if as_json:
        body = {"success": False, "status": 503, "log": f"{name} is not ready: {why}"}
        return web.json_response(body, status=503, headers={"Retry-After": str(RETRY_SECONDS)})
    title = say("{name} is not ready", name=name)
    retry = say("This page tries again every {seconds} seconds.", seconds=RETRY_SECONDS)
    body = f"<h1>{escape(title)}</h1><p>{escape(say(why))}</p><p>{escape(retry)}</p>"
    answer = page(title, body, language=say.language, status=503)
    answer.headers.update({"Refresh": str(RETRY_SECONDS), "Retry-After": str(RETRY_SECONDS)})
    return answer


async def why_not_ready(client: Client, access: Access | None) -> str:
    """A sentence. `client` has the rights of the user, so it shows nothing that they may not see."""
    entrance = entrance_of(access)
    if access is None or entrance is None:
        return "No pod behind it is ready."
    try:
        obj = await client.get(entrance.kind, access.name, access.namespace)
    except NotFound:
        return "It does not exist."
    except ApiError as error:
        return f"Its state cannot be read: {error}"
    if obj.metadata.deletion_timestamp is not None:
        return "It is being deleted."
    if STOPPED_ANNOTATION in obj.metadata.annotations:
        return "It is stopped. Start it to use it again."
    cause = entrance.why_not_ready(obj) or await _warning(client, obj, entrance)
    if cause is None:
        return "It is starting."
    return sentence(cause)


async def _warning(client: Client, obj: Object, entrance: Entrance) -> Cause | None:
    """The newest warning about an object, such as that its claim is missing; None for none, or none to be seen."""
    metadata = obj.metadata
    fields = f"involvedObject.kind={entrance.declared.name},involvedObject.name={metadata.name}"
    try:
        events = (await client.list(Event, metadata.namespace, fields=fields)).items
    except ApiError:
        events = []
    warning = newest_warning(events, metadata.creation_timestamp)
    return Cause(warning.reason, warning.message) if warning is not None else None


def sentence(cause: Cause) -> str:
    if not cause.reason:
        return cause.message
    return f"{cause.reason}: {cause.message}" if cause.message else f"{cause.reason}."
