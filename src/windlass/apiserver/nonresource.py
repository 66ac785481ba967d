"""Responses for non-resource paths: health, version, metrics, discovery, OpenAPI and the token issuer's keys."""

import platform
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import parse_qs

from windlass import __version__
from windlass.apiserver import discovery
from windlass.apiserver.api import Api
from windlass.apiserver.auth.user import User
from windlass.apiserver.call import YAML, parse_accept
from windlass.apiserver.connection import Answer, Request, Response
from windlass.apiserver.discovery import Document
from windlass.apiserver.indentation import indent
from windlass.apiserver.verbs.answers import to_yaml
from windlass.kube.errors import MethodNotAllowed, NotFound
from windlass.kube.json import Object, decode, encode

KUBERNETES_MINOR = 35
_GO_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_OTHER_CHECK_NAMES = {"etcd": "store", "log": "ping"}  # what a cluster's monitoring asks for
_HEALTH = ("/healthz", "/livez", "/readyz")


def answer(api: Api, request: Request, user: User) -> Answer | Coroutine[Any, Any, Answer]:
    path = request.path.rstrip("/") or "/"
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed("the server does not allow this method on the requested resource")
    if path.startswith(_HEALTH):
        query = parse_qs(request.query_string.decode("latin-1"), keep_blank_values=True)
        return _health(api, path, verbose="verbose" in query, excluded=query.get("exclude", []))
    fixed = _FIXED.get(path)
    if fixed is not None:
        return fixed(api)
    if path == "/openapi/v2" or path.startswith("/openapi/v3"):
        return _openapi(api, request, path)
    if path.startswith("/api"):
        return _discovery(api, request, path)
    raise NotFound("the server could not find the requested resource")


def _json(body: Object | bytes, content_type: bytes = b"application/json") -> Response:
    return Response(200, body if isinstance(body, bytes) else encode(body), content_type)


def _health(api: Api, path: str, *, verbose: bool, excluded: list[str]) -> Response:
    first, _, check = path[1:].partition("/")
    checks = {"ping": True, "store": api.store.healthy}
    if check:
        check = _OTHER_CHECK_NAMES.get(check, check)
        if check not in checks:
            raise NotFound("the server could not find the requested resource")
        checks = {check: checks[check]}
    without = {_OTHER_CHECK_NAMES.get(name, name) for name in excluded}
    good = all(passed for name, passed in checks.items() if name not in without)
    if good and not verbose:
        return Response(200, b"ok", b"text/plain; charset=utf-8")
    lines = [
        f"[+]{name} excluded: ok" if name in without else f"[+]{name} ok" if passed else f"[-]{name} failed"
        for name, passed in checks.items()
    ]
    lines.append(f"{first} check {'passed' if good else 'failed'}")
    return Response(200 if good else 500, "\n".join(lines).encode() + b"\n", b"text/plain; charset=utf-8")


def version() -> Object:
    return {
        "major": "1",
        "minor": str(KUBERNETES_MINOR),
        "gitVersion": f"v1.{KUBERNETES_MINOR}.0+windlass.{__version__}",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": platform.python_implementation().lower(),
        "platform": f"{platform.system().lower()}/{_GO_MACHINES.get(platform.machine(), platform.machine())}",
    }


def _version(api: Api) -> Response:
    return _json(indent(version()))


def _metrics(api: Api) -> Response:
    return Response(200, api.metrics.render(api.store), b"text/plain; version=0.0.4; charset=utf-8")


def _root(api: Api) -> Response:
    groups = {f"/apis/{r.group}" for r in api.registry if r.group}
    versions = {f"/apis/{r.group}/{r.version}" for r in api.registry if r.group}
    paths = ["/api", "/api/v1", "/apis", *groups, *versions, *_HEALTH, "/metrics", "/openapi/v2", "/openapi/v3",
             "/version", "/.well-known/openid-configuration", "/openid/v1/jwks"]  # fmt: skip
    return _json(indent({"paths": sorted(paths)}))


def _issuer(api: Api) -> Response:
    assert api.authenticator.service_accounts is not None
    return _json(api.authenticator.service_accounts.discovery_document())


def _keys(api: Api) -> Response:
    assert api.authenticator.service_accounts is not None
    return _json(api.authenticator.service_accounts.jwks(), b"application/jwk-set+json")


_FIXED: dict[str, Callable[[Api], Response]] = {
    "/": _root,
    "/version": _version,
    "/metrics": _metrics,
    "/.well-known/openid-configuration": _issuer,
    "/openid/v1/jwks": _keys,
}


def _discovery(api: Api, request: Request, path: str) -> Response:
    accept = request.headers.get(b"accept", b"").decode("latin-1")
    return _document(request, discovery.answer(api.registry, path, accept), accept)


def _openapi(api: Api, request: Request, path: str) -> Response:
    from windlass.apiserver.openapi import documents

    accept = request.headers.get(b"accept", b"").decode("latin-1")
    return _document(request, documents.answer(api.registry, path, accept), accept)


def _document(request: Request, found: Document | None, accept: str) -> Response:
    if found is None:
        raise NotFound("the server could not find the requested resource")
    etag, content_type = found.etag, found.content_type
    if etag and request.headers.get(b"if-none-match") == etag:
        return Response(304, b"", content_type, [(b"etag", etag)])
    if content_type == b"application/json" and "yaml" in accept and parse_accept(accept).format == YAML:
        return Response(200, to_yaml(decode(found.body)), b"application/yaml")
    return Response(200, found.body, content_type, [(b"etag", etag), (b"vary", b"Accept")])
