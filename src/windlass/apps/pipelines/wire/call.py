"""What a call of the API is given: the request, who sent it, and the parts that answer it."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from aiohttp import web
from multidict import MultiDict

from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.apps.pipelines.artifacts.reader import Content
from windlass.apps.pipelines.wire.errors import InvalidArgument, PermissionDenied, TooLarge
from windlass.apps.pipelines.wire.packages import check_size
from windlass.apps.pipelines.wire.protojson import Message, checked_text, decode
from windlass.kube.client import Client
from windlass.kube.json import BadJson, Object, parse

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.database import Database

MAX_BODY = 32 << 20
"""Bytes, of a body or an upload."""
PIPELINE_URL = "pipeline_url"
"""The field in which clients give the URL of a pipeline."""


class ArtifactStore(Protocol):
    """Reads and removes the files of artifacts."""

    async def open(self, namespace: str, uri: str, client: Client) -> Content | None:
        """The content of an artifact; None if there is none. Whether the caller may read it was checked before.

        `client` has the caller's rights, which decide on the credentials of object stores."""
        ...

    async def open_claim(self, namespace: str, claim: str, path: str) -> Content | None:
        """A file or folder of a claim; None if there is none. Access was checked before."""
        ...

    async def remove(self, namespace: str, uri: str, client: Client) -> str:
        """Remove the content; answers why an object store kept it, or an empty text."""
        ...


class Fetch(Protocol):
    """Downloads from URLs that clients give."""

    async def __call__(self, url: str, *, field: str = PIPELINE_URL) -> tuple[str, bytes]:
        """The file name and content. Raises InvalidArgument, which names the field that had the URL."""
        ...


class Caller(Protocol):
    """Who sent a request."""

    @property
    def user(self) -> str: ...

    @property
    def client(self) -> Client:
        """The Kubernetes API with the caller's rights."""
        ...

    async def allows(self, verb: str, group: str, resource: str, namespace: str, name: str = "") -> bool: ...

    async def own_namespaces(self) -> list[str]:
        """The namespaces of the caller's own profiles, or of the service account."""
        ...


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts that the API stands on."""

    open_database: Callable[[], Awaitable["Database"]]
    artifacts: ArtifactStore
    default_account: Callable[[str], Awaitable[str]]
    """The service account of runs in a namespace that name none."""
    now: Callable[[], float]
    fetch: Fetch
    new_id: Callable[[], str] = field(default=lambda: str(uuid.uuid4()))
    version: str = ""
    requires_namespace: bool = False
    """Whether pipelines cannot be shared by all namespaces."""


@dataclass(frozen=True)
class Transcoded:
    """A gRPC request, as what it would be over HTTP."""

    query: MultiDict[str]
    body: Any


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request."""

    request: web.Request | Transcoded
    services: Services
    caller: Caller
    database: "Database"
    parts: dict[str, str]
    """The variable parts of the path."""

    @property
    def now(self) -> float:
        return self.services.now()

    @property
    def http(self) -> web.Request:
        """The request, for calls that gRPC does not have: uploads and downloads."""
        assert isinstance(self.request, web.Request)
        return self.request

    def part(self, name: str) -> str:
        return checked_text(self.parts[name], name)

    def query(self, name: str, default: str = "") -> str:
        return checked_text(self.request.query.get(name, default), name)

    @property
    def list_arguments(self) -> dict[str, str]:
        return {name: self.query(name) for name in ("page_token", "page_size", "sort_by", "filter")}

    async def body(self, message: Message) -> Object:
        """The decoded body. Raises InvalidArgument and TooLarge."""
        request = self.request
        return decode(message, request.body if isinstance(request, Transcoded) else await read_json(request))

    async def authorize(self, verb: str, resource: str, namespace: str, *, group: str = PIPELINES_GROUP) -> None:
        """Raises PermissionDenied."""
        if not await self.caller.allows(verb, group, resource, namespace):
            where = f"namespace {namespace!r}" if namespace else "all namespaces"
            raise PermissionDenied(f"User {self.caller.user!r} may not {verb} {resource}.{group} in {where}")

    async def own_namespace(self) -> str:
        """The namespace of a caller who gave none; empty unless there is exactly one."""
        namespaces = await self.caller.own_namespaces()
        return namespaces[0] if len(namespaces) == 1 else ""

    async def namespace_or_own(self, given: str, what: str) -> str:
        """Raises InvalidArgument where it is not clear which namespace is meant."""
        namespace = given or await self.own_namespace()
        if not namespace:
            raise InvalidArgument(f"{what} needs a namespace: give one, since you have none of your own, or several")
        return namespace


async def read_json(request: web.Request) -> Any:
    content = await read_body(request)
    check_size(content)
    if not content.strip():
        return {}
    try:
        return parse(content)
    except BadJson as error:
        raise InvalidArgument(f"the body is not JSON: {error}") from error


async def read_body(request: web.Request) -> bytes:
    """The whole body. Raises TooLarge before more than the limit is held."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise InvalidArgument("send the body without Content-Encoding")
    body = bytearray()
    if (request.content_length or 0) <= MAX_BODY:
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > MAX_BODY:
                break
        else:
            return bytes(body)
    raise TooLarge(f"the body has more than {MAX_BODY >> 20} MiB")
