"""What the three web apps have in common: who is asking, namespaces, storage classes, and reading a user's objects."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from aiohttp import web

from windlass.apis.core_v1 import Event, PersistentVolumeClaim, Pod
from windlass.apis.storage_v1 import StorageClass
from windlass.apis.wellknown import DEFAULT_STORAGE_CLASS_ANNOTATION
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import IDENTITY
from windlass.gateway.webapps.answers import HEADERS, AppHandler, Fields, answering, not_found
from windlass.gateway.webapps.inputs import key_of, namespace_of
from windlass.gateway.webapps.namespaces import visible_namespaces
from windlass.gateway.webapps.pod_configurations import offered_configurations
from windlass.kube.client import Client
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.json import Object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.meta import Object as Typed
from windlass.kube.view import metadata_only

K = TypeVar("K", bound=Typed)

DEFAULT_CLASS = (DEFAULT_STORAGE_CLASS_ANNOTATION, "storageclass.beta.kubernetes.io/is-default-class")
MAX_LOG_LINES = 10_000
PODS, EVENTS = KINDS.of(Pod), KINDS.of(Event)
CLAIMS = KINDS.of(PersistentVolumeClaim)


class WebApp:
    """One of the apps: where it is, and the kind that it is about."""

    def __init__(self, context: GatewayContext, prefix: str, kind: Kind) -> None:
        self.context, self.prefix, self.kind = context, prefix, kind

    def client(self, request: web.Request) -> Client:
        """The API with the rights of the user: RBAC decides about every call."""
        return self.context.client_of(request[IDENTITY])

    def get(self, path: str, handler: AppHandler) -> web.RouteDef:
        return web.get(f"{self.prefix}{path}", answering(handler))

    def post(self, path: str, handler: AppHandler) -> web.RouteDef:
        return web.post(f"{self.prefix}{path}", answering(handler))

    def patch(self, path: str, handler: AppHandler) -> web.RouteDef:
        return web.patch(f"{self.prefix}{path}", answering(handler))

    def delete(self, path: str, handler: AppHandler) -> web.RouteDef:
        return web.delete(f"{self.prefix}{path}", answering(handler))

    def routes(self, own: Sequence[web.RouteDef]) -> list[web.RouteDef]:
        """The app's own routes and those that all apps have. Its pages are the dashboard's."""
        return [
            *own,
            self.get("/info", self.info),
            web.get(f"{self.prefix}/healthz/liveness", healthz),
            web.get(f"{self.prefix}/healthz/readiness", healthz),
            self.get("/api/namespaces", self.namespaces),
            self.get("/api/storageclasses", self.storage_classes),
            self.get("/api/storageclasses/default", self.default_storage_class),
            self.get("/api/namespaces/{namespace}/poddefaults", self.pod_defaults),
            web.route("*", f"{self.prefix}/api/{{path:.*}}", not_found),
        ]

    async def info(self, request: web.Request) -> Fields:
        return {}

    async def namespaces(self, request: web.Request) -> Fields:
        names = await visible_namespaces(self.context, request[IDENTITY], self.kind.group, self.kind.plural)
        return {"namespaces": names}

    async def storage_classes(self, request: web.Request) -> Fields:
        """Everyone who is signed in may know the classes, so the gateway asks by its own rights."""
        classes = (await self.context.client.list(StorageClass)).items
        return {"storageClasses": [each.metadata.name for each in classes]}

    async def default_storage_class(self, request: web.Request) -> Fields:
        for each in (await self.context.client.list(StorageClass)).items:
            if any(each.metadata.annotations.get(key) == "true" for key in DEFAULT_CLASS):
                return {"defaultStorageClass": each.metadata.name}
        return {"defaultStorageClass": ""}

    async def pod_defaults(self, request: web.Request) -> Fields:
        return {"poddefaults": await offered_configurations(self.client(request), namespace_of(request))}

    async def events_of(self, request: web.Request) -> Fields:
        """The events of the object in the path, newest last as the API has them."""
        key = key_of(request)
        fields = f"involvedObject.kind={self.kind.name},involvedObject.name={key.name}"
        return {"events": (await self.client(request).list(EVENTS, key.namespace, fields=fields)).items}

    async def logs(self, request: web.Request, container: str) -> Fields:
        """The last lines of a container of the pod in the path."""
        lines = self.client(request).logs(key_of(request, "pod"), container=container, tail=MAX_LOG_LINES)
        return {"logs": [line.decode(errors="replace") async for line in lines]}


async def healthz(request: web.Request) -> web.Response:
    """Answered to everyone, as kubelet's probes have no identity: nothing but that the app answers."""
    return web.json_response({"status": 200, "success": True, "user": None}, headers=HEADERS)


async def list_if_allowed(client: Client, of: type[K], namespace: str, fields: str = "") -> list[K]:
    """What only explains other objects: nothing where the user may not list it, or the kind is not served."""
    try:
        return (await client.list(of, namespace, fields=fields)).items
    except (Forbidden, NotFound):
        return []


async def first_pod(client: Client, key: Key, label: str) -> Object:
    """The pod of an object, by the label that carries its name."""
    found = (await client.list(PODS, key.namespace, labels=f"{label}={key.name}")).items
    if not found:
        raise NotFound(f"no pod of {key.name} was found")
    return found[0]


def events_by_name(events: Sequence[Event]) -> Callable[[str], Sequence[Event]]:
    """Events of one kind of object, by the name of the object."""
    by_name: dict[str, list[Event]] = {}
    for event in events:
        by_name.setdefault(event.involved_object.name, []).append(event)
    return lambda name: by_name.get(name, ())


async def claim_names(client: Client, namespace: str, *, if_allowed: bool = False) -> list[str] | None:
    """Names of the claims; with `if_allowed` None where the user may not list them."""
    try:
        claims = (await client.list(metadata_only(CLAIMS), namespace)).items
    except Forbidden:
        if if_allowed:
            return None
        raise
    return [claim.metadata.name for claim in claims]
