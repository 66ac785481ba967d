"""The facts of a data dir, as far as they can be had: a part that does not answer is a fact too."""

import asyncio
import http.client
import shutil
import ssl
import time
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from windlass.apps import tenants
from windlass.cli import screen
from windlass.cli.doctor.findings import ConnectorFacts, Facts, NodeFacts, ProfileFacts, UserFacts
from windlass.cli.failure import Failure
from windlass.cli.settings import Settings, data_dir_at
from windlass.kube.kind import KINDS
from windlass.supervisor import run_state
from windlass.supervisor.credentials import admin_token
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError
from windlass.supervisor.local_api import Api
from windlass.supervisor.ports import WILDCARD_ADDRESSES

if TYPE_CHECKING:
    from windlass.gateway.identity.connectors.connector import Connector
    from windlass.gateway.request import Identity

T = TypeVar("T")

SECONDS = 5.0
"""How long a part may take to answer."""


@dataclass(frozen=True)
class Directory:
    """What the gateway's database says."""

    people: "tuple[Identity, ...]" = ()
    has_published_password: bool = False
    newest_use: float = 0.0
    connectors: "tuple[Connector, ...]" = ()
    file_warnings: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot be read; then nothing else is known."""


def gather(settings: Settings) -> Facts:
    data = data_dir_at(settings.data_dir)
    now = run_state.running(data)
    known = directory(settings, data)
    api = Api(data.socket, admin_token(data), timeout=SECONDS) if now else None
    objects, api_problem = _objects(api)
    listens = urlsplit(now.gateway_listen) if now else urlsplit("")
    disk = shutil.disk_usage(_existing(data))
    return Facts(
        data_dir=screen.short_path(data.root),
        is_running=now is not None,
        stopped_components=tuple(one.name for one in now.components if not one.is_alive) if now else (),
        api_problem=api_problem,
        has_gateway=bool(now and now.gateway_url),
        gateway_url=now.gateway_url if now else "",
        gateway_host=listens.hostname or "",
        gateway_problem=gateway_problem(now.gateway_listen) if now and now.gateway_url else "",
        has_published_password=known.has_published_password,
        users=users(known.people, objects),
        connectors=connectors(known.connectors) if now else (),
        users_file_warnings=known.file_warnings,
        users_problem=known.problem,
        profiles=profiles(objects),
        nodes=nodes(objects),
        disk_free=disk.free,
        disk_total=disk.total,
        now=time.time(),
        newest_use=known.newest_use,
    )


def directory(settings: Settings, data: DataDir) -> Directory:
    """Empty where no gateway has run yet: nothing is made to look at it."""
    if not (data.gateway / "gateway.db").exists():
        return Directory()
    try:
        return _read_directory(settings)
    except Failure as error:
        return Directory(problem=str(error))


def _read_directory(settings: Settings) -> Directory:
    from windlass.cli.user.directory import open_directory
    from windlass.gateway.request import Identity

    with open_directory(settings) as opened:
        people = tuple(Identity(one.email, one.groups, "session") for one in opened.users.all())
        is_published, newest_use = opened.users.has_published_password(), opened.sessions.newest_use()
        file = opened.static_file.refresh()
        return Directory(people, is_published, newest_use, file.connectors, file.warnings)


def connectors(known: "tuple[Connector, ...]") -> tuple[ConnectorFacts, ...]:
    """Each connector of the users file, asked by this process as the gateway would."""
    if not known:
        return ()
    from windlass.gateway.identity.connectors.checks import problem_of

    async def ask() -> list[str]:
        return await asyncio.gather(*(problem_of(one) for one in known))

    return tuple(ConnectorFacts(id=one.id, problem=why) for one, why in zip(known, asyncio.run(ask()), strict=True))


LISTS = {
    "bindings": "/apis/rbac.authorization.k8s.io/v1/rolebindings",
    "nodes": "/api/v1/nodes",
}


def _objects(api: Api | None) -> tuple[dict[str, list[Any]] | None, str]:
    """The objects that matter, None where the API does not answer, and then why."""
    if api is None:
        return None, ""
    kind = KINDS.of(tenants().kind)
    lists = {"profiles": f"/apis/{kind.api_version}/{kind.plural}", **LISTS}
    try:
        return {name: api.json(path)["items"] for name, path in lists.items()}, ""
    except SupervisorError as error:
        return None, str(error)


def users(people: "Collection[Identity]", objects: dict[str, list[Any]] | None) -> tuple[UserFacts, ...]:
    """Each user with the namespaces that the dashboard would show them."""
    from windlass.apis.rbac_v1 import RoleBinding

    if objects is None:
        return tuple(UserFacts(email=one.user) for one in people)
    owners, bindings = _decoded(objects["profiles"], tenants().kind), _decoded(objects["bindings"], RoleBinding)
    namespaces = import_module(tenants().doctor).namespaces_of(people, owners, bindings)
    return tuple(UserFacts(email=one.user, namespaces=namespaces[one.user]) for one in people)


def profiles(objects: dict[str, list[Any]] | None) -> tuple[ProfileFacts, ...] | None:
    if objects is None:
        return None
    return tuple(
        ProfileFacts(name=one["metadata"]["name"], failure=_message_of(one, "Failed", "True"))
        for one in objects["profiles"]
    )


def nodes(objects: dict[str, list[Any]] | None) -> tuple[NodeFacts, ...] | None:
    if objects is None:
        return None
    return tuple(NodeFacts(name=one["metadata"]["name"], problem=_node_problem(one)) for one in objects["nodes"])


def _node_problem(node: Any) -> str:
    if _condition(node, "Ready").get("status") == "True":
        return ""
    condition = _condition(node, "Ready")
    return condition.get("message") or condition.get("reason") or "it has not reported yet"


def _message_of(obj: Any, kind: str, status: str) -> str:
    condition = _condition(obj, kind)
    return (condition.get("message") or kind) if condition.get("status") == status else ""


def _condition(obj: Any, kind: str) -> dict[str, str]:
    return next((one for one in obj.get("status", {}).get("conditions") or [] if one["type"] == kind), {})


def _decoded(items: list[Any], kind: type[T]) -> list[T]:
    import msgspec

    return [msgspec.convert(one, kind) for one in items]


def gateway_problem(listens: str) -> str:
    """Why the gateway's health cannot be asked for; empty where it is well."""
    parts = urlsplit(listens)
    host = WILDCARD_ADDRESSES.get(parts.hostname or "", parts.hostname or "")
    try:
        if parts.scheme == "https":
            # Whether it lives is asked for, on this machine and without a secret: the certificate may be of any name.
            tls = ssl.create_default_context()
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection(host, parts.port, timeout=SECONDS, context=tls)
        else:
            connection = http.client.HTTPConnection(host, parts.port, timeout=SECONDS)
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    return "" if answer.status == http.client.OK else f"it answers {answer.status} {answer.reason}"


def _existing(data: DataDir) -> str:
    """The data dir, or the nearest folder above that exists."""
    folder = data.root
    while not folder.exists():
        folder = folder.parent
    return str(folder)
