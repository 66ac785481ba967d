"""Where the API of Argo Server is: below /argo, and at the root, as Hera drops a path without a slash at its end."""

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.gateway.context import GatewayContext
from windlass.kube.errors import ApiError
from windlass.kube.json import encode

PREFIXES = ("/argo/api/v1", "/api/v1")
CONTENT_PREFIX = "/argo"
NO_STORE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def routes(context: GatewayContext) -> list[web.RouteDef]:
    paths = [(method, f"{prefix}{path}", name) for prefix in PREFIXES for method, path, name in PATHS]
    paths += [("GET", f"{CONTENT_PREFIX}{path}", "artifact") for path in CONTENT_PATHS]
    return [web.route(method, path, answering(context, name)) for method, path, name in paths]


def _collection(name: str, place: str) -> list[tuple[str, str, str]]:
    whole = f"/{name}{place}"
    return [
        ("GET", whole, "list_all"),
        ("POST", whole, "create"),
        ("POST", f"{whole}/lint", "lint"),
        ("GET", f"{whole}/{{name}}", "get"),
        ("PUT", f"{whole}/{{name}}", "update"),
        ("DELETE", f"{whole}/{{name}}", "delete"),
    ]


PATHS: tuple[tuple[str, str, str], ...] = (
    ("GET", "/info", "info"),
    ("GET", "/version", "version"),
    ("GET", "/userinfo", "user_info"),
    ("POST", "/workflows/{namespace}/submit", "submit"),
    *_collection("workflows", "/{namespace:[^/]*}"),
    ("GET", "/workflows/{namespace}/{name}/log", "log"),
    ("GET", "/workflows/{namespace}/{name}/{pod}/log", "log"),
    ("PUT", "/workflows/{namespace}/{name}/resubmit", "resubmit"),
    ("PUT", "/workflows/{namespace}/{name}/{verb}", "change"),
    ("GET", "/workflow-events/{namespace:[^/]*}", "watch"),
    *_collection("workflow-templates", "/{namespace:[^/]*}"),
    *_collection("cluster-workflow-templates", ""),
    *_collection("cron-workflows", "/{namespace:[^/]*}"),
    ("PUT", "/cron-workflows/{namespace}/{name}/{verb}", "change_cron"),
)
"""Method, path, and the method of ArgoCall that answers."""


CONTENT_PATHS = (
    "/artifacts/{namespace}/{name}/{node}/{artifact}",
    "/input-artifacts/{namespace}/{name}/{node}/{artifact}",
    "/artifact-files/{namespace}/workflows/{name}/{node}/{side}/{artifact}",
)
"""Where the content of artifacts is."""


def answering(context: GatewayContext, name: str) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        from windlass.apps.pipelines.web.argo.answers import failure, http_code
        from windlass.apps.pipelines.web.argo.service import ArgoCall

        try:
            made = await getattr(ArgoCall(context, request), name)()
        except ApiError as error:
            return web.Response(
                body=encode(failure(error)), status=http_code(error), content_type="application/json", headers=NO_STORE
            )
        if isinstance(made, web.StreamResponse):
            return made
        return web.Response(body=encode(made), content_type="application/json", headers=NO_STORE)

    return answer
