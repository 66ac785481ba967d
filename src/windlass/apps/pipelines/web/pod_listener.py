"""What the gateway serves to pods, in the pods' network of an embedded node: one Service and one listener each.

A Service has no selector: its EndpointSlice names the node's address and the port on which this process listens,
inside the pods' network.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from aiohttp import web

from windlass.apis.proxied_identity import SYSTEM_NAMESPACE
from windlass.apis.wellknown import SERVICE_NAME_LABEL
from windlass.apps.pipelines.pod_services import PodService
from windlass.gateway.context import GatewayContext
from windlass.gateway.proxy.http2.detection import Detection, Factory
from windlass.kube import pod_network
from windlass.kube.errors import ApiError
from windlass.kube.json import Object
from windlass.kube.serving import serving_from

NODE_ADDRESS = str(pod_network.PODS[1])
CHECK_INTERVAL = timedelta(seconds=10)
START_INTERVAL = timedelta(seconds=3)
FIRST_WAIT = timedelta(milliseconds=200)

log = logging.getLogger(__name__)


class Http2Listener(Protocol):
    def connection(self) -> asyncio.Protocol:
        """The protocol of a new connection."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class PodEndpoint:
    """A Service, and the application that answers behind it."""

    service: PodService
    application: Callable[[GatewayContext], web.Application]
    decompress: bool = True
    """Whether the application reads compressed bodies as they were before they were compressed."""
    http2: Callable[[GatewayContext], Http2Listener] | None = None
    """What answers connections that speak HTTP/2."""


async def serve_pods(context: GatewayContext, pods_socket: Path, endpoint: PodEndpoint) -> None:
    """Listen in the pods' network for as long as it lasts, again whenever the node starts a new one."""
    wait = FIRST_WAIT
    while True:
        try:
            listener = await asyncio.to_thread(listen, pods_socket)
        except OSError:  # the node does not run (yet), or pods have the network of this machine
            await asyncio.sleep(wait.total_seconds())
            wait = min(2 * wait, START_INTERVAL)
            continue
        wait = FIRST_WAIT
        async with serving(context, endpoint, listener):
            port = listener.getsockname()[1]
            await publish(context, endpoint.service, port)
            await until_unreachable(pods_socket, port)


@asynccontextmanager
async def serving(context: GatewayContext, endpoint: PodEndpoint, listener: socket.socket) -> AsyncGenerator[None]:
    application = endpoint.application(context)
    with answering_http2(context, endpoint) as protocol:
        async with serving_from(application, listener, decompress=endpoint.decompress, protocol=protocol):
            yield


@contextmanager
def answering_http2(context: GatewayContext, endpoint: PodEndpoint) -> Generator[Callable[[Factory], Factory] | None]:
    """What stands before HTTP/1.1 on every connection, while the block runs; None for an endpoint without HTTP/2."""
    if endpoint.http2 is None:
        yield None
        return
    http2 = endpoint.http2(context)

    def beside(http1: Factory) -> Factory:
        return lambda: Detection(http1, http2.connection)

    try:
        yield beside
    finally:
        http2.close()


def listen(pods_socket: Path) -> socket.socket:
    listener = pod_network.blank(pods_socket)
    try:
        listener.bind((NODE_ADDRESS, 0))
        listener.listen(128)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


async def until_unreachable(pods_socket: Path, port: int) -> None:
    """A new network of the node does not have the old listener."""
    while True:
        await asyncio.sleep(CHECK_INTERVAL.total_seconds())
        try:
            connection = await pod_network.dial(pods_socket, NODE_ADDRESS, port)
        except OSError:
            return
        connection.close()


async def publish(context: GatewayContext, service: PodService, port: int) -> None:
    """Write the endpoint of the Service; the API server may still be starting."""
    while True:
        try:
            await context.client.apply(endpoint_slice(service, port), force=True)
        except ApiError as error:
            log.info("the endpoint of %s is not published yet, trying again error=%s", service.name, error)
            await asyncio.sleep(START_INTERVAL.total_seconds())
        else:
            return


def endpoint_slice(service: PodService, port: int) -> Object:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": service.endpoint_slice,
            "namespace": SYSTEM_NAMESPACE,
            "labels": {SERVICE_NAME_LABEL: service.name},
        },
        "addressType": "IPv4",
        "endpoints": [{"addresses": [NODE_ADDRESS], "conditions": {"ready": True}}],
        "ports": [{"name": name, "port": port, "protocol": "TCP"} for name in service.ports],
    }
