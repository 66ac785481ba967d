"""Serves the pipelines API to the pods of a cluster, at a port of the gateway's own pod: REST and gRPC.

The Service `ml-pipeline.kubeflow` leads there. Requests are plain HTTP inside the cluster, with a bearer token each.
"""

import asyncio

from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.web.pod_endpoints import PIPELINES_ENDPOINT
from windlass.apps.pipelines.web.pod_listener import answering_http2
from windlass.gateway.context import GatewayContext
from windlass.kube.serving import serving_at


async def serve_cluster(context: GatewayContext) -> None:
    """Serve until the gateway stops; nothing if no port is set. Raises CannotListen."""
    port = context.settings.options_of(PipelineOptions).api_port
    if not port:
        await asyncio.Event().wait()
    with answering_http2(context, PIPELINES_ENDPOINT) as protocol:
        async with serving_at(PIPELINES_ENDPOINT.application(context), "", port, protocol=protocol):
            await asyncio.Event().wait()
