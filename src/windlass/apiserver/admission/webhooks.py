"""Admission webhooks: which ones to call for a write, and in which order.

Mutating webhooks are called one after the other, and again at the end if their reinvocationPolicy says so and the
object has changed since; validating webhooks are called concurrently. `reviews` has the requests and responses.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.matching import matched_version, matches_selectors
from windlass.apiserver.admission.reviews import judged, patched, review_of
from windlass.apiserver.api import Api
from windlass.apiserver.conversions import between
from windlass.apiserver.resources import Resource
from windlass.apiserver.webhook_client import Unreachable, post_review
from windlass.kube.errors import BadRequest, Cause, InternalError
from windlass.kube.json import Object, dig_list, dig_object

MUTATING = "admissionregistration.k8s.io/mutatingwebhookconfigurations"
VALIDATING = "admissionregistration.k8s.io/validatingwebhookconfigurations"
_GROUP = "admissionregistration.k8s.io"

Send: TypeAlias = Callable[[Api, Object, Object, float], Awaitable[Object]]
"""Sends a review: (api, clientConfig, review, seconds) -> the webhook's AdmissionReview. Raises `Unreachable`."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook that matches a write, in the version that its rules name."""

    spec: Object
    resource: Resource
    mutating: bool

    @property
    def name(self) -> str:
        return str(self.spec.get("name", ""))

    @property
    def timeout(self) -> int:
        return int(self.spec.get("timeoutSeconds") or 10)

    @property
    def tolerated(self) -> bool:
        """Whether the write continues if the webhook cannot be called."""
        return self.spec.get("failurePolicy") == "Ignore"


class Webhooks:
    """All configured webhooks of a server."""

    def __init__(self, api: Api, send: Send = post_review) -> None:
        self._api = api
        self._send = send

    async def mutate(self, attributes: Attributes) -> bool:
        original = attributes.obj
        asked: list[tuple[Webhook, Object | None]] = []
        for webhook in self._concerned(MUTATING, attributes):
            await self._mutate_once(webhook, attributes)
            asked.append((webhook, attributes.obj))
        for webhook, left in asked:
            if webhook.spec.get("reinvocationPolicy") == "IfNeeded" and attributes.obj is not left:
                await self._mutate_once(webhook, attributes)
        return attributes.obj is not original

    async def validate(self, attributes: Attributes) -> None:
        asked = list(self._concerned(VALIDATING, attributes))
        if not asked:
            return
        answers = await asyncio.gather(*[self._ask(webhook, attributes) for webhook in asked], return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer

    def _concerned(self, store_key: str, attributes: Attributes) -> Iterator[Webhook]:
        """Yield matching webhooks in the order of their configurations' names, each matched only in its turn."""
        if attributes.resource.group == _GROUP:
            return  # a webhook that refuses its own removal could never be removed
        configurations = sorted(self._api.read_all(store_key), key=lambda found: found["metadata"]["name"])
        for configuration in configurations:
            for spec in dig_list(configuration, "webhooks"):
                resource = wanted_version(self._api, spec, attributes)
                if resource is not None:
                    yield Webhook(spec, resource, store_key == MUTATING)

    async def _mutate_once(self, webhook: Webhook, attributes: Attributes) -> None:
        asked, response = await self._ask(webhook, attributes)
        if asked.obj is None or not response.get("patch"):
            return
        changed = patched(webhook.name, webhook.resource, asked.obj, response)
        if changed != asked.obj:
            (attributes.obj,) = await between([changed], webhook.resource, attributes.resource)

    async def _ask(self, webhook: Webhook, attributes: Attributes) -> tuple[Attributes, Object]:
        """Call a webhook; return the attributes that it was sent and its response, empty if its failure is ignored.

        Raises its refusal.
        """
        if attributes.dry_run and webhook.spec.get("sideEffects") not in ("None", "NoneOnDryRun"):
            raise BadRequest(f'admission webhook "{webhook.name}" does not support dry run')
        asked = await _in_version(webhook.resource, attributes)
        review = review_of(webhook.spec, asked, attributes.resource)
        try:
            try:
                answer = await self._send(self._api, dig_object(webhook.spec, "clientConfig"), review, webhook.timeout)
            except Unreachable as error:
                raise Unreachable(f"failed to call webhook: {error}") from error
            return asked, judged(webhook.name, answer, review, attributes.warnings, mutating=webhook.mutating)
        except Unreachable as error:
            if webhook.tolerated:
                return asked, {}
            why = f'failed calling webhook "{webhook.name}": {error}'
            raise InternalError(f"Internal error occurred: {why}", causes=[Cause("", why, "")]) from error


async def _in_version(resource: Resource, attributes: Attributes) -> Attributes:
    """Convert the write to another version of the resource for a webhook."""
    if resource.api_version == attributes.resource.api_version:
        return attributes
    given = [obj for obj in (attributes.obj, attributes.old) if obj is not None]
    found = iter(await between(given, attributes.resource, resource))
    obj = None if attributes.obj is None else next(found)
    old = None if attributes.old is None else next(found)
    return replace(attributes, resource=resource, obj=obj, old=old)


def wanted_version(api: Api, spec: Object, attributes: Attributes) -> Resource | None:
    """The version in which a webhook receives this write; None if it does not match."""
    how = str(spec.get("matchPolicy") or "Equivalent")
    resource = matched_version(dig_list(spec, "rules"), attributes, how, api.registry)
    if resource is None:
        return None
    namespace = api.read("/namespaces", "", attributes.namespace) if attributes.namespace else None
    if not matches_selectors(spec, attributes, namespace):
        return None
    conditions = dig_list(spec, "matchConditions")
    if not conditions:
        return resource
    from windlass.apiserver.admission.conditions import Undecided, all_hold

    try:
        return resource if all_hold(api, conditions, attributes) else None
    except Undecided as error:
        if spec.get("failurePolicy") == "Ignore":
            return None
        raise attributes.forbid(str(error)) from error
