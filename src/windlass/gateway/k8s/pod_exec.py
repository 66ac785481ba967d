"""Run a command in a pod with the rights of the signed-in user: a WebSocket to the API server, byte for byte.

The connection ends when the right to it is withdrawn, as with every tunnel of the gateway.
"""

from aiohttp import web

from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.k8s.targets import WEBSOCKET, exec_headers
from windlass.gateway.login.address import client_address
from windlass.gateway.proxy.tunnel import Tunnel, tunnel
from windlass.gateway.proxy.upstream import BackendFailed, Upstream
from windlass.gateway.request import IDENTITY
from windlass.kube.errors import Forbidden, ServiceUnavailable
from windlass.kube.meta import Key
from windlass.kube.transport import Request


async def run_in_pod(context: GatewayContext, request: web.Request, path: str, pod: Key) -> web.StreamResponse:
    """Last as long as the command does. `path` is that of the API server, with its query. Raises ApiError.

    The right is `create` of `pods/exec`, as for the older way of a POST: a GET alone would need only `get`, which
    many roles give for all resources.
    """
    identity = request[IDENTITY].without_machine_view
    access = Access("create", "", "pods", pod.namespace, pod.name, "exec")
    facts = {"user": identity.user, "address": client_address(request), "namespace": pod.namespace, "pod": pod.name}
    if not await context.proxy.reviews.allows(identity, access):
        context.audit.record("exec.refused", **facts)
        raise Forbidden(f"{identity.user} may not {access}")
    asked = Request("GET", path, accept="*/*", more_headers=exec_headers(request.headers))
    upstream, head = await context.client_of(identity).dial(asked, WEBSOCKET, Upstream)
    tunnels = context.proxy.tunnels

    def opened(link: Tunnel) -> None:
        context.audit.record("exec", **facts)
        tunnels.add(link, identity, access)
        link.closed.add_done_callback(lambda _: tunnels.remove(link))

    try:
        answer = await tunnel(request, upstream, head, opened)
    except BackendFailed as error:
        raise ServiceUnavailable(f"the API server does not answer: {error}") from error
    if answer.status == 401:
        raise ServiceUnavailable("the API server does not know the gateway; its log has the details")
    return answer
