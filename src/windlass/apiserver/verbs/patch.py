"""patch in its four forms: JSON patch, merge patch, strategic merge patch and server-side apply."""

from windlass.apiserver.api import Api, load
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.bodies import (
    STRATEGIC_PATCH,
    check_type_meta,
    conform,
    media_type,
    read_document,
    read_yaml,
)
from windlass.apiserver.verbs.create import create_object
from windlass.apiserver.verbs.get import not_found
from windlass.apiserver.verbs.update import Change, rewrite
from windlass.kube.errors import BadRequest, UnsupportedMediaType
from windlass.kube.json import BadJson, Json, Object, check_depth, is_list, is_object
from windlass.kube.patch import PatchError, json_patch, managed, merge_patch, strategic

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
_APPLY_TYPES = (APPLY_PATCH, "application/apply-patch+json")


async def patch(api: Api, call: Call) -> Response:
    media = media_type(call)
    if media in _APPLY_TYPES:
        return await apply(api, call)
    duplicates: list[str] = []
    document = read_document(call.request.body, "", duplicates)
    if media == JSON_PATCH:
        if not is_list(document):
            raise BadRequest("a JSON patch is a list of operations")
        return await rewrite(api, call, _patched(call, document, media, []))
    if not is_object(document):
        raise BadRequest("a patch must be a JSON object")
    supported = [JSON_PATCH, MERGE_PATCH, *([] if call.resource.custom else [STRATEGIC_PATCH]), APPLY_PATCH]
    if media not in supported:
        raise UnsupportedMediaType(
            f"the body of the request was in an unknown format - accepted media types include: {', '.join(supported)}"
        )
    return await rewrite(api, call, _patched(call, document, media, duplicates))


def _patched(call: Call, document: Json, media: str, duplicates: list[str]) -> Change:
    def change(old: Object) -> Object:
        try:
            if media == JSON_PATCH:
                new = json_patch.apply(old, document)
            elif media == MERGE_PATCH:
                new = merge_patch.apply(old, document)
            else:
                new = strategic.apply(old, document, call.resource.schema)
            if media == JSON_PATCH:  # the others keep each value where it is, and so its depth
                check_depth(new)
        except PatchError as error:
            raise error.api_error() from error
        except BadJson as error:
            raise BadRequest(f"the result of the patch is {error}") from error
        if not is_object(new):
            raise BadRequest("the result of the patch is not an object")
        check_type_meta(call, new)
        conform(call, new, duplicates, patch=document if media == STRATEGIC_PATCH else new)
        return new

    return change


async def apply(api: Api, call: Call) -> Response:
    """Server-side apply: the fields of one manager, merged by ownership."""
    repeated: list[str] = []
    config = read_yaml(call.request.body, repeated)
    if repeated and call.query.get("fieldValidation") == "Strict":
        lines = "".join(f"\n  {line}" for line in repeated)
        raise BadRequest(f"error decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:{lines}")
    if not is_object(config):
        raise BadRequest("the body of an apply must be an object")
    if not config.get("apiVersion") or not config.get("kind"):
        raise BadRequest("apiVersion and kind must be given in the body of an apply")
    check_type_meta(call, config)
    metadata = write.metadata_of(config)
    if metadata.get("managedFields"):
        raise BadRequest("metadata.managedFields must be nil")
    metadata.setdefault("name", call.path.name)
    if call.resource.namespaced:
        metadata.setdefault("namespace", call.path.namespace)
    conform(call, config, repeated)
    if api.store.newest(call.key) is None:
        if call.path.subresource:
            raise not_found(call)
        metadata.pop("resourceVersion", None)
        return await create_object(api, call, _applied(call, None, config), recorded=True)
    return await rewrite(api, call, lambda old: _applied(call, old, config), recorded=True)


def _applied(call: Call, live: Object | None, config: Object) -> Object:
    return managed.applied(
        live,
        config,
        call.resource.schema,
        manager=call.field_manager,
        api_version=call.resource.api_version,
        time=write.now(),
        force=call.flag("force"),
        subresource=call.path.subresource,
        ignored=write.unwritten_fields(call),
    )


def live_object(api: Api, call: Call) -> Object:
    """Return the newest state of the named object. Raises NotFound."""
    row = api.store.newest(call.key)
    if row is None:
        raise not_found(call)
    return load(call.resource, row)
