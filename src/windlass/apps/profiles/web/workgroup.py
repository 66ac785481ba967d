"""`/api/workgroup`: the dashboard's routes about profiles. Every answer is limited to what the caller may know."""

from aiohttp import web

from windlass import __version__
from windlass.apps.profiles.names import DELETED_AT, suggested_name
from windlass.apps.profiles.web import directory
from windlass.apps.profiles.web.memberships import MEMBERS, is_in_bin, is_owner, strongest_roles
from windlass.apps.profiles.web.new_profiles import profile_for
from windlass.apps.profiles.web.routes import json_object
from windlass.gateway.access.administrators import is_cluster_admin
from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard.answers import answering
from windlass.gateway.request import IDENTITY, Identity
from windlass.gateway.webapps.inputs import namespace_of, text_field
from windlass.kube.errors import BadRequest, Forbidden

GROUP = "/api/workgroup"


def routes(context: GatewayContext) -> list[web.RouteDef]:
    workgroup = _Workgroup(context)
    return [
        web.get(f"{GROUP}/exists", answering(workgroup.exists)),
        web.post(f"{GROUP}/create", answering(workgroup.create)),
        web.get(f"{GROUP}/env-info", answering(workgroup.env_info)),
        web.get(f"{GROUP}/get-all-namespaces", answering(workgroup.all_namespaces)),
        web.get(f"{GROUP}/get-contributors/{{namespace}}", answering(workgroup.contributors)),
        web.post(f"{GROUP}/add-contributor/{{namespace}}", answering(workgroup.add_contributor)),
        web.delete(f"{GROUP}/remove-contributor/{{namespace}}", answering(workgroup.remove_contributor)),
        web.delete(f"{GROUP}/nuke-self", answering(workgroup.delete_profile)),
        web.get(f"{GROUP}/recycle-bin", answering(workgroup.recycle_bin)),
        web.post(f"{GROUP}/restore", answering(workgroup.restore)),
    ]


class _Workgroup:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

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
