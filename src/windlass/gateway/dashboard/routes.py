"""`/api`: what the dashboard's pages ask for. Every answer is limited to what the caller may know."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass import __version__
from windlass.apis.core_v1 import Event, Namespace
from windlass.apps.profiles.names import DELETED_AT, suggested_name
from windlass.apps.profiles.web import directory
from windlass.apps.profiles.web.memberships import MEMBERS, is_in_bin, is_owner, strongest_roles
from windlass.apps.profiles.web.new_profiles import profile_for
from windlass.apps.profiles.web.routes import json_object
from windlass.gateway.access.administrators import is_cluster_admin
from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard import menu
from windlass.gateway.request import IDENTITY, Identity
from windlass.gateway.webapps.answers import code_of
from windlass.gateway.webapps.inputs import namespace_of, text_field
from windlass.gateway.webapps.namespaces import visible_namespaces
from windlass.kube.errors import ApiError, BadRequest, Forbidden, InternalError
from windlass.kube.json import encode
from windlass.kube.kind import KINDS

Answer: TypeAlias = Callable[[web.Request], Awaitable[object]]
CREDENTIALS = frozenset({"authorization", "cookie", "x-xsrf-token"})
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def routes(context: GatewayContext) -> list[web.RouteDef]:
    dashboard = _Dashboard(context)
    group = "/api/workgroup"
    return [
        web.get("/debug", answering(dashboard.debug)),
        web.get("/api/namespaces", answering(dashboard.namespaces)),
        web.get("/api/activities/{namespace}", answering(dashboard.activities)),
        web.get("/api/dashboard-links", answering(dashboard.links)),
        web.get("/api/dashboard-settings", answering(dashboard.settings)),
        web.get(f"{group}/exists", answering(dashboard.exists)),
        web.post(f"{group}/create", answering(dashboard.create)),
        web.get(f"{group}/env-info", answering(dashboard.env_info)),
        web.get(f"{group}/get-all-namespaces", answering(dashboard.all_namespaces)),
        web.get(f"{group}/get-contributors/{{namespace}}", answering(dashboard.contributors)),
        web.post(f"{group}/add-contributor/{{namespace}}", answering(dashboard.add_contributor)),
        web.delete(f"{group}/remove-contributor/{{namespace}}", answering(dashboard.remove_contributor)),
        web.delete(f"{group}/nuke-self", answering(dashboard.delete_profile)),
        web.get(f"{group}/recycle-bin", answering(dashboard.recycle_bin)),
        web.post(f"{group}/restore", answering(dashboard.restore)),
        web.route("*", "/api/{path:.*}", not_found),
    ]


def answering(handler: Answer) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return _json(await handler(request), 200)
        except InternalError as error:
            return _json({"error": error.message}, 500)
        except ApiError as error:
            return _json({"error": error.message}, code_of(error))

    return answer


async def not_found(request: web.Request) -> web.StreamResponse:
    return _json({"error": f"Could not find the route you're looking for: {request.path}"}, 404)


def _json(value: object, code: int) -> web.Response:
    return web.Response(body=encode(value), status=code, content_type="application/json", headers=HEADERS)


class _Dashboard:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    async def debug(self, request: web.Request) -> object:
        """How a request arrives, for administrators who look into a proxy in front; without credentials."""
        identity = request[IDENTITY]
        if not await is_cluster_admin(self._context, identity):
            raise Forbidden("only a cluster administrator may see this")
        shown = {name: value for name, value in request.headers.items() if name.lower() not in CREDENTIALS}
        return {
            "user": {"email": identity.user, "groups": identity.groups, "hasAuth": True},
            "queryParams": dict(request.query),
            "headers": shown,
        }

    async def namespaces(self, request: web.Request) -> object:
        names = {*await visible_namespaces(self._context, request[IDENTITY], "", "namespaces")}
        found = await self._context.client.list(KINDS.of(Namespace))
        return [namespace for namespace in found.items if namespace["metadata"]["name"] in names]

    async def activities(self, request: web.Request) -> object:
        client = self._context.client_of(request[IDENTITY])
        return (await client.list(KINDS.of(Event), namespace_of(request))).items

    async def links(self, request: web.Request) -> object:
        return await menu.links(self._context.client)

    async def settings(self, request: web.Request) -> object:
        return await menu.settings(self._context.client)

    async def exists(self, request: web.Request) -> object:
        identity = request[IDENTITY]
        profiles = await directory.all_profiles(self._context)
        return {
            "user": identity.user,
            "hasAuth": True,
            "hasWorkgroup": any(is_owner(profile, identity) and not is_in_bin(profile) for profile in profiles),
            "registrationFlowAllowed": self._context.settings.registration_flow,
        }

    async def create(self, request: web.Request) -> object:
        """The profile of the caller; an administrator may name another user."""
        identity, body = request[IDENTITY], await json_object(request)
        user = identity.user
        if body.get("user") and await is_cluster_admin(self._context, identity):
            user = text_field(body, "user")
        name = text_field(body, "namespace") if body.get("namespace") else suggested_name(user)
        await directory.create_profile(self._context, identity, profile_for(name, user))
        return {"message": f"Created namespace {name}"}

    async def env_info(self, request: web.Request) -> object:
        identity = request[IDENTITY]
        found = await directory.all_memberships(self._context)
        roles = strongest_roles(one for one in found if one.concerns(identity))
        return {
            "user": identity.user,
            "platform": {
                "provider": "windlass",
                "providerName": "windlass",
                "kubeflowVersion": __version__,
                "logoutUrl": "/oauth2/sign_out",
            },
            "namespaces": [
                {"user": identity.user, "namespace": namespace, "role": MEMBERS[role]}
                for namespace, role in roles.items()
            ],
            "isClusterAdmin": await is_cluster_admin(self._context, identity),
            "hasMachineView": identity.has_machine_view,
        }

    async def all_namespaces(self, request: web.Request) -> object:
        if not await is_cluster_admin(self._context, request[IDENTITY]):
            raise Forbidden("only a cluster administrator may see all namespaces")
        rows: dict[str, tuple[list[str], list[str]]] = {}
        for one in await directory.all_memberships(self._context):
            owners, others = rows.setdefault(one.namespace, ([], []))
            (owners if one.is_ownership else others).append(one.user)
        return [[name, ", ".join(owners), ", ".join(others)] for name, (owners, others) in sorted(rows.items())]

    async def contributors(self, request: web.Request) -> object:
        return await self._contributors(request[IDENTITY], namespace_of(request), request.query.get("role", "edit"))

    async def _contributors(self, identity: Identity, namespace: str, role: str) -> list[str]:
        await directory.owned_profile(self._context, identity, namespace)
        found = await directory.all_memberships(self._context)
        return [one.user for one in found if one.namespace == namespace and one.role == role and not one.is_ownership]

    async def add_contributor(self, request: web.Request) -> object:
        """Share the namespace; a contributor who has another role gets the new one instead."""
        identity, namespace = request[IDENTITY], namespace_of(request)
        kind, user, role = await self._contributor(request)
        others = [
            (one.kind, one.user, one.role)
            for one in await directory.all_memberships(self._context)
            if (one.namespace, one.kind, one.user) == (namespace, kind, user) and not one.is_ownership
        ]
        await directory.add(self._context, identity, namespace, (kind, user, role))
        for other in others:
            await directory.remove(self._context, identity, namespace, other)
        return await self._contributors(identity, namespace, role)

    async def remove_contributor(self, request: web.Request) -> object:
        identity, namespace = request[IDENTITY], namespace_of(request)
        who = await self._contributor(request)
        await directory.remove(self._context, identity, namespace, who)
        return await self._contributors(identity, namespace, who[2])

    async def _contributor(self, request: web.Request) -> tuple[str, str, str]:
        body = await json_object(request)
        role, kind = str(body.get("role") or "edit"), str(body.get("kind") or "User")
        return directory.checked(kind, text_field(body, "contributor"), role)

    async def delete_profile(self, request: web.Request) -> object:
        """Put an own profile in the recycle bin; its name is typed twice."""
        body = await json_object(request)
        name = text_field(body, "namespace")
        if text_field(body, "confirm") != name:
            raise BadRequest("confirm: type the name of the namespace to delete it")
        await directory.delete_profile(self._context, request[IDENTITY], name)
        return {"message": f"Removed namespace/profile {name}"}

    async def recycle_bin(self, request: web.Request) -> object:
        """The caller's profiles that can be restored."""
        identity = request[IDENTITY]
        is_admin = await is_cluster_admin(self._context, identity)
        return [
            {"namespace": profile.metadata.name, "deletedAt": profile.metadata.annotations[DELETED_AT]}
            for profile in await directory.all_profiles(self._context)
            if is_in_bin(profile) and (is_admin or is_owner(profile, identity))
        ]

    async def restore(self, request: web.Request) -> object:
        name = text_field(await json_object(request), "namespace")
        await directory.restore_profile(self._context, request[IDENTITY], name)
        return {"message": f"Restored namespace/profile {name}"}
