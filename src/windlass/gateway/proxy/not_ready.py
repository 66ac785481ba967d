"""The answer while a route has no ready backend: which object is not ready, and why, with a retry by itself."""

from html import escape

from aiohttp import web

from windlass.apis.core_v1 import Event
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.volumes.kinds import PVCViewer
from windlass.gateway.access.reviews import Access
from windlass.gateway.page import page
from windlass.gateway.page_words import Speech
from windlass.gateway.webapps.event_times import newest_warning
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.json import dig
from windlass.kube.kind import KINDS as DECLARED
from windlass.kube.meta import Object

STOPPED = "kubeflow-resource-stopped"
STARTING = "It is starting."
RETRY_SECONDS = 3
KINDS: dict[str, type[Object]] = {"notebooks": Notebook, "pvcviewers": PVCViewer, "tensorboards": Tensorboard}


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
    if access is None or access.resource not in KINDS:
        return "No pod behind it is ready."
    try:
        obj = await client.get(KINDS[access.resource], access.name, access.namespace)
    except NotFound:
        return "It does not exist."
    except ApiError as error:
        return f"Its state cannot be read: {error}"
    why = reason(obj)
    return await _warning(client, obj, access) or why if why == STARTING else why


async def _warning(client: Client, obj: Object, access: Access) -> str:
    """The newest warning about an object, such as that its claim is missing; empty for none, or none to be seen."""
    kind = DECLARED.of(type(obj)).name
    fields = f"involvedObject.kind={kind},involvedObject.name={access.name}"
    try:
        events = (await client.list(Event, access.namespace, fields=fields)).items
    except ApiError:
        events = []
    warning = newest_warning(events, obj.metadata.creation_timestamp)
    return _sentence(warning.reason, warning.message) if warning is not None else ""


def reason(obj: Object) -> str:
    """Why nothing answers for an object, in a sentence."""
    if obj.metadata.deletion_timestamp is not None:
        return "It is being deleted."
    if STOPPED in obj.metadata.annotations:
        return "It is stopped. Start it to use it again."
    if isinstance(obj, Notebook):
        return _notebook_reason(obj)
    if isinstance(obj, PVCViewer):
        failing = [c for c in obj.status.conditions if c.get("status") == "False" and c.get("message")]
        return str(failing[0]["message"]) if failing else STARTING
    return STARTING


def _notebook_reason(notebook: Notebook) -> str:
    cause = dig(notebook.status.container_state, "waiting", "reason")
    if cause:
        return _sentence(str(cause), str(dig(notebook.status.container_state, "waiting", "message") or ""))
    if dig(notebook.status.container_state, "running") is not None:
        return STARTING
    for condition in notebook.status.conditions or ():
        if condition.status == "False" and condition.reason and condition.message:
            return _sentence(condition.reason, condition.message)
    return STARTING


def _sentence(cause: str, message: str) -> str:
    return f"{cause}: {message}" if message else f"{cause}."
