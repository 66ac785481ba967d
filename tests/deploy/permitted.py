"""A transport that refuses what the manager's account may not do on a cluster."""

from contextlib import AbstractAsyncContextManager

from windlass.apis.app import App
from windlass.deploy.manager_permissions import cluster_rules
from windlass.kube import errors
from windlass.kube.json import Object, encode
from windlass.kube.transport import Request, Response, Stream, Transport

Permission = tuple[str, str, str]
"""Verb, API group and resource."""


def permissions(*apps: App) -> set[Permission]:
    return permissions_of(cluster_rules(apps))


def permissions_of(rules: list[Object]) -> set[Permission]:
    return {
        (verb, group, resource)
        for rule in rules
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


class Permitted:
    """Passes requests on to another transport, with the permissions of a manager that runs these apps alone."""

    def __init__(self, transport: Transport, *apps: App) -> None:
        self._transport, self._permissions = transport, permissions(*apps)

    async def request(self, request: Request) -> Response:
        permission = needed(request)
        if permission is None or permission in self._permissions:
            return await self._transport.request(request)
        return Response(403, {"Content-Type": "application/json"}, encode(refusal(*permission).status()))

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]:
        permission = needed(request)
        if permission is not None and permission not in self._permissions:
            raise refusal(*permission)
        return self._transport.stream(request)

    async def close(self) -> None:
        await self._transport.close()


def refusal(verb: str, group: str, resource: str) -> errors.Forbidden:
    return errors.Forbidden(f"the manager may not {verb} {resource} in the API group {group!r}")


def needed(request: Request) -> Permission | None:
    """The permission that a request needs; None for discovery."""
    _, root, *parts = request.path.split("/")
    group, _, *parts = ("", *parts, "") if root == "api" else (*parts, "", "")
    parts = [part for part in parts if part]
    if parts[:1] == ["namespaces"] and len(parts) > 2:
        del parts[:2]
    if not parts:
        return None
    if request.as_user:
        return "impersonate", "", "serviceaccounts"
    plural, name, subresource = (*parts, "", "")[:3]
    is_watch = request.query.get("watch") in ("1", "true")
    verb = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}.get(
        request.method, "get" if name else "watch" if is_watch else "list"
    )
    return verb, group, f"{plural}/{subresource}" if subresource else plural
