"""Where the pipelines API is: below /pipeline, as in Kubeflow, and at the root, for clients that are given the host."""

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.apps.pipelines.web.service import PipelinesService
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import IDENTITY

VERSIONS = ("v2beta1", "v1beta1", "v1alpha1")
PREFIXES = ("/pipeline/apis", "/pipeline//apis", "/apis", "//apis")
"""With two slashes for clients that were given a host that ends in one."""

UI_PATHS = ("artifacts/.*", "k8s/pod", "k8s/pod/logs", "k8s/pod/events", "visualizations/allowed", "apps/tensorboard")
"""Those of upstream's UI server, below /pipeline."""

METADATA_METHOD = "ml_metadata.MetadataStoreService/{method}"
"""A method of the metadata store, which upstream's pages ask by gRPC-web."""


def routes(context: GatewayContext) -> list[web.RouteDef]:
    api = [
        web.route("*", f"{prefix}/{version}/{{path:.*}}", answering(context, version))
        for prefix in PREFIXES
        for version in VERSIONS
    ]
    metadata = [web.post(f"{root}/{METADATA_METHOD}", answering_metadata(context)) for root in ("/pipeline", "")]
    return [*api, *metadata, web.route("*", f"/pipeline/{{path:({'|'.join(UI_PATHS)})}}", answering(context, "ui"))]


def answering(context: GatewayContext, group: str) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await context.service(PipelinesService).answer(
            request, request[IDENTITY], group, request.match_info["path"]
        )

    return answer


def answering_metadata(context: GatewayContext) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await context.service(PipelinesService).answer_metadata(request, request[IDENTITY])

    return answer


async def run_pipelines(context: GatewayContext) -> None:
    """Serve pods until the gateway stops, and close the database then."""
    from windlass.apps.pipelines.web.cluster_listener import serve_cluster
    from windlass.apps.pipelines.web.pod_endpoints import ENDPOINTS
    from windlass.apps.pipelines.web.pod_listener import serve_pods

    pods_socket = context.settings.pods_socket
    try:
        if pods_socket is None:
            await serve_cluster(context)
        else:
            async with asyncio.TaskGroup() as tasks:
                for endpoint in ENDPOINTS:
                    tasks.create_task(serve_pods(context, pods_socket, endpoint))
    finally:
        await context.service(PipelinesService).close()
