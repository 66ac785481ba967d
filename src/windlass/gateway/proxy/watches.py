"""The objects of the API that the proxy watches: routes, backends, rights, and the tokens of servers."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from aiohttp import web

from windlass.apis.core_v1 import Service, ServiceAccount
from windlass.apis.discovery_v1 import EndpointSlice
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apis.networking_v1 import Ingress
from windlass.apis.rbac_v1 import ClusterRole, ClusterRoleBinding, Role, RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.apps import entrances
from windlass.gateway.proxy.entrances.server_tokens import token_secrets
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.informer import Informers
from windlass.kube.kind import KINDS
from windlass.kube.meta import PartialObjectMetadata
from windlass.kube.view import metadata_only

DECISIVE = (VirtualService, Ingress, AuthorizationPolicy, Service, EndpointSlice)
"""Kinds without which a route is unknown, or open though a policy closes it."""
START_TIMEOUT_SECONDS = 5.0  # a request waits so long for a gateway that has just started
START_CHECK_SECONDS = 0.02


class Watches:
    def __init__(self, client: Client) -> None:
        self._informers = Informers(client)
        store = self._informers.store
        self.virtual_services = store(VirtualService)
        self.ingresses = store(Ingress)
        self.services = store(Service)
        self.endpoint_slices = store(EndpointSlice)
        self.policies = store(AuthorizationPolicy)
        self.roles_and_bindings = [
            store(metadata_only(kind)) for kind in (Role, RoleBinding, ClusterRole, ClusterRoleBinding)
        ]
        self.accounts = store(metadata_only(ServiceAccount))
        self.token_secrets = {label: store(view) for label, view in token_secrets(entrances()).items()}
        self.entered: dict[str, Store[Any]] = {
            entrance.prefix: store(entrance.kind) for entrance in entrances() if entrance.reading_accesses is not None
        }
        """Objects that decide who enters them, by the prefix of their entrance."""
        self.has_started = False

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            self._informers.start(tasks)

    async def started(self) -> None:
        """Wait until the objects that decide about requests have been read. Raises aiohttp's 503 after a while."""
        kinds = {KINDS.of(kind) for kind in DECISIVE}
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while lagging := kinds.intersection(self._informers.lagging()):
            if time.monotonic() > deadline:
                names = ", ".join(sorted(kind.plural for kind in lagging))
                raise web.HTTPServiceUnavailable(
                    text=f"503: the gateway starts and has yet to read {names}\n", headers={"Retry-After": "2"}
                )
            await asyncio.sleep(START_CHECK_SECONDS)
        self.has_started = True


def on_change(call: Callable[[], None], *stores: Store[Any]) -> None:
    """Call a function at every change of some stores."""
    for store in stores:
        store.subscribe(_OnChange(call))


def on_deletion(call: Callable[[PartialObjectMetadata], None], store: Store[PartialObjectMetadata]) -> None:
    """Call a function with each object that is deleted."""
    store.subscribe(_OnDeletion(call))


class _OnChange:
    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def added(self, obj: object, /) -> None:
        self._call()

    def changed(self, old: object, new: object, /) -> None:
        self._call()

    def deleted(self, obj: object, /) -> None:
        self._call()


class _OnDeletion:
    def __init__(self, call: Callable[[PartialObjectMetadata], None]) -> None:
        self._call = call

    def added(self, obj: object, /) -> None:
        pass

    def changed(self, old: object, new: object, /) -> None:
        pass

    def deleted(self, obj: PartialObjectMetadata, /) -> None:
        self._call(obj)
