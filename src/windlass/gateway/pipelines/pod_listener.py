"""The pipelines API for pods: `ml-pipeline.kubeflow:8888`, in the pods' network of an embedded node.

Pods prove who they are by a bearer token of their service account; headers with identities and cookies count nothing
here. The Service has no selector: its EndpointSlice names the node's address and the port on which this process
listens, inside the pods' network.
"""

import asyncio
import logging
import socket
from datetime import timedelta
from pathlib import Path

from aiohttp import web

from windlass.apis.pipelines.api_service import ENDPOINT_SLICE
from windlass.apis.pipelines.names import API_SERVICE, SYSTEM_NAMESPACE
from windlass.apis.wellknown import SERVICE_NAME_LABEL
from windlass.gateway.context import GatewayContext
from windlass.gateway.login.authentication import of_bearer
from windlass.gateway.pipelines.routes import PREFIXES, VERSIONS
from windlass.kube import pod_network
from windlass.kube.errors import ApiError
from windlass.kube.json import Object
from windlass.kube.serving import serving_from

NODE_ADDRESS = str(pod_network.PODS[1])
CHECK_INTERVAL = timedelta(seconds=10)
START_INTERVAL = timedelta(seconds=3)
TOKEN_PATH = "/pipeline/"
"""The path for which tokens with the audience of pipelines are accepted."""

log = logging.getLogger(__name__)


async def serve_pods(context: GatewayContext, pods_socket: Path) -> None:
    """Listen in the pods' network for as long as it lasts, again whenever the node starts a new one."""
    while True:
        try:
            listener = await asyncio.to_thread(listen, pods_socket)
        except OSError:  # the node does not run (yet), or pods have the network of this machine
            await asyncio.sleep(START_INTERVAL.total_seconds())
            continue
        async with serving_from(application(context), listener):
            port = listener.getsockname()[1]
            await publish(context, port)
            await until_unreachable(pods_socket, port)


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


def application(context: GatewayContext) -> web.Application:
    async def answer(request: web.Request) -> web.StreamResponse:
        identity = await of_bearer(context, request.headers.get("Authorization", ""), TOKEN_PATH)
        if identity is None:
            return refusal()
        parts = request.match_info
        return await context.pipelines.answer(request, identity, parts["version"], parts["path"])

    app = web.Application()
    for prefix in PREFIXES:
        app.router.add_route("*", f"{prefix}/{{version:{'|'.join(VERSIONS)}}}/{{path:.*}}", answer)
    return app


def refusal() -> web.Response:
    message = "Send a bearer token, such as that of the pod's service account for pipelines.kubeflow.org"
    detail = {"@type": "type.googleapis.com/google.rpc.Status", "code": 16, "message": message}
    return web.json_response({"code": 16, "message": message, "details": [detail]}, status=401)


async def publish(context: GatewayContext, port: int) -> None:
    """Write the endpoint of the Service; the API server may still be starting."""
    while True:
        try:
            await context.client.apply(endpoint_slice(port), force=True)
        except ApiError as error:
            log.info("the endpoint of %s is not published yet, trying again error=%s", API_SERVICE, error)
            await asyncio.sleep(START_INTERVAL.total_seconds())
        else:
            return


def endpoint_slice(port: int) -> Object:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": ENDPOINT_SLICE,
            "namespace": SYSTEM_NAMESPACE,
            "labels": {SERVICE_NAME_LABEL: API_SERVICE},
        },
        "addressType": "IPv4",
        "endpoints": [{"addresses": [NODE_ADDRESS], "conditions": {"ready": True}}],
        "ports": [{"name": "http", "port": port, "protocol": "TCP"}],
    }
