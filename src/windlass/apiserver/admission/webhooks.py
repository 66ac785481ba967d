"""Admission webhooks: who is asked about a write, what they are sent, and what their answer does.

Mutating webhooks are asked one after the other (and once more if they wish so and a later one changed the object),
validating ones all at once. The decisions are pure; `call` is the only place that talks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.matching import matches_rules, matches_selectors
from windlass.apiserver.api import Api
from windlass.apiserver.webhook_client import Unreachable, post_review
from windlass.kube.errors import ApiError, BadRequest, Forbidden, InternalError, from_status
from windlass.kube.json import Object, dig, dig_list, dig_object, is_list, is_object
from windlass.kube.patch import PatchError, json_patch

MUTATING = "admissionregistration.k8s.io/mutatingwebhookconfigurations"
VALIDATING = "admissionregistration.k8s.io/validatingwebhookconfigurations"
_GROUP = "admissionregistration.k8s.io"

Send: TypeAlias = Callable[[Api, Object, Object, float], Awaitable[Object]]
"""(api, clientConfig, review, seconds) -> the webhook's AdmissionReview."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """One webhook of one configuration."""

    configuration: str
    spec: Object

    @property
    def name(self) -> str:
        return str(self.spec.get("name", ""))

    @property
    def timeout(self) -> int:
        return int(self.spec.get("timeoutSeconds") or 10)

    @property
    def tolerated(self) -> bool:
        """Whether the write goes on when the webhook cannot be asked."""
        return self.spec.get("failurePolicy") == "Ignore"


class Webhooks:
    """All configured webhooks of one server."""

    def __init__(self, api: Api, send: Send = post_review) -> None:
        self._api = api
        self._send = send

    @property
    def configured(self) -> bool:
        return bool(self._api.store.count(MUTATING) or self._api.store.count(VALIDATING))

    async def mutate(self, attributes: Attributes) -> bool:
        changed, again = False, list[Webhook]()
        for webhook in self._asked(MUTATING, attributes):
            if await self._mutate_once(webhook, attributes):
                changed = True
                for earlier in again:
                    await self._mutate_once(earlier, attributes)
            if webhook.spec.get("reinvocationPolicy") == "IfNeeded":
                again.append(webhook)
        return changed

    async def validate(self, attributes: Attributes) -> None:
        asked = list(self._asked(VALIDATING, attributes))
        if not asked:
            return
        answers = await asyncio.gather(*[self._ask(webhook, attributes) for webhook in asked], return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer

    def _asked(self, store_key: str, attributes: Attributes) -> Iterator[Webhook]:
        if attributes.resource.group == _GROUP:
            return  # a webhook that refuses its own removal could never be removed
        configurations = sorted(self._api.read_all(store_key), key=lambda found: found["metadata"]["name"])
        for configuration in configurations:
            for spec in dig_list(configuration, "webhooks"):
                if is_concerned(self._api, spec, attributes):
                    yield Webhook(configuration["metadata"]["name"], spec)

    async def _mutate_once(self, webhook: Webhook, attributes: Attributes) -> bool:
        response = await self._ask(webhook, attributes)
        patch = response.get("patch") if response else None
        if not patch or attributes.obj is None:
            return False
        changed = patched(webhook, attributes.obj, response)
        if changed == attributes.obj:
            return False
        attributes.obj = changed
        return True

    async def _ask(self, webhook: Webhook, attributes: Attributes) -> Object:
        """The webhook's response; empty where it could not be asked and that is tolerated. Raises its refusal."""
        if attributes.dry_run and webhook.spec.get("sideEffects") not in ("None", "NoneOnDryRun"):
            raise BadRequest(f'admission webhook "{webhook.name}" does not support dry run')
        review = review_of(webhook, attributes)
        try:
            answer = await self._send(self._api, dig_object(webhook.spec, "clientConfig"), review, webhook.timeout)
            return judged(webhook, answer, review["request"]["uid"], attributes)
        except Unreachable as error:
            if webhook.tolerated:
                return {}
            raise InternalError(f'Internal error occurred: failed calling webhook "{webhook.name}": {error}') from error


def is_concerned(api: Api, spec: Object, attributes: Attributes) -> bool:
    """Whether a webhook wants to hear of this write."""
    if not matches_rules(dig_list(spec, "rules"), attributes, str(spec.get("matchPolicy") or "Equivalent")):
        return False
    namespace = api.read("/namespaces", "", attributes.namespace) if attributes.namespace else None
    if not matches_selectors(spec, attributes, namespace):
        return False
    conditions = dig_list(spec, "matchConditions")
    if not conditions:
        return True
    from windlass.apiserver.admission.conditions import all_hold

    return all_hold(api, conditions, attributes)


def review_of(webhook: Webhook, attributes: Attributes) -> Object:
    """The AdmissionReview that is sent."""
    resource = attributes.resource
    versions = [str(version) for version in dig_list(webhook.spec, "admissionReviewVersions")]
    version = next((found for found in versions if found in ("v1", "v1beta1")), "v1")
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    named = {"group": resource.group, "version": resource.version, "resource": resource.plural}
    request: Object = {
        "uid": str(uuid4()),
        "kind": kind,
        "resource": named,
        "requestKind": kind,
        "requestResource": named,
        "name": attributes.name,
        "operation": attributes.operation,
        "userInfo": attributes.user.info(),
        "object": attributes.obj,
        "oldObject": attributes.old,
        "dryRun": attributes.dry_run,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": f"{attributes.operation.capitalize()}Options"},
    }
    if attributes.subresource:
        request["subResource"] = request["requestSubResource"] = attributes.subresource
    if attributes.namespace:
        request["namespace"] = attributes.namespace
    return {"apiVersion": f"admission.k8s.io/{version}", "kind": "AdmissionReview", "request": request}


def judged(webhook: Webhook, answer: Object, uid: str, attributes: Attributes) -> Object:
    """The response of an AdmissionReview; raises where it refuses, or makes no sense."""
    response = answer.get("response")
    if not is_object(response):
        raise Unreachable(f'failed to call webhook: webhook response lacks "response" for {webhook.configuration}')
    if response.get("uid") != uid:
        raise Unreachable(f'expected response.uid="{uid}", got "{response.get("uid") or ""}"')
    for warning in dig_list(response, "warnings"):
        attributes.warnings.append(str(warning))
    if response.get("allowed") is True:
        return response
    raise refusal(webhook.name, dig_object(response, "status"))


def refusal(name: str, status: Object) -> ApiError:
    """The error that a webhook's no becomes."""
    message, reason = status.get("message"), status.get("reason")
    prefix = f'admission webhook "{name}" denied the request'
    text = f"{prefix}: {message or reason}" if message or reason else f"{prefix} without explanation"
    code = status.get("code")
    if not isinstance(code, int) or not 400 <= code < 600:
        code = 403
    if code == 403:
        return Forbidden(text, status=_status(text, str(reason or "Forbidden"), code, status))
    error = from_status(code, {"reason": reason})
    return type(error)(text, status=_status(text, str(reason or error.reason), code, status))


def _status(message: str, reason: str, code: int, given: Object) -> Object:
    status: Object = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    details = given.get("details")
    return {**status, "details": details} if is_object(details) else status


def patched(webhook: Webhook, obj: Object, response: Object) -> Object:
    """The object after the webhook's JSON patch."""
    import base64
    import binascii

    import msgspec

    from windlass.kube.json import decode

    if response.get("patchType") not in (None, "JSONPatch"):
        raise InternalError(f'admission webhook "{webhook.name}" sent an unknown patchType {response["patchType"]!r}')
    try:
        operations: Any = decode(base64.b64decode(str(response["patch"]), validate=True))
        if not is_list(operations):
            raise InternalError(f'admission webhook "{webhook.name}" sent a patch that is not a list')
        changed = json_patch.apply(obj, operations)
    except (binascii.Error, msgspec.DecodeError, PatchError) as error:
        raise InternalError(f'admission webhook "{webhook.name}" sent a patch that does not apply: {error}') from error
    if not is_object(changed) or dig(changed, "metadata", "name") != dig(obj, "metadata", "name"):
        raise InternalError(f'admission webhook "{webhook.name}" may not rename or replace the object')
    return changed
