"""Converts custom resources between the versions of their definition.

Strategy None changes apiVersion only. Strategy Webhook sends a ConversionReview and accepts the response under the same
conditions as Kubernetes: same objects, same order, no changes to metadata except labels and annotations. Kinds that are
implemented in this process may register a function instead, which takes precedence.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import uuid4

from windlass.kube.errors import InternalError
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object

Converter: TypeAlias = Callable[[Object, str], Object]
"""Converts an object to an apiVersion; must not change its argument."""
Ask: TypeAlias = Callable[[Object, Object], Awaitable[Object]]
"""Sends a ConversionReview to a clientConfig and returns the webhook's. Raises `webhook_client.Unreachable`."""

TIMEOUT_SECONDS = 30.0  # seconds; Kubernetes' own for conversion webhooks
_CONVERTERS: dict[tuple[str, str], Converter] = {}
_MAY_CHANGE = ("labels", "annotations")


def register_converter(group: str, kind: str, convert: Converter) -> None:
    """Convert this kind in process from now on, whatever its definition says."""
    _CONVERTERS[group, kind] = convert


def unregister_converter(group: str, kind: str) -> None:
    _CONVERTERS.pop((group, kind), None)


@dataclass(frozen=True, slots=True)
class Conversion:
    """The conversion between the versions of a definition."""

    group: str
    kind: str
    strategy: str
    review_versions: tuple[str, ...]
    client_config: Object

    @property
    def by_webhook(self) -> bool:
        """Whether only `convert`, which may wait for the network, works, and not `convert_now`."""
        return self.strategy == "Webhook" and (self.group, self.kind) not in _CONVERTERS

    def convert_now(self, obj: Object, api_version: str) -> Object:
        """Convert the object to `api_version` synchronously; raises an error if only a webhook could."""
        if obj.get("apiVersion") == api_version:
            return obj
        converter = _CONVERTERS.get((self.group, self.kind))
        if converter is not None:
            return {**converter(obj, api_version), "apiVersion": api_version, "kind": obj.get("kind")}
        if self.by_webhook:
            raise InternalError(f"{self._failed(obj)}the webhook cannot be called here")
        return {**obj, "apiVersion": api_version}

    async def convert(self, objects: Sequence[Object], api_version: str, ask: Ask) -> list[Object]:
        """Convert all `objects` to `api_version`, with one request to the webhook if there is one."""
        if not self.by_webhook:
            return [self.convert_now(obj, api_version) for obj in objects]
        stale = [obj for obj in objects if obj.get("apiVersion") != api_version]
        if not stale:
            return list(objects)
        from windlass.apiserver.webhook_client import Unreachable

        review, uid = conversion_review(stale, api_version, self.review_versions)
        failed = self._failed(stale[0])
        try:
            answer = await ask(self.client_config, review)
        except Unreachable as error:
            raise InternalError(f"{failed}{error}") from error
        converted = iter(converted_objects(answer, uid, stale, api_version, failed))
        return [obj if obj.get("apiVersion") == api_version else next(converted) for obj in objects]

    def _failed(self, obj: Object) -> str:
        return f"conversion webhook for {obj.get('apiVersion')}, Kind={self.kind} failed: "


def conversion_of(crd: Object) -> Conversion:
    conversion = dig_object(crd, "spec", "conversion")
    return Conversion(
        group=str(dig(crd, "spec", "group") or ""),
        kind=str(dig(crd, "spec", "names", "kind") or ""),
        strategy=str(conversion.get("strategy") or "None"),
        review_versions=tuple(str(v) for v in dig_list(conversion, "webhook", "conversionReviewVersions")),
        client_config=dig_object(conversion, "webhook", "clientConfig"),
    )


def conversion_review(objects: Sequence[Object], api_version: str, accepted: Sequence[str]) -> tuple[Object, str]:
    """The request to send, and the uid that the response must repeat."""
    version = next((v for v in accepted if v in ("v1", "v1beta1")), "v1")
    uid = str(uuid4())
    request: Object = {"uid": uid, "desiredAPIVersion": api_version, "objects": list(objects)}
    return {"apiVersion": f"apiextensions.k8s.io/{version}", "kind": "ConversionReview", "request": request}, uid


def converted_objects(review: Json, uid: str, sent: Sequence[Object], api_version: str, failed: str) -> list[Object]:
    """Return the objects of a ConversionReview response. Raises InternalError with Kubernetes' message."""
    response = dig(review, "response")
    if not is_object(response):
        raise InternalError(f"{failed}no response provided")
    if response.get("uid") != uid:
        raise InternalError(f'{failed}expected response.uid="{uid}", got "{response.get("uid") or ""}"')
    result = dig_object(response, "result")
    if result.get("status") != "Success":
        raise InternalError(f"{failed}{result.get('message') or 'no message provided'}")
    converted = response.get("convertedObjects")
    count = len(converted) if is_list(converted) else 0
    if not is_list(converted) or count != len(sent):
        raise InternalError(f"{failed}webhook returned {count} objects, expected {len(sent)}")
    return [
        checked(after, before, api_version, f"{failed}invalid converted object at index {index}: ")
        for index, (after, before) in enumerate(zip(converted, sent, strict=True))
    ]


def checked(after: Json, before: Object, api_version: str, failed: str) -> Object:
    """Check that the webhook changed only what it may, and return `after` with the metadata of `before`."""
    if not is_object(after):
        raise InternalError(f"{failed}object is missing")
    if after.get("apiVersion") != api_version:
        raise InternalError(f"{failed}expected apiVersion {api_version}, got {after.get('apiVersion') or ''}")
    if after.get("kind") != before.get("kind"):
        raise InternalError(f"{failed}expected kind {before.get('kind')}, got {after.get('kind') or ''}")
    old, new = dig_object(before, "metadata"), dig_object(after, "metadata")
    for field in ("name", "namespace", "uid"):
        if new.get(field) != old.get(field):
            raise InternalError(
                f'{failed}metadata.{field}: Invalid value: "{new.get(field) or ""}": field is immutable'
            )
    metadata = {key: value for key, value in old.items() if key not in _MAY_CHANGE}
    metadata.update({key: new[key] for key in _MAY_CHANGE if new.get(key)})
    return {**after, "metadata": metadata}
