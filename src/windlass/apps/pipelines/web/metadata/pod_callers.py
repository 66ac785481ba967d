"""Who a pod is that sends no token: the client of ML Metadata cannot send any.

The address of a connection says which pod it is from: the node gives each pod an address of its own, and drops packets
with another source (`rp_filter`). A pod that is known by its address reads the runs of its own namespace, if its
service account may.
"""

from typing import Any, NamedTuple

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.web.grpc.bearer import bearer_identity
from windlass.apps.pipelines.wire.errors import Unauthenticated, of_kubernetes
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Asked, Identity
from windlass.kube.errors import ApiError

ENDED = ("Succeeded", "Failed")


class PodCaller(NamedTuple):
    identity: Identity
    namespace: str
    """The only one that it may read; empty if its rights decide."""


async def pod_caller(context: GatewayContext, request: Asked) -> PodCaller:
    """The caller of a request from the pods' network. Raises Unauthenticated and Unavailable."""
    if request.headers.get("Authorization"):
        return PodCaller(await bearer_identity(context, request), "")
    peer: Any = request.transport.get_extra_info("peername") if request.transport is not None else None
    return await _of_address(context, str(peer[0]) if peer else "")


async def _of_address(context: GatewayContext, address: str) -> PodCaller:
    try:
        pods = (await context.client.list(Pod, fields=f"status.podIP={address}")).items if address else []
    except ApiError as error:
        raise of_kubernetes(error) from error
    running = [pod for pod in pods if pod.status.phase not in ENDED and not pod.spec.host_network]
    if len(running) != 1:
        raise Unauthenticated("Send a bearer token: the address of the connection is not that of one running pod")
    (pod,) = running
    namespace, account = pod.metadata.namespace, pod.spec.service_account_name or "default"
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    identity = Identity(f"system:serviceaccount:{namespace}:{account}", groups, "service-account")
    return PodCaller(identity, namespace)
