"""The client: every verb of the Kubernetes API, typed where the kind is declared and plain JSON where it is not.

What to read is said by a struct (`client.get(Pod, "a", "ns")` gives a Pod), by a `Kind` (gives JSON) or by a `View`.
What to write is an object in either form. Failures are `windlass.kube.errors`. The same client speaks to the embedded
server and to a cluster; only its transport differs (`windlass.kube.connect`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar, cast, overload
from urllib.parse import quote

import aiohttp
import msgspec

from windlass.kube import errors, meta
from windlass.kube.api import Change, Listing, PatchType, PodAnswer, Propagation
from windlass.kube.faults import Faults
from windlass.kube.json import BadJson, decode, dig, encode, parse
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.missing_rights import MissingRights
from windlass.kube.objects import AnyObject, declared_kind, key_of, wire
from windlass.kube.transport import (
    ImpersonatingTransport,
    P,
    Request,
    Response,
    Stream,
    Transport,
    WebSockets,
    dialled,
)
from windlass.kube.view import JSON, PARTIAL, View, named, typed, untyped, view

K = TypeVar("K", bound=meta.Object)
T = TypeVar("T", bound=AnyObject)

PATCH_TYPES: Mapping[str, str] = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
APPLY = "application/apply-patch+yaml"
PAGE = 500  # objects; what client-go's pager asks for
MAX_RETRIES = 10  # of one request that the server asked to send again later; client-go's number
POD_TIMEOUT_SECONDS = 5.0  # seconds
INITIAL_EVENTS_END = "k8s.io/initial-events-end"

log = logging.getLogger(__name__)


class _WatchLine(msgspec.Struct):
    type: str
    object: msgspec.Raw


_watch_line = msgspec.json.Decoder(_WatchLine)


class Client:
    """One connection pool to one server. Close it, or use it as an async context manager."""

    def __init__(self, transport: Transport, *, field_manager: str = "windlass") -> None:
        from windlass.kube.discovery import Discovery

        self._transport = transport
        self.field_manager = field_manager
        self.faults = Faults()
        """Where objects are reported that cannot be decoded, or on which a cache's handlers fail."""
        self.discovery = Discovery(self)
        self._missing_rights: MissingRights | None = MissingRights()
        self.streams_lists = True
        """Whether the server may be asked for a list as a stream (`sendInitialEvents`): until it refuses that."""

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    def impersonating(self, user: str, groups: Sequence[str] = ()) -> "Client":
        """The same connections in the name of `user`, with their rights and no others."""
        if not user:
            raise ValueError("a request in nobody's name would have the rights of the client itself")
        other = Client(ImpersonatingTransport(self._transport, user, tuple(groups)), field_manager=self.field_manager)
        other._missing_rights = None  # the user's rights are not a matter of the controller
        other.faults, other.discovery, other.streams_lists = self.faults, self.discovery, self.streams_lists
        return other

    def note_streams_refused(self, error: errors.ApiError) -> None:
        """Remember, and log once, that this server does not stream lists."""
        if self.streams_lists:
            self.streams_lists = False
            log.warning("the API server does not stream lists, listing and watching instead error=%s", error)

    # --- reading

    @overload
    async def get(self, of: type[K], name: str, namespace: str = "") -> K: ...
    @overload
    async def get(self, of: Kind, name: str, namespace: str = "") -> Json: ...
    @overload
    async def get(self, of: View[T], name: str, namespace: str = "") -> T: ...
    async def get(self, of: Any, name: str, namespace: str = "") -> Any:
        form: View[Any] = view(of)
        answer = await self.send(Request("GET", _path(form.kind, name, namespace), accept=form.accept))
        return form.decode(answer.body)

    async def get_under(self, kind: Kind, key: Key, subresource: str) -> Json:
        """A subresource that is an object of its own: `scale`."""
        path = _path(kind, key.name, key.namespace, subresource)
        return cast(Json, decode((await self.send(Request("GET", path))).body))

    async def ask_pod(
        self, pod: Key, port: int, path: str, headers: Mapping[str, str], query: Mapping[str, str] | None = None
    ) -> PodAnswer:
        """GET something from a pod, by way of the server's proxy, whatever the pod makes of it."""
        target = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}:{port}/proxy/{quote(path.lstrip('/'))}"
        request = Request(
            "GET", target, query=dict(query or {}), accept="*/*", timeout=POD_TIMEOUT_SECONDS, more_headers=headers
        )
        try:
            answer = await self._transport.request(request)
        except errors.ServiceUnavailable as error:
            cause = error.__cause__
            is_silent = isinstance(cause, TimeoutError | aiohttp.ClientConnectorError)
            return PodAnswer(is_listening=not is_silent)
        return _pod_answer(answer)

    @overload
    async def list(self, of: type[K], namespace: str = "", *, labels: str = "", fields: str = "") -> Listing[K]: ...
    @overload
    async def list(self, of: Kind, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing[Json]: ...
    @overload
    async def list(
        self,
        of: View[T],
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        query: Mapping[str, str] | None = None,
    ) -> Listing[T]: ...
    async def list(
        self,
        of: Any,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """Every object that matches, however many pages that takes. Without a namespace: of all namespaces.

        When the pages' snapshot expires half-way, it starts over and asks for everything at once. `query` is what
        another server's API may be asked beyond that.
        """
        form: View[Any] = view(of)
        asked = {**_query(labelSelector=labels or form.labels, fieldSelector=fields or form.fields), **(query or {})}
        try:
            return await self._pages(form, namespace, {**asked, "limit": str(PAGE)})
        except errors.Gone:
            return await self._pages(form, namespace, asked)

    async def _pages(self, form: View[T], namespace: str, query: dict[str, str]) -> Listing[T]:
        items: list[T] = []
        version = ""
        async for page in self._each_page(form, namespace, query):
            items += page.items
            version = page.resource_version
        return Listing(items, version)

    def pages(self, of: View[T], namespace: str = "") -> AsyncIterator[Listing[T]]:
        """The pages of a list as they arrive, all of one version; raises Gone when it expires half-way."""
        query = {**_query(labelSelector=of.labels, fieldSelector=of.fields), "limit": str(PAGE)}
        return self._each_page(of, namespace, query)

    async def _each_page(self, form: View[T], namespace: str, query: dict[str, str]) -> AsyncIterator[Listing[T]]:
        while True:
            request = Request("GET", form.kind.path(namespace), query, accept=form.accept_list)
            items, where = form.decode_list((await self.send(request)).body, self.faults)
            yield Listing(items, where.resource_version)
            if not where.continue_:
                return
            query = {**query, "continue": where.continue_}

    async def count(self, kind: Kind, namespace: str = "") -> int:
        """How many objects there are, without fetching them."""
        answer = await self.send(Request("GET", kind.path(namespace), {"limit": "1"}, accept=view(kind).accept_list))
        items, where = view(kind).decode_list(answer.body, self.faults)
        return len(items) + (where.remaining_item_count or 0)

    def watch(
        self,
        of: View[T],
        namespace: str = "",
        *,
        resource_version: str = "",
        labels: str = "",
        fields: str = "",
        initial_events: bool = False,
        seconds: int = 300,
    ) -> AsyncIterator[Change[T]]:
        """Changes after `resource_version`, for `seconds`; raises Expired when that version is compacted.

        With `initial_events` the server first sends what is there, then one bookmark that is `synced`.
        """
        query = _query(
            watch="true",
            allowWatchBookmarks="true",
            timeoutSeconds=str(seconds),
            resourceVersion=resource_version,
            labelSelector=labels or of.labels,
            fieldSelector=fields or of.fields,
        )
        if initial_events:
            query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        path = of.kind.path(namespace)
        return self._changes(of, Request("GET", path, query, accept=of.accept, timeout=seconds + 30.0))

    async def _changes(self, of: View[T], request: Request) -> AsyncIterator[Change[T]]:
        async with self._transport.stream(request) as stream:
            if stream.code >= 300:
                body = b"".join([chunk async for chunk in stream.chunks])
                raise _error(Response(stream.code, stream.headers, body))
            async for line in _lines(stream.chunks):
                change = _change(of, _watch_line.decode(line), self.faults)
                if change is not None:
                    yield change

    async def logs(
        self,
        pod: Key,
        *,
        container: str = "",
        follow: bool = False,
        tail: int | None = None,
        timestamps: bool = False,
        since: str = "",
    ) -> AsyncIterator[bytes]:
        """The lines of a container's log; with `follow` as they are written, until the container ends.

        With `timestamps` each line starts with its time; `since` is the time (RFC 3339) of the first line.
        """
        query = _query(
            container=container,
            follow="true" if follow else "",
            tailLines="" if tail is None else str(tail),
            timestamps="true" if timestamps else "",
            sinceTime=since,
        )
        path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/log"
        async with self._transport.stream(Request("GET", path, query, accept="*/*", timeout=None)) as stream:
            if stream.code >= 300:
                body = b"".join([chunk async for chunk in stream.chunks])
                raise _error(Response(stream.code, stream.headers, body))
            async for line in _lines(stream.chunks, unfinished=True):
                yield line

    # --- writing

    async def create(self, obj: T, *, kind: Kind | None = None, namespace: str = "", dry_run: bool = False) -> T:
        """Create an object of any declared or served kind; what the server made of it comes back."""
        kind = kind or await self.kind_of(obj)
        path = kind.path(key_of_new(obj) or namespace)
        return await self._write("POST", path, obj, kind, self._options(dry_run=dry_run))

    async def create_under(self, kind: Kind, key: Key, subresource: str, body: Json) -> Json:
        """POST to a subresource: `binding`, `eviction`, `token`."""
        path = _path(kind, key.name, key.namespace, subresource)
        return cast(Json, decode((await self.send(Request("POST", path, {}, encode(body)))).body or b"{}"))

    async def update(
        self, obj: Json, *, kind: Kind | None = None, subresource: str = "", dry_run: bool = False
    ) -> Json:
        """Replace an object; its `resourceVersion` must be the latest. JSON only: a struct would lose fields."""
        kind, key = kind or await self.kind_of(obj), key_of(obj)
        path = _path(kind, key.name, key.namespace, subresource)
        return await self._write("PUT", path, obj, kind, self._options(dry_run=dry_run))

    async def patch(
        self,
        kind: Kind,
        key: Key,
        patch: Json | Sequence[Json],
        type: PatchType = "merge",
        *,
        subresource: str = "",
        dry_run: bool = False,
    ) -> Json:
        path = _path(kind, key.name, key.namespace, subresource)
        request = Request("PATCH", path, self._options(dry_run=dry_run), encode(patch), PATCH_TYPES[type])
        return cast(Json, decode((await self.send(request)).body))

    async def apply(
        self,
        obj: T,
        *,
        manager: str = "",
        force: bool = True,
        subresource: str = "",
        dry_run: bool = False,
    ) -> T:
        """Server-side apply: the fields given become `manager`'s, those it gave before and does not now are removed."""
        kind, key = await self.kind_of(obj), key_of(obj)
        options = self._options(dry_run=dry_run, manager=manager)
        options["force"] = "true" if force else "false"
        return await self._write("PATCH", _path(kind, key.name, key.namespace, subresource), obj, kind, options, APPLY)

    async def set_status(self, kind: Kind, key: Key, status: Json, *, resource_version: str = "") -> Json:
        """Merge `status` (null removes) by the status subresource, or by the object itself where there is none."""
        patch: Json = {"status": status}
        if resource_version:
            patch["metadata"] = {"resourceVersion": resource_version}
        return await self.patch(kind, key, patch, subresource="status" if kind.status else "")

    async def scale(self, kind: Kind, key: Key, replicas: int) -> Json:
        return await self.patch(kind, key, {"spec": {"replicas": replicas}}, subresource="scale")

    async def delete(
        self,
        kind: Kind,
        key: Key,
        *,
        propagation: Propagation | None = None,
        uid: str = "",
        resource_version: str = "",
        grace_seconds: int | None = None,
        dry_run: bool = False,
    ) -> Json:
        """Delete an object, if it is still the one with that `uid` and version; the server's answer comes back."""
        preconditions = _query(uid=uid, resourceVersion=resource_version)
        body = _delete_options(propagation, preconditions, grace_seconds, dry_run)
        request = Request("DELETE", _path(kind, key.name, key.namespace), {}, encode(body))
        return cast(Json, decode((await self.send(request)).body))

    async def delete_collection(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        propagation: Propagation | None = None,
    ) -> None:
        query = _query(labelSelector=labels, fieldSelector=fields)
        body = _delete_options(propagation, {}, None, False)
        await self.send(Request("DELETE", kind.path(namespace), query, encode(body)))

    async def token_for(self, account: Key, *, audiences: Sequence[str] = (), seconds: int = 3600) -> str:
        """A bearer token that a service account may use."""
        body: Json = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"audiences": tuple(audiences), "expirationSeconds": seconds},
        }
        path = f"/api/v1/namespaces/{account.namespace}/serviceaccounts/{account.name}/token"
        answer = decode((await self.send(Request("POST", path, {}, encode(body)))).body)
        return str(answer["status"]["token"])

    async def kind_of(self, obj: AnyObject) -> Kind:
        """The declared kind of an object; else what the server's discovery says of it."""
        found = declared_kind(obj)
        if found is not None:
            return found
        named = wire(obj)
        return await self.find_kind(str(named.get("apiVersion") or ""), str(named.get("kind") or ""))

    async def find_kind(self, api_version: str, kind: str) -> Kind:
        """As the server serves it; NotFound when it does not."""
        return await self.discovery.find(api_version, kind)

    async def served(self, *, refresh: bool = False) -> tuple[Kind, ...]:
        """Every kind that the server serves."""
        return await (self.discovery.refresh() if refresh else self.discovery.kinds())

    def failed_groups(self) -> tuple[str, ...]:
        """Group versions whose kinds could not be read when `served` was last refreshed."""
        return self.discovery.failed_groups

    # --- the wire

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]:
        """One request whose answer is read piece by piece, whatever its code. Raises ServiceUnavailable."""
        return self._transport.stream(request)

    async def dial(self, request: Request, upgrade: str, protocol: Callable[[], P]) -> tuple[P, bytes]:
        """A connection of its own for a request to change to another protocol, and the head to send on it first.

        Raises ServiceUnavailable.
        """
        return await dialled(self._transport, request, upgrade, protocol)

    def websocket(
        self, request: Request, subprotocol: str
    ) -> AbstractAsyncContextManager[aiohttp.ClientWebSocketResponse]:
        """Open a WebSocket. Raises ServiceUnavailable, and aiohttp.WSServerHandshakeError where the server refuses."""
        if not isinstance(self._transport, WebSockets):
            raise errors.ServiceUnavailable(f"{self._transport} opens no WebSockets")
        return self._transport.websocket(request, subprotocol)

    async def send(self, request: Request) -> Response:
        """One request, sent again while the server asks for patience; raises what a failure's Status says."""
        for _ in range(MAX_RETRIES):
            answer = await self._transport.request(request)
            if answer.code < 300:
                return answer
            wait = _retry_after(answer)
            if wait is None or request.path.endswith("/eviction"):  # there, 429 is an answer: a budget forbids it
                error = _error(answer)
                if self._missing_rights is not None:
                    self._missing_rights.note(request, error)
                raise error
            await asyncio.sleep(wait)
        raise _error(await self._transport.request(request))

    async def _write(
        self, method: str, path: str, obj: T, kind: Kind, query: dict[str, str], content_type: str = JSON
    ) -> T:
        answer = await self.send(Request(method, path, query, encode(wire(obj)), content_type))
        form: View[Any] = untyped(kind) if isinstance(obj, dict) else typed(cast(type[meta.Object], type(obj)))
        return form.decode(answer.body)

    def _options(self, *, dry_run: bool = False, manager: str = "") -> dict[str, str]:
        return _query(fieldManager=manager or self.field_manager, dryRun="All" if dry_run else "")


def key_of_new(obj: AnyObject) -> str:
    """The namespace of an object that may not have a name yet."""
    return str(obj["metadata"].get("namespace") or "") if isinstance(obj, dict) else obj.metadata.namespace


def _path(kind: Kind, name: str, namespace: str, subresource: str = "") -> str:
    if kind.namespaced and not namespace:
        raise ValueError(f"{kind} is namespaced: say in which namespace {name!r} is")
    if not name:
        raise ValueError(f"a {kind} needs a name")
    return kind.path(namespace, name, subresource)


def _query(**given: str) -> dict[str, str]:
    return {key: value for key, value in given.items() if value}


def _delete_options(
    propagation: str | None, preconditions: Mapping[str, str], grace_seconds: int | None, dry_run: bool
) -> Json:
    options: Json = {"apiVersion": "v1", "kind": "DeleteOptions"}
    if propagation:
        options["propagationPolicy"] = propagation
    if preconditions:
        options["preconditions"] = dict(preconditions)
    if grace_seconds is not None:
        options["gracePeriodSeconds"] = grace_seconds
    if dry_run:
        options["dryRun"] = ["All"]
    return options


def _pod_answer(answer: Response) -> PodAnswer:
    """A failure that the server itself reports is one to reach the pod, or to understand its answer."""
    try:
        status = parse(answer.body) if answer.code >= 400 else None
    except BadJson:
        status = None
    if dig(status, "kind") != "Status":
        return PodAnswer(is_listening=True, code=answer.code, body=answer.body)
    is_not_understood = answer.code >= 500 and "dial tcp" not in str(dig(status, "message"))
    return PodAnswer(is_listening=is_not_understood)


def _error(answer: Response) -> errors.ApiError:
    try:
        status = parse(answer.body)
    except BadJson:
        status = {"message": answer.body[:500].decode(errors="replace") or f"the server answered {answer.code}"}
    return errors.from_status(answer.code, status)


def _retry_after(answer: Response) -> float | None:
    """Seconds that a busy server asks to wait, as client-go reads them: on 429, or on 5xx with the header."""
    after = answer.headers.get("Retry-After", "")
    return float(after) if after.isdigit() and (answer.code == 429 or answer.code >= 500) else None


async def _lines(chunks: AsyncIterator[bytes], *, unfinished: bool = False) -> AsyncIterator[bytes]:
    """Lines of any length. (aiohttp's own line reader refuses those above 128 KiB; objects may have 1.5 MiB.)

    With `unfinished`, what follows the last line break counts too.
    """
    rest: list[bytes] = []
    async for chunk in chunks:
        head, newline, tail = chunk.partition(b"\n")
        rest.append(head)
        if not newline:
            continue
        yield b"".join(rest)
        *whole, last = tail.split(b"\n")
        for line in whole:
            yield line
        rest = [last] if last else []
    if unfinished and any(rest):
        yield b"".join(rest)


def _change(of: View[T], line: _WatchLine, faults: Faults) -> Change[T] | None:
    match line.type:
        case "ADDED" | "MODIFIED" | "DELETED" as happened:
            obj = of.decode_or_skip(line.object, faults)
            if obj is not None:
                return Change(happened, obj, _version(obj))
            skipped = named(line.object).metadata
            return Change(
                "BOOKMARK", None, skipped.resource_version, gone=skipped.key if happened == "DELETED" else None
            )
        case "BOOKMARK":
            at = PARTIAL.decode(line.object).metadata
            return Change("BOOKMARK", None, at.resource_version, at.annotations.get(INITIAL_EVENTS_END) == "true")
        case "ERROR":
            status = decode(bytes(line.object))
            raise errors.from_status(int(status.get("code") or 500), status)
        case _:
            return None


def _version(obj: AnyObject) -> str:
    return str(obj["metadata"]["resourceVersion"]) if isinstance(obj, dict) else obj.metadata.resource_version
