"""Kubeflow's access management API, `/kfam/v1`: bindings and profiles, as plain text errors with upstream's codes."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.apps.profiles.web import directory
from windlass.apps.profiles.web.memberships import is_owner
from windlass.apps.profiles.web.new_profiles import profile_of
from windlass.gateway.access.administrators import is_cluster_admin
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import IDENTITY
from windlass.gateway.webapps.answers import code_of
from windlass.kube.errors import ApiError, BadRequest, Forbidden
from windlass.kube.json import BadJson, Object, dig, encode, is_object, parse

Answer: TypeAlias = Callable[[web.Request], Awaitable[object | None]]
"""The JSON value of the answer; None for an empty body."""


def routes(context: GatewayContext) -> list[web.RouteDef]:
    kfam = _Kfam(context)
    return [
        web.get("/kfam/", answering(kfam.index)),
        web.get("/kfam/v1/bindings", answering(kfam.list_bindings)),
        web.post("/kfam/v1/bindings", answering(kfam.create_binding)),
        web.delete("/kfam/v1/bindings", answering(kfam.delete_binding)),
        web.post("/kfam/v1/profiles", answering(kfam.create_profile)),
        web.delete("/kfam/v1/profiles/{name}", answering(kfam.delete_profile, forbidden=401)),
        web.post("/kfam/v1/profiles/{name}/restore", answering(kfam.restore_profile)),
        web.get("/kfam/v1/role/clusteradmin", answering(kfam.cluster_admin)),
        web.route("*", "/kfam/{path:.*}", not_found),
    ]


def answering(handler: Answer, forbidden: int = 403) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            value = await handler(request)
        except Forbidden as error:
            return web.Response(status=forbidden, text=f"{error.message}\n")
        except ApiError as error:
            return web.Response(status=code_of(error), text=f"{error.message}\n")
        body = b"" if value is None else encode(value)
        return web.Response(body=body, content_type="application/json", headers={"Cache-Control": "no-store"})

    return answer


async def not_found(request: web.Request) -> web.StreamResponse:
    return web.Response(status=404, text="404 page not found\n")


async def json_object(request: web.Request) -> Object:
    try:
        body = parse(await request.read())
    except BadJson as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    if not is_object(body):
        raise BadRequest("the body must be a JSON object")
    return body


class _Kfam:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    async def index(self, request: web.Request) -> object:
        return {"service": "kfam"}

    async def list_bindings(self, request: web.Request) -> object:
        """The caller's own bindings, and those of namespaces that they own; all for a cluster administrator."""
        context, identity = self._context, request[IDENTITY]
        found = await directory.all_memberships(context)
        if not await is_cluster_admin(context, identity):
            profiles = await directory.all_profiles(context)
            owned = {profile.metadata.name for profile in profiles if is_owner(profile, identity)}
            found = [one for one in found if one.concerns(identity) or one.namespace in owned]
        for field, attribute in (("user", "user"), ("namespace", "namespace"), ("role", "role")):
            if wanted := request.query.get(field):
                found = [one for one in found if getattr(one, attribute) == wanted]
        return {"bindings": [one.shown() for one in found]}

    async def create_binding(self, request: web.Request) -> None:
        namespace, who = _binding(await json_object(request))
        await directory.add(self._context, request[IDENTITY], namespace, who)

    async def delete_binding(self, request: web.Request) -> None:
        namespace, who = _binding(await json_object(request))
        await directory.remove(self._context, request[IDENTITY], namespace, who)

    async def create_profile(self, request: web.Request) -> None:
        """Register; a cluster administrator may also set the quota, plugins, labels, annotations and any owner."""
        profile = profile_of(await json_object(request))
        await directory.create_profile(self._context, request[IDENTITY], profile)

    async def delete_profile(self, request: web.Request) -> None:
        await directory.delete_profile(self._context, request[IDENTITY], request.match_info["name"])

    async def restore_profile(self, request: web.Request) -> None:
        await directory.restore_profile(self._context, request[IDENTITY], request.match_info["name"])

    async def cluster_admin(self, request: web.Request) -> object:
        """Whether the caller is a cluster administrator; about others it says nothing, and nobody is none."""
        identity = request[IDENTITY]
        if request.query.get("user") == "":
            return False
        if request.query.get("user", identity.user) != identity.user:
            raise Forbidden("this answers only about yourself")
        return await is_cluster_admin(self._context, identity)


def _binding(body: Object) -> tuple[str, tuple[str, str, str]]:
    namespace = body.get("referredNamespace")
    kind, user, role = dig(body, "user", "kind"), dig(body, "user", "name"), dig(body, "RoleRef", "name")
    if not isinstance(namespace, str) or not namespace or not isinstance(user, str) or not isinstance(role, str):
        raise BadRequest("user {kind, name}, referredNamespace and RoleRef {name} are required")
    return namespace, directory.checked(str(kind or "User"), user, role)
