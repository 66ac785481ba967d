"""scale: the replica count of any kind that has one, as an autoscaling/v1 Scale."""

from typing import Any

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.resources import ScaleSpec
from windlass.apiserver.verbs.answers import encoded, plain_answer, table_of
from windlass.apiserver.verbs.bodies import media_type, read_document
from windlass.apiserver.verbs.get import newest_object
from windlass.apiserver.verbs.patch import JSON_PATCH
from windlass.apiserver.verbs.update import rewritten
from windlass.kube.errors import BadRequest, Invalid, NotFound, invalid
from windlass.kube.json import Object, decode, dig, dig_object, encode, is_list, is_object
from windlass.kube.patch import PatchError, json_patch, merge_patch
from windlass.kube.selector import from_object


async def get_scale(api: Api, call: Call) -> Response:
    return _scale_answer(call, await newest_object(api, call))


async def update_scale(api: Api, call: Call) -> Response:
    document = read_document(call.request.body, media_type(call))
    if not is_object(document):
        raise BadRequest("the body must be a Scale")
    return await _set(api, call, document)


async def patch_scale(api: Api, call: Call) -> Response:
    document = read_document(call.request.body, "")
    current = scale_of(call, await newest_object(api, call))
    try:
        if media_type(call) == JSON_PATCH and is_list(document):
            wanted = json_patch.apply(current, document)
        else:
            wanted = merge_patch.apply(current, document)
    except PatchError as error:
        raise Invalid(str(error)) from error
    return await _set(api, call, wanted)


async def _set(api: Api, call: Call, wanted: Object) -> Response:
    replicas = dig(wanted, "spec", "replicas") or 0
    if not isinstance(replicas, int) or isinstance(replicas, bool) or replicas < 0:
        cause = invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise Invalid.of("Scale", "autoscaling", call.path.name, [cause])
    preconditions = {field: given for field in ("uid", "resourceVersion") if (given := dig(wanted, "metadata", field))}
    if dig(wanted, "metadata", "name") not in (None, "", call.path.name):
        raise BadRequest("the name of the object does not match the name on the URL")

    def change(obj: Object) -> Object:
        obj["metadata"] |= preconditions
        _put(obj, _spec(call).spec_replicas, replicas)
        return obj

    changed: Object = decode(await rewritten(api, call, change))
    return _scale_answer(call, changed)


def _scale_answer(call: Call, obj: Object) -> Response:
    scale = scale_of(call, obj)
    if call.accept.transform != "Table":
        return plain_answer(call, scale)
    from windlass.apiserver.tables import columns_for

    version = {"resourceVersion": scale["metadata"].get("resourceVersion", "")}
    table = table_of(call, [scale], version, columns=columns_for("autoscaling", "Scale"))
    return encoded(encode(table), call.accept)


def _spec(call: Call) -> ScaleSpec:
    return call.resource.scale or ScaleSpec()


def _put(obj: Object, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for step in parents:
        obj = obj.setdefault(step, {})
        if not is_object(obj):
            raise BadRequest(f"{path} cannot be set")
    obj[last] = value


def scale_of(call: Call, obj: Object) -> Object:
    """The Scale of `obj`."""
    spec = _spec(call)
    metadata = dig_object(obj, "metadata")
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    replicas = dig(obj, *spec.spec_replicas.split("."))
    if replicas is None and call.resource.custom:
        raise NotFound(f'the spec replicas field "{spec.spec_replicas}" does not exist')
    status: Object = {"replicas": dig(obj, *spec.status_replicas.split(".")) or 0}
    selector = dig(obj, *spec.label_selector.split(".")) if spec.label_selector else None
    if is_object(selector):
        text = str(from_object(selector)) if "matchLabels" in selector or "matchExpressions" in selector else ""
        text = text or ",".join(f"{k}={v}" for k, v in sorted(selector.items()) if isinstance(v, str))
        status["selector"] = text
    elif isinstance(selector, str):
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "spec": {"replicas": replicas or 0},
        "status": status,
    }
