"""Calls about the server itself: health, access, and what other parts of Kubeflow report."""

from aiohttp import web

from windlass.apis.wellknown import KUBEFLOW_GROUP, PIPELINES_GROUP
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, PermissionDenied, Unimplemented
from windlass.apps.pipelines.wire.names import check_namespace
from windlass.kube.json import Object

VIEWERS = {"VIEWERS": (KUBEFLOW_GROUP, "viewers"), "1": (KUBEFLOW_GROUP, "viewers")}
VERBS = {"CREATE": "create", "1": "create", "GET": "get", "2": "get", "DELETE": "delete", "3": "delete"}


async def health(call: Call) -> Object:
    return {
        "commit_sha": "unknown",
        "tag_name": call.services.version,
        "multi_user": True,
        "pipeline_store": "database",
    }


async def authorize(call: Call) -> Object:
    """Whether the caller may use viewers, such as TensorBoards, of a namespace."""
    resource = VIEWERS.get(call.query("resources").upper())
    verb = VERBS.get(call.query("verb").upper())
    namespace = check_namespace(call.query("namespace"))
    if resource is None or verb is None or not namespace:
        raise InvalidArgument("namespace, resources=VIEWERS and verb=CREATE, GET or DELETE are required")
    if not await call.caller.allows(verb, *resource, namespace):
        raise PermissionDenied(f"User {call.caller.user!r} may not {verb} viewers in namespace {namespace!r}")
    return {}


async def create_visualization(call: Call) -> Object:
    namespace = check_namespace(call.part("namespace"))
    if not await call.caller.allows("create", PIPELINES_GROUP, "visualizations", namespace):
        raise PermissionDenied(f"User {call.caller.user!r} may not create visualizations in {namespace!r}")
    raise Unimplemented("Visualizations that run Python code on the server are not supported")


async def report(call: Call) -> Object:
    """Upstream's controllers report Workflows here. Those of Windlass write to the database themselves."""
    raise Unimplemented("Workflows are not reported over HTTP: the manager records them")


async def visualizations_allowed(call: Call) -> web.Response:
    """`/visualizations/allowed` of the UI server: the server runs no visualisations of users."""
    del call
    return web.json_response(False)
