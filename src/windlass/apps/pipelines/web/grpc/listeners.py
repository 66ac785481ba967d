"""The connections of gRPC clients at each address."""

from windlass.apps.pipelines.web.grpc.bearer import bearer_identity
from windlass.apps.pipelines.web.grpc.frames import MAX_MESSAGE, METADATA_SERVICE
from windlass.apps.pipelines.web.grpc.server import GrpcServer
from windlass.apps.pipelines.web.metadata.pod_callers import PodCaller, pod_caller
from windlass.apps.pipelines.web.service import PipelinesService
from windlass.apps.pipelines.wire.call import MAX_BODY
from windlass.apps.pipelines.wire.errors import Unimplemented
from windlass.apps.pipelines.wire.grpc.reflection import METHOD, REFLECTION, reflected
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Http2Request, Identity


def pipelines_server(context: GatewayContext) -> GrpcServer[Identity]:
    """The pipelines API. Messages may be as large as bodies over HTTP."""

    async def identify(request: Http2Request) -> Identity:
        return await bearer_identity(context, request)

    async def answer(identity: Identity, service: str, method: str, message: bytes) -> bytes:
        return await context.service(PipelinesService).answer_grpc(identity, service, method, message)

    dialogs = {f"/{service}/{METHOD}": reflected for service in REFLECTION}
    return GrpcServer(identify, answer, MAX_BODY, dialogs)


def metadata_server(context: GatewayContext) -> GrpcServer[PodCaller]:
    """The metadata store, to pods, which their token or their address identifies."""

    async def identify(request: Http2Request) -> PodCaller:
        return await pod_caller(context, request)

    async def answer(caller: PodCaller, service: str, method: str, message: bytes) -> bytes:
        if service != METADATA_SERVICE:
            raise Unimplemented(f"unknown service {service}: this address serves {METADATA_SERVICE}")
        return await context.service(PipelinesService).answer_metadata_call(
            method, message, caller.identity, caller.namespace
        )

    return GrpcServer(identify, answer, MAX_MESSAGE)
