"""From a request to its response: authentication, authorization, the verb, and errors as Status objects.

Reads are answered in the event loop iteration in which they arrive; writes and everything that waits return coroutines.
"""

import logging
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from windlass.apiserver import aggregation, nonresource
from windlass.apiserver.api import Api
from windlass.apiserver.auth.attributes import Attributes, forbidden_error
from windlass.apiserver.auth.authenticate import KeysNeeded
from windlass.apiserver.auth.impersonate import impersonate
from windlass.apiserver.auth.user import ANONYMOUS, User
from windlass.apiserver.call import Call, Path, is_set, parse_path, parse_query
from windlass.apiserver.connection import ANSWERS, Answer, Request, Response, Takeover
from windlass.apiserver.indentation import indented
from windlass.apiserver.resources import Resource
from windlass.apiserver.verbs import create, delete, get, options, patch, subresources, update, watch
from windlass.apiserver.verbs import list as listing
from windlass.kube.errors import ApiError, InternalError, MethodNotAllowed, NotFound, Unauthorized
from windlass.kube.json import encode
from windlass.kube.selector import parse_fields

if TYPE_CHECKING:
    from windlass.apiserver.audit import AuditLog

log = logging.getLogger("windlass.http")

Verb: TypeAlias = Callable[[Api, Call], Answer | Coroutine[Any, Any, Answer]]

VERBS: dict[str, Verb] = {
    "create": create.create,
    "get": get.get,
    "list": listing.list_objects,
    "watch": watch.watch,
    "update": update.update,
    "patch": patch.patch,
    "delete": delete.delete,
    "deletecollection": delete.delete_collection,
}

_NAMED = {"GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "POST": "create"}
_COLLECTION = {"GET": "list", "HEAD": "list", "POST": "create", "DELETE": "deletecollection"}


class Http:
    """The handler that every connection calls."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def handle(self, request: Request) -> Answer | Awaitable[Answer]:
        started = perf_counter()
        try:
            answer = self._dispatch(request)
        except KeysNeeded:
            return self._wait(self._dispatch_fetching(request), request, started)
        except ApiError as error:
            answer = error_response(error)
        except Exception as error:  # noqa: BLE001 - a defect in a verb must not take the connection down
            answer = _unexpected(request, error)
        if isinstance(answer, ANSWERS):
            return self._done(request, answer, started)
        return self._wait(answer, request, started)

    async def _wait(self, pending: Coroutine[Any, Any, Answer], request: Request, started: float) -> Answer:
        try:
            answer = await pending
        except ApiError as error:
            answer = error_response(error)
        except Exception as error:  # noqa: BLE001 - a defect in a verb must not take the connection down
            answer = _unexpected(request, error)
        return self._done(request, answer, started)

    def _done(self, request: Request, answer: Answer, started: float) -> Answer:
        status = 101 if isinstance(answer, Takeover) else answer.status
        self._api.metrics.observe(request.method, parse_path(request.path), status, perf_counter() - started)
        if self._api.audit is not None:
            self._audit(self._api.audit, request, answer, status)
        return indented(request, answer)

    def _audit(self, audit: "AuditLog", request: Request, answer: Answer, status: int) -> None:
        from windlass.apiserver.audit import Entry
        from windlass.apiserver.auth.audit_policy import Level

        user, impersonator, attributes = request.asked or (
            ANONYMOUS,
            None,
            Attributes(request.method.lower(), path=request.path),
        )
        verdict = audit.verdict(impersonator or user, attributes)
        if verdict.level is Level.NONE:
            return
        headers = request.headers
        entry = Entry(
            audit_id=headers.get(b"audit-id", b"").decode("latin-1") or str(uuid.uuid4()),
            uri=f"{request.path}?{request.query_string.decode('latin-1')}" if request.query_string else request.path,
            user=impersonator or user,
            impersonated=user if impersonator else None,
            attributes=attributes,
            source_ips=(request.connection.remote.rsplit(":", 1)[0],),
            user_agent=headers.get(b"user-agent", b"").decode("latin-1"),
            code=status,
            received=datetime.now(UTC),
            request_body=request.body,
            response_body=answer.body if isinstance(answer, Response) else b"",
            annotations=request.annotations,
        )
        audit.record(entry, verdict)

    # the way of a request

    def _dispatch(self, request: Request) -> Answer | Coroutine[Any, Any, Answer]:
        user = self._api.authenticator.authenticate(
            request.headers.get(b"authorization"),
            request.connection.peer_certificate,
            _websocket_protocols(request),
        )
        return self._answer(request, user)

    async def _dispatch_fetching(self, request: Request) -> Answer:
        user = await self._api.authenticator.authenticate_fetching(
            request.headers.get(b"authorization"), request.connection.peer_certificate, _websocket_protocols(request)
        )
        answer = self._answer(request, user)
        return answer if isinstance(answer, ANSWERS) else await answer

    def _answer(self, request: Request, user: User) -> Answer | Coroutine[Any, Any, Answer]:
        if b"impersonate-user" in request.headers or any(n.startswith(b"impersonate-") for n, _ in request.all_headers):
            impersonator, user = user, impersonate(user, request.all_headers, self._api.rbac.allowed)
            request.asked = (user, impersonator, Attributes(request.method.lower(), path=request.path))
        path = parse_path(request.path)
        if path is None:
            self._authorize(request, user, Attributes(verb=request.method.lower(), path=request.path))
            return nonresource.answer(self._api, request, user)
        return self._resource(request, user, path)

    def _resource(self, request: Request, user: User, path: Path) -> Answer | Coroutine[Any, Any, Answer]:
        query = parse_query(request.query_string)
        verb = _verb(request.method, path, query)
        name = path.name or _name_selected(verb, query)
        attributes = Attributes(verb, path.group, path.plural, path.subresource, path.namespace, name)
        self._authorize(request, user, attributes)
        resource = self._api.registry.find(path.group, path.version, path.plural)
        if resource is None:
            raise NotFound("the server could not find the requested resource")
        if resource.proxied:
            return aggregation.forward(self._api, request, user, path.group, path.version)
        if not _fits_scope(resource, path, verb):
            raise NotFound("the server could not find the requested resource")
        call = Call(request, user, verb, path, resource, query)
        if resource.deprecated:
            call.warnings.append(resource.deprecated)
        if verb == "patch" or (query and verb in options.KINDS):
            options.check_options(call)
        if path.subresource or resource.store_key in subresources.UNSTORED:
            return subresources.answer(self._api, call)
        if verb not in resource.verbs:
            raise MethodNotAllowed(
                "the server does not allow this method on the requested resource", kind=resource.plural
            )
        if resource.terminating and verb == "create":
            raise MethodNotAllowed(f"{verb} not allowed while custom resource definition is terminating")
        return VERBS[verb](self._api, call)

    def _authorize(self, request: Request, user: User, attributes: Attributes) -> None:
        request.asked = (user, request.asked and request.asked[1], attributes)
        decision = self._api.rbac.allowed(user, attributes)
        if decision.allowed:
            return
        if user is ANONYMOUS:
            raise Unauthorized("Unauthorized", headers={"WWW-Authenticate": 'Bearer realm="windlass"'})
        raise forbidden_error(user, attributes, decision.reason)


def _websocket_protocols(request: Request) -> Sequence[bytes]:
    protocols = request.headers.get(b"sec-websocket-protocol")
    return protocols.split(b",") if protocols else ()


def _fits_scope(resource: Resource, path: Path, verb: str) -> bool:
    """Whether the path has a namespace exactly if the resource needs one."""
    if resource.namespaced:
        return bool(path.namespace) or not (path.name or verb == "create")
    return not path.namespace or path.plural == "namespaces"


def _verb(method: str, path: Path, query: dict[str, str]) -> str:
    """The RBAC verb: a GET with ?watch is a watch, a GET of a collection is a list."""
    verb = (_NAMED if path.name else _COLLECTION).get(method)
    if verb is None:
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
    if verb in ("get", "list") and not path.subresource and is_set(query, "watch"):
        return "watch"
    if verb == "create" and path.name and not path.subresource:
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
    return verb


def _name_selected(verb: str, query: dict[str, str]) -> str:
    """The single name that a list or watch selects: permission for that object is sufficient."""
    selector = query.get("fieldSelector")
    if not selector or verb not in ("list", "watch", "deletecollection"):
        return ""
    try:
        parsed = parse_fields(selector)
    except ValueError:  # which the verb reports, once the request is authorised
        return ""
    return next((value for field, is_, value in parsed.requirements if (field, is_) == ("metadata.name", "=")), "")


def error_response(error: ApiError) -> Response:
    headers = [(name.encode(), value.encode()) for name, value in error.headers.items()]
    if error.retry_after is not None:
        headers.append((b"retry-after", str(error.retry_after).encode()))
    return Response(error.code, encode(error.status()), headers=headers)


def _unexpected(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return error_response(
        InternalError(f"an error on the server has prevented the request from succeeding: {type(error).__name__}")
    )
