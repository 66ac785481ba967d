"""AdmissionReviews: the request that a webhook gets about a write, and the interpretation of its response."""

import base64
from dataclasses import replace
from typing import Any
from uuid import uuid4

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.resources import Resource
from windlass.apiserver.webhook_client import Unreachable
from windlass.kube import schema
from windlass.kube.errors import ApiError, InternalError
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object, parse
from windlass.kube.patch import PatchError, json_patch

_INVALID = "received invalid webhook response: "


def review_of(spec: Object, asked: Attributes, requested: Resource) -> Object:
    """Build the AdmissionReview for a webhook. `asked` may have another version than `requested`."""
    versions = [str(version) for version in dig_list(spec, "admissionReviewVersions")]
    version = next((found for found in versions if found in ("v1", "v1beta1")), "v1")
    is_namespace = asked.resource.store_key == "/namespaces"
    request: Object = {
        "uid": str(uuid4()),
        "kind": asked.kind,
        "resource": _named(asked.resource),
        "requestKind": replace(asked, resource=requested).kind,
        "requestResource": _named(requested),
        "name": asked.name,
        "namespace": asked.name if is_namespace else asked.namespace,
        "operation": asked.operation,
        "userInfo": asked.user.info(),
        "object": asked.obj,
        "oldObject": asked.old,
        "dryRun": asked.dry_run,
        "options": asked.options or None,
    }
    if asked.subresource:
        request["subResource"] = request["requestSubResource"] = asked.subresource
    if not request["namespace"]:
        del request["namespace"]
    return {"apiVersion": f"admission.k8s.io/{version}", "kind": "AdmissionReview", "request": request}


def _named(resource: Resource) -> Object:
    return {"group": resource.group, "version": resource.version, "resource": resource.plural}


def judged(name: str, answer: Object, review: Object, warnings: list[str], *, mutating: bool) -> Object:
    """Return the response of a webhook that allows the write. Raises its refusal, or `Unreachable` if it is invalid."""
    response = checked(answer, review, mutating=mutating)
    warnings += [str(warning) for warning in dig_list(response, "warnings")]
    if response.get("allowed") is True:
        return response
    raise Refusal(name, dig_object(response, "status"))


def checked(answer: Object, review: Object, *, mutating: bool) -> Object:
    """Return a response that matches its review. Raises `Unreachable`."""
    wanted, found = (f"{given.get('apiVersion')}, Kind={given.get('kind')}" for given in (review, answer))
    if wanted != found:
        raise Unreachable(f"{_INVALID}expected webhook response of {wanted}, got {found}")
    response = answer.get("response")
    if not is_object(response):
        raise Unreachable(f"{_INVALID}webhook response was absent")
    uid = review["request"]["uid"]
    if response.get("uid") != uid:
        raise Unreachable(f'{_INVALID}expected response.uid="{uid}", got "{response.get("uid") or ""}"')
    has_patch, kind = bool(response.get("patch")), response.get("patchType")
    if not mutating and (has_patch or kind is not None):
        raise Unreachable(f"{_INVALID}validating webhook may not return response.patch or response.patchType")
    if has_patch and kind is None and review["apiVersion"].endswith("/v1"):
        raise Unreachable(f"{_INVALID}webhook returned response.patch but not response.patchType")
    if kind is not None and kind != "JSONPatch":
        raise Unreachable(f'{_INVALID}webhook returned invalid response.patchType of "{kind}"')
    return response


class Refusal(ApiError):
    """The refusal of a webhook, which may contain a Status of its own."""

    def __init__(self, name: str, given: Object) -> None:
        code, why = given.get("code"), given.get("message") or given.get("reason")
        denied = f'admission webhook "{name}" denied the request'
        message = f"{denied}: {why}" if why else f"{denied} without explanation"
        status: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, **given}
        status |= {"status": "Failure", "message": message}
        status["code"] = code if isinstance(code, int) and 400 <= code < 600 else 400
        super().__init__(message, status=status)
        self.code = status["code"]  # pyright: ignore[reportAttributeAccessIssue] - the webhook chooses it
        self.reason = str(given.get("reason") or "")  # pyright: ignore[reportAttributeAccessIssue] - and this


def patched(name: str, resource: Resource, obj: Object, response: Object) -> Object:
    """Apply a webhook's JSON patch to the object, and drop fields that its kind does not have."""
    try:
        operations: Any = parse(base64.b64decode(str(response["patch"]), validate=True))
        changed = json_patch.apply(obj, operations)
    except (ValueError, PatchError) as error:
        raise InternalError(f"Internal error occurred: {error}") from error
    if not is_object(changed):
        raise InternalError(f'Internal error occurred: webhook "{name}" returned a patch whose result is not an object')
    for field in ("apiVersion", "kind"):
        if changed.get(field) != obj.get(field):
            raise InternalError(f'Internal error occurred: webhook "{name}" may not change {field}')
    if dig(changed, "metadata", "name") != dig(obj, "metadata", "name"):
        raise InternalError(f'Internal error occurred: webhook "{name}" may not rename the object')
    if changed.get("kind") == resource.kind:
        _conform(resource, changed)
    return changed


def _conform(resource: Resource, obj: Json) -> None:
    findings = schema.check(resource.schema, obj)
    if findings.type_error and not resource.custom:
        raise InternalError(f"Internal error occurred: {findings.type_error}")
    if findings.unknown:
        schema.drop_unknown(resource.schema, obj)
    if findings.nulls:
        resource.drop_nulls(obj)
