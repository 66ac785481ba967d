"""Serves the pipelines API to the pods of a cluster, at a port of the gateway's own pod.

The Service `ml-pipeline.kubeflow` leads there. Requests are plain HTTP inside the cluster, with a bearer token each.
"""

import asyncio
import socket

from windlass.gateway.context import GatewayContext
from windlass.gateway.pipelines.pod_endpoints import pipelines_api
from windlass.kube.serving import serving_from

BACKLOG = 128


async def serve_cluster(context: GatewayContext) -> None:
    """Serve until the gateway stops; nothing if no port is set."""
    port = context.settings.pipelines.api_port
    if not port:
        await asyncio.Event().wait()
    has_both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if has_both else socket.AF_INET
    listener = socket.create_server(("", port), family=family, backlog=BACKLOG, dualstack_ipv6=has_both)
    listener.setblocking(False)
    async with serving_from(pipelines_api(context), listener):
        await asyncio.Event().wait()
