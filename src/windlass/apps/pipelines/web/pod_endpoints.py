"""The endpoints for pods: the pipelines API, `ml-pipeline.kubeflow:8888` and by gRPC `:8887`, S3,
`minio-service.kubeflow:9000`, and the metadata store, `metadata-grpc-service.kubeflow:8080`."""

import asyncio
from collections.abc import Callable

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, generate_latest

from windlass.apps.pipelines.pod_services import METADATA_STORE, OBJECT_STORE, PIPELINES_API
from windlass.apps.pipelines.web.pod_listener import Http2Listener, PodEndpoint
from windlass.apps.pipelines.web.refusals import unauthenticated
from windlass.apps.pipelines.web.routes import METADATA_METHOD, PREFIXES, VERSIONS
from windlass.apps.pipelines.web.service import PipelinesService
from windlass.gateway.context import GatewayContext
from windlass.gateway.login.authentication import of_bearer
from windlass.kube.broken_answers import end_broken_answers

TOKEN_PATH = "/pipeline/"
"""The path for which tokens with the audience of pipelines are accepted."""
NO_TOKEN = "Send a bearer token, such as that of the pod's service account for pipelines.kubeflow.org"


def pipelines_api(context: GatewayContext) -> web.Application:
    """Serve the pipelines API. Pods prove who they are by a bearer token of their service account; headers with
    identities and cookies count nothing here."""

    registry = CollectorRegistry()
    requests = Counter("ml_pipeline_requests", "Requests of the pipelines API.", ("version", "code"), registry=registry)

    async def answer(request: web.Request) -> web.StreamResponse:
        response = await answer_known(request)
        requests.labels(request.match_info["version"], str(response.status)).inc()
        return response

    async def answer_known(request: web.Request) -> web.StreamResponse:
        identity = await of_bearer(context, request.headers.get("Authorization", ""), TOKEN_PATH)
        if identity is None:
            return unauthenticated(NO_TOKEN)
        parts = request.match_info
        return await context.service(PipelinesService).answer(request, identity, parts["version"], parts["path"])

    async def metrics(request: web.Request) -> web.Response:
        del request
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application(middlewares=[end_broken_answers])
    app.router.add_get("/metrics", metrics)
    for prefix in PREFIXES:
        app.router.add_route("*", f"{prefix}/{{version:{'|'.join(VERSIONS)}}}/{{path:.*}}", answer)
    return app


def object_store(context: GatewayContext) -> web.Application:
    """Serve S3. Requests are signed with the keys of a namespace; nothing else says who sends them."""

    @web.middleware
    async def answer(request: web.Request, handler: object) -> web.StreamResponse:
        return await context.service(PipelinesService).answer_s3(request)

    # A middleware sees every path as it was sent, which signatures are made of.
    return web.Application(middlewares=[end_broken_answers, answer])


def metadata_store(context: GatewayContext) -> web.Application:
    """Serve the metadata store to clients of HTTP/1.1, which speak gRPC-web."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return await context.service(PipelinesService).answer_metadata_to_pod(request)

    app = web.Application()
    app.router.add_post(f"/{METADATA_METHOD}", answer)
    return app


class GrpcConnections:
    """The connections of gRPC clients. What answers them is made, and the library of HTTP/2 loaded, for the first."""

    def __init__(self, make: Callable[[], Http2Listener]) -> None:
        self._make = make
        self._server: Http2Listener | None = None

    def connection(self) -> asyncio.Protocol:
        if self._server is None:
            self._server = self._make()
        return self._server.connection()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()


def pipelines_grpc(context: GatewayContext) -> Http2Listener:
    def make() -> Http2Listener:
        from windlass.apps.pipelines.web.grpc.listeners import pipelines_server

        return pipelines_server(context)

    return GrpcConnections(make)


def metadata_grpc(context: GatewayContext) -> Http2Listener:
    def make() -> Http2Listener:
        from windlass.apps.pipelines.web.grpc.listeners import metadata_server

        return metadata_server(context)

    return GrpcConnections(make)


PIPELINES_ENDPOINT = PodEndpoint(PIPELINES_API, pipelines_api, http2=pipelines_grpc)
ENDPOINTS = (
    PIPELINES_ENDPOINT,
    PodEndpoint(OBJECT_STORE, object_store, decompress=False),
    PodEndpoint(METADATA_STORE, metadata_store, decompress=False, http2=metadata_grpc),
)
