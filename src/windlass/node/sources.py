"""Reads what pods refer to from the API: configMaps, secrets, services, claims, and service account tokens.

ConfigMaps and secrets are read when needed, so that a pod never starts with an old one; concurrent reads of the same
object share one request. While `run` runs, the metadata of both is watched, which is cheap at any number of pods, so
that listeners know what to read again. Services come from a watch, as kubelet's do.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from msgspec import Struct

from windlass.apis.core_v1 import (
    ConfigMap,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Secret,
    Service,
    ServiceAccount,
)
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.informer import Informers
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, PartialObjectMetadata
from windlass.kube.view import metadata_only

T = TypeVar("T")

RENEW_AT = 0.8  # of a token's life; kubelet's
OLDEST_TOKEN = 24 * 3600  # seconds after which a token is renewed however long it lives; kubelet's
NODE_KEPT = 10.0  # seconds

_CONFIG_MAP, _SECRET, _SERVICE = KINDS.of(ConfigMap), KINDS.of(Secret), KINDS.of(Service)
_CLAIM, _VOLUME = KINDS.of(PersistentVolumeClaim), KINDS.of(PersistentVolume)
_NAMESPACE, _NODE = KINDS.of(Namespace), KINDS.of(Node)


class Reference(Struct, frozen=True):
    """A configMap or secret that a pod's volumes show."""

    kind: str
    namespace: str
    name: str


class Token(Struct, frozen=True):
    value: str
    renew_at: float
    """Seconds since the epoch."""


class _Listener:
    def __init__(self, kind: str, callback: Callable[[Reference], None]) -> None:
        self._kind, self._notify = kind, callback

    def added(self, obj: PartialObjectMetadata) -> None:
        self._notify(Reference(self._kind, obj.metadata.namespace, obj.metadata.name))

    def changed(self, old: PartialObjectMetadata, new: PartialObjectMetadata) -> None:
        self.added(new)

    def deleted(self, obj: PartialObjectMetadata) -> None:
        self.added(obj)


class Sources:
    """Reads through `client` for the pods of `node`."""

    def __init__(self, client: Client, node: str) -> None:
        self.client, self._node = client, node
        self._informers = Informers(client)
        self._services = self._informers.store(_SERVICE)
        self._reading: dict[tuple[Kind, Key], asyncio.Task[Object | None]] = {}
        self._tokens: dict[tuple[str, str, int], Token] = {}
        self._node_read: tuple[float, Object] = (float("-inf"), {})
        self._listeners: list[Callable[[Reference], None]] = []
        for kind in (_CONFIG_MAP, _SECRET):
            self._informers.store(metadata_only(kind)).subscribe(_Listener(kind.name, self._notify))

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            self._informers.start(tasks)

    def listen(self, callback: Callable[[Reference], None]) -> None:
        """Call `callback` for every configMap and secret that is added, changed or deleted."""
        self._listeners.append(callback)

    def _notify(self, reference: Reference) -> None:
        for callback in self._listeners:
            callback(reference)

    async def config_map(self, namespace: str, name: str) -> Object | None:
        return await self._get(_CONFIG_MAP, name, namespace)

    async def secret(self, namespace: str, name: str) -> Object | None:
        return await self._get(_SECRET, name, namespace)

    async def claim(self, namespace: str, name: str) -> Object | None:
        return await self._get(_CLAIM, name, namespace)

    async def persistent_volume(self, name: str) -> Object | None:
        return await self._get(_VOLUME, name)

    async def namespace(self, name: str) -> Object | None:
        return await self._get(_NAMESPACE, name)

    async def services(self, namespace: str) -> list[Object]:
        """Return the services of the namespace, and default/kubernetes."""
        if not self._services.synced.is_set():
            found = (await self.client.list(_SERVICE, namespace)).items
            api = None if namespace == "default" else await self._get(_SERVICE, "kubernetes", "default")
        else:
            found = self._services.filed("namespace", namespace)
            api = None if namespace == "default" else self._services.get(Key("default", "kubernetes"))
        return [*found, *([api] if api else [])]

    async def allocatable(self) -> Object:
        """Return what this node offers to pods."""
        read_at, node = self._node_read
        if time.monotonic() - read_at > NODE_KEPT:
            node = await self._get(_NODE, self._node) or {}
            self._node_read = time.monotonic(), node
        return dig_object(node, "status", "allocatable")

    async def _get(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        key = kind, Key(namespace, name)
        if key not in self._reading:
            self._reading[key] = asyncio.create_task(_or_none(self.client.get(kind, name, namespace)))
            self._reading[key].add_done_callback(lambda _: self._reading.pop(key, None))
        return await asyncio.shield(self._reading[key])

    async def token(self, pod: Object, audience: str = "", seconds: int = 3600) -> Token:
        """Return a token of the pod's service account, bound to the pod; cached until 80 % of its life has passed."""
        meta = dig_object(pod, "metadata")
        kept = str(meta.get("uid")), audience, seconds
        token = self._tokens.get(kept)
        if token is None or time.time() >= token.renew_at:
            token = self._tokens[kept] = await self._request_token(pod, audience, seconds)
        return token

    async def _request_token(self, pod: Object, audience: str, seconds: int) -> Token:
        meta = dig_object(pod, "metadata")
        bound = {"apiVersion": "v1", "kind": "Pod", "name": meta.get("name"), "uid": meta.get("uid")}
        request: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {
                "audiences": [audience] if audience else [],
                "expirationSeconds": seconds,
                "boundObjectRef": bound,
            },
        }
        account = Key(str(meta.get("namespace")), str(dig(pod, "spec", "serviceAccountName") or "default"))
        answer = await self.client.create_under(KINDS.of(ServiceAccount), account, "token", request)
        ends = datetime.fromisoformat(str(dig(answer, "status", "expirationTimestamp"))).timestamp()
        life = float(dig(answer, "spec", "expirationSeconds") or seconds)
        renew_at = min(ends - life * (1 - RENEW_AT), time.time() + OLDEST_TOKEN)
        return Token(str(dig(answer, "status", "token")), renew_at)

    def forget(self, uid: str) -> None:
        """Forget the tokens of a pod that is gone."""
        for key in [key for key in self._tokens if key[0] == uid]:
            del self._tokens[key]


async def _or_none(reading: Awaitable[T]) -> T | None:
    try:
        return await reading
    except NotFound:
        return None
