"""Subresources, and kinds that are answered rather than stored.

`ROUTES` maps each (store key, subresource) to the functions of its verbs. `status` and `scale` work on every kind that
has them.
"""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Answer
from windlass.apiserver.verbs import get, patch, update
from windlass.apiserver.verbs.subresources import (
    binding,
    certificates,
    gang_binding,
    namespaces,
    pods,
    reviews,
    scale,
    streams,
    tokens,
)
from windlass.kube.errors import MethodNotAllowed, NotFound

Route: TypeAlias = Callable[[Api, Call], Answer | Coroutine[Any, Any, Answer]]

_STATUS: dict[str, Route] = {"get": get.get, "update": update.update, "patch": patch.patch}
_SCALE: dict[str, Route] = {"get": scale.get_scale, "update": scale.update_scale, "patch": scale.patch_scale}
_STREAM: dict[str, Route] = dict.fromkeys(("get", "create", "update", "patch", "delete"), streams.connect)

ROUTES: dict[tuple[str, str], dict[str, Route]] = {
    ("/pods", "binding"): {"create": binding.bind},
    ("/bindings", ""): {"create": binding.bind_by_body},
    ("scheduling.windlass.dev/gangbindings", ""): {"create": gang_binding.bind_gang},
    ("/pods", "eviction"): {"create": pods.evict},
    ("/pods", "ephemeralcontainers"): {"get": get.get, "update": pods.add_ephemeral, "patch": pods.add_ephemeral},
    ("/pods", "resize"): {"get": get.get, "update": update.update, "patch": patch.patch},
    ("/pods", "log"): {"get": streams.logs},
    ("/pods", "exec"): {"get": streams.connect, "create": streams.connect},
    ("/pods", "attach"): {"get": streams.connect, "create": streams.connect},
    ("/pods", "portforward"): {"get": streams.connect, "create": streams.connect},
    ("/pods", "proxy"): _STREAM,
    ("/services", "proxy"): _STREAM,
    ("/nodes", "proxy"): _STREAM,
    ("/namespaces", "finalize"): {"update": namespaces.finalize},
    ("/serviceaccounts", "token"): {"create": tokens.request_token},
    ("certificates.k8s.io/certificatesigningrequests", "approval"): {
        "get": get.get,
        "update": certificates.approve,
        "patch": certificates.approve,
    },
    ("authentication.k8s.io/tokenreviews", ""): {"create": reviews.token_review},
    ("authentication.k8s.io/selfsubjectreviews", ""): {"create": reviews.self_subject_review},
    ("authorization.k8s.io/subjectaccessreviews", ""): {"create": reviews.access_review},
    ("authorization.k8s.io/localsubjectaccessreviews", ""): {"create": reviews.access_review},
    ("authorization.k8s.io/selfsubjectaccessreviews", ""): {"create": reviews.access_review},
    ("authorization.k8s.io/selfsubjectrulesreviews", ""): {"create": reviews.rules_review},
    ("/componentstatuses", ""): {"get": reviews.component_status, "list": reviews.component_statuses},
}

UNSTORED = frozenset(key for key, subresource in ROUTES if not subresource)


def answer(api: Api, call: Call) -> Answer | Coroutine[Any, Any, Answer]:
    resource, subresource = call.resource, call.path.subresource
    routes = ROUTES.get((resource.store_key, subresource))
    if routes is None and subresource in resource.subresources:
        routes = {"status": _STATUS, "scale": _SCALE}.get(subresource)
    if routes is None or (call.path.rest and routes is not _STREAM):
        raise NotFound("the server could not find the requested resource")
    route = routes.get(call.verb)
    if route is None:
        raise MethodNotAllowed("the server does not allow this method on the requested resource", kind=resource.plural)
    return route(api, call)
