"""Pods of runs and their events, as upstream's UI server answers them: with the caller's own rights."""

from windlass.apis.core_v1 import Event, Pod
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, of_kubernetes
from windlass.apps.pipelines.wire.names import check_namespace
from windlass.kube.errors import ApiError
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.view import untyped

PODS, EVENTS = untyped(KINDS.of(Pod)), untyped(KINDS.of(Event))


async def get_pod(call: Call) -> Object:
    """`/k8s/pod?podname=…&podnamespace=…`."""
    name, namespace = await _pod_of(call)
    try:
        return await call.caller.client.get(PODS, name, namespace)
    except ApiError as error:
        raise of_kubernetes(error) from error


async def pod_events(call: Call) -> Object:
    """`/k8s/pod/events?podname=…&podnamespace=…`: an EventList."""
    name, namespace = await _pod_of(call)
    try:
        fields = f"involvedObject.name={name},involvedObject.kind=Pod"
        events = await call.caller.client.list(EVENTS, namespace, fields=fields)
    except ApiError as error:
        raise of_kubernetes(error) from error
    return {"apiVersion": "v1", "kind": "EventList", "metadata": {}, "items": list(events.items)}


async def _pod_of(call: Call) -> tuple[str, str]:
    name = call.query("podname")
    if not name or "," in name or "=" in name or "/" in name:
        raise InvalidArgument("podname: is required")
    return name, await call.namespace_or_own(check_namespace(call.query("podnamespace")), "A pod")
