"""A gRPC server behind a route of the running platform."""

from collections.abc import Iterator
from concurrent import futures
from dataclasses import dataclass, field
from threading import Event

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from tests.gateway.platform import Platform
from tests.gateway.proxy.test_routes_live import own_address

SERVICE = "windlass.test.Echo"


@dataclass
class Seen:
    """The metadata that the server received from its callers."""

    metadata: list[dict[str, str]] = field(default_factory=list)
    was_cancelled: Event = field(default_factory=Event)


class Echo(grpc.GenericRpcHandler):
    """Methods over plain bytes, so that nothing has to be generated."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        details = handler_call_details
        name = details.method.rpartition("/")[2]
        self._seen.metadata.append({key: str(value) for key, value in details.invocation_metadata or ()})
        if name == "Unary":
            return grpc.unary_unary_rpc_method_handler(self._unary)
        if name == "Bidi":
            return grpc.stream_stream_rpc_method_handler(self._bidi)
        if name == "Many":
            return grpc.unary_stream_rpc_method_handler(self._many)
        return None

    def _unary(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        context.set_trailing_metadata((("x-trailer", "at the end"),))
        if request == b"fail":
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "as asked: é")
        return b"echo " + request

    def _bidi(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        for request in requests:
            yield b"echo " + request

    def _many(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        context.add_callback(self._seen.was_cancelled.set)
        for number in range(int(request)):
            yield number.to_bytes(4) + bytes(32 << 10)


@pytest.fixture(scope="module")
def seen() -> Seen:
    return Seen()


@pytest.fixture(scope="module")
def grpc_server(seen: Seen) -> Iterator[tuple[str, int]]:
    server = grpc.server(futures.ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((Echo(seen),))
    checks = health.HealthServicer()
    checks.set("", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    address = own_address()
    port = server.add_insecure_port(f"{address}:0")
    server.start()
    yield address, port
    server.stop(0)


@pytest.fixture(scope="module")
def grpc_routes(platform: Platform, grpc_server: tuple[str, int]) -> None:
    """Routes to the server: of the platform's namespace for two services, and of a notebook `rpc`."""
    for namespace, prefixes in (
        ("kubeflow", [f"/{SERVICE}/", "/grpc.health.v1.Health/"]),
        (NAMESPACE, [f"/notebook/{NAMESPACE}/rpc/"]),
    ):
        if namespace == NAMESPACE:
            platform.api.create("/api/v1/namespaces", {"kind": "Namespace", "metadata": {"name": namespace}})
        path, route = route_object(namespace, prefixes)
        platform.api.create(path, route)  # before the notebook's own: of equal routes the older one counts
        owners = [a_notebook(platform)] if namespace == NAMESPACE else []
        for path, obj in service_objects(namespace, owners, *grpc_server):
            platform.api.create(path, obj)


def a_notebook(platform: Platform) -> dict[str, object]:
    """The stopped notebook `rpc`, as the owner of another Service than its own."""
    metadata = {"name": "rpc", "annotations": {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"}}
    spec = {"template": {"spec": {"containers": [{"name": "rpc", "image": "x"}]}}}
    path = f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/notebooks"
    made = platform.api.create(path, {"kind": "Notebook", "metadata": metadata, "spec": spec})
    uid = made["metadata"]["uid"]
    return {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "name": "rpc", "uid": uid, "controller": True}


NAMESPACE = "called"


def service_objects(
    namespace: str, owners: list[dict[str, object]], address: str, port: int
) -> list[tuple[str, dict[str, object]]]:
    metadata = {"name": "a-rpc", "namespace": namespace, "ownerReferences": owners}
    service = {"ports": [{"name": "rpc", "port": 9000, "appProtocol": "kubernetes.io/h2c"}]}
    slices = {
        "metadata": {"name": "rpc-1", "namespace": namespace, "labels": {"kubernetes.io/service-name": "a-rpc"}},
        "addressType": "IPv4",
        "ports": [{"name": "rpc", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
    }
    below, discovery = f"namespaces/{namespace}", "discovery.k8s.io/v1"
    return [
        (f"/api/v1/{below}/services", {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": service}),
        (f"/apis/{discovery}/{below}/endpointslices", {"apiVersion": discovery, "kind": "EndpointSlice", **slices}),
    ]


def route_object(namespace: str, prefixes: list[str]) -> tuple[str, dict[str, object]]:
    destination = {"host": f"a-rpc.{namespace}.svc.cluster.local", "port": {"number": 9000}}
    http = {
        "match": [{"uri": {"prefix": prefix}} for prefix in prefixes],
        "route": [{"destination": destination}],
        **({"rewrite": {"uri": "/"}} if namespace == NAMESPACE else {}),
    }
    routes = {"hosts": ["*"], "gateways": ["kubeflow/kubeflow-gateway"], "http": [http]}
    istio = "networking.istio.io/v1alpha3"
    return (
        f"/apis/{istio}/namespaces/{namespace}/virtualservices",
        {"apiVersion": istio, "kind": "VirtualService", "metadata": {"name": "a-rpc"}, "spec": routes},
    )
