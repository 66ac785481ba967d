"""Reviews, which are answered in their status and never stored, and component statuses."""

from windlass.apiserver.api import Api
from windlass.apiserver.auth import reviews
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs.answers import encoded, plain_answer, table_of, warning_headers
from windlass.apiserver.verbs.bodies import read_object
from windlass.kube.errors import NotAcceptable, NotFound
from windlass.kube.json import Object, encode

_COMPONENTS = ("controller-manager", "etcd-0", "scheduler")


def _answer(call: Call, review: Object) -> Response:
    if call.accept.transform:
        resource = call.resource.group_resource
        raise NotAcceptable(f"the resource {resource} does not support being converted to a {call.accept.transform}")
    review.setdefault("metadata", {})
    return plain_answer(call, review, 201)


async def token_review(api: Api, call: Call) -> Response:
    return _answer(call, await reviews.token_review(api.authenticator, read_object(call)))


async def self_subject_review(api: Api, call: Call) -> Response:
    return _answer(call, reviews.self_subject_review(call.user, read_object(call)))


async def access_review(api: Api, call: Call) -> Response:
    review = read_object(call)
    if call.resource.plural == "selfsubjectaccessreviews":
        return _answer(call, reviews.self_subject_access_review(api.rbac, call.user, review))
    if call.resource.plural == "localsubjectaccessreviews":
        return _answer(call, reviews.local_subject_access_review(api.rbac, call.path.namespace, review))
    return _answer(call, reviews.subject_access_review(api.rbac, review))


async def rules_review(api: Api, call: Call) -> Response:
    return _answer(call, reviews.self_subject_rules_review(api.rbac, call.user, read_object(call)))


def _component(api: Api, name: str) -> Object:
    healthy = api.store.healthy
    condition = {"type": "Healthy", "status": "True" if healthy else "False", "message": "ok" if healthy else "failed"}
    return {"kind": "ComponentStatus", "apiVersion": "v1", "metadata": {"name": name}, "conditions": [condition]}


def component_status(api: Api, call: Call) -> Response:
    if call.path.name not in _COMPONENTS:
        raise NotFound(f'componentstatuses "{call.path.name}" not found', kind="componentstatuses", name=call.path.name)
    return _shown(call, [_component(api, call.path.name)])


def component_statuses(api: Api, call: Call) -> Response:
    items = [_component(api, name) for name in _COMPONENTS]
    return _shown(call, items, {"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": items})


def _shown(call: Call, items: list[Object], plain: Object | None = None) -> Response:
    if call.accept.transform == "Table":
        return encoded(encode(table_of(call, items, {})), call.accept, headers=warning_headers(call.warnings))
    return plain_answer(call, plain or items[0])
