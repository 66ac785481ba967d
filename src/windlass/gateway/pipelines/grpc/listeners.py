"""The connections of gRPC clients at each address."""

from windlass.gateway.context import GatewayContext
from windlass.gateway.pipelines.grpc.bearer import bearer_identity
from windlass.gateway.pipelines.grpc.frames import MAX_MESSAGE, METADATA_SERVICE
from windlass.gateway.pipelines.grpc.server import GrpcServer
from windlass.gateway.pipelines.metadata.pod_callers import PodCaller, pod_caller
from windlass.gateway.request import Http2Request, Identity
from windlass.pipelines.wire.call import MAX_BODY
from windlass.pipelines.wire.errors import Unimplemented
from windlass.pipelines.wire.grpc.reflection import METHOD, REFLECTION, reflected


def pipelines_server(context: GatewayContext) -> GrpcServer[Identity]:
    """The pipelines API. Messages may be as large as bodies over HTTP."""

    async def identify(request: Http2Request) -> Identity:
        return await bearer_identity(context, request)

    async def answer(identity: Identity, service: str, method: str, message: bytes) -> bytes:
        return await context.pipelines.answer_grpc(identity, service, method, message)

    dialogs = {f"/{service}/{METHOD}": reflected for service in REFLECTION}
    return GrpcServer(identify, answer, MAX_BODY, dialogs)


def metadata_server(context: GatewayContext) -> GrpcServer[PodCaller]:
    """The metadata store, to pods, which their token or their address identifies."""

    async def identify(request: Http2Request) -> PodCaller:
        return await pod_caller(context, request)

    async def answer(caller: PodCaller, service: str, method: str, message: bytes) -> bytes:
        if service != METADATA_SERVICE:
            raise Unimplemented(f"unknown service {service}: this address serves {METADATA_SERVICE}")
        return await context.pipelines.answer_metadata_call(method, message, caller.identity, caller.namespace)

    return GrpcServer(identify, answer, MAX_MESSAGE)
