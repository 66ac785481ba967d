"""The webhooks of apps: from a review to its response, by the rules that the embedded server runs too.

Rules are pure and read facts synchronously. A fact that is not available raises `_Missing`; it is fetched, and the rule
runs again. This terminates, since a rule that sees the same facts requests the same next fact.
"""

import base64
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from windlass.apis.admission import Checks, Mutation, Request, Rule
from windlass.apis.app import App, Conversion
from windlass.kube.api import Api
from windlass.kube.errors import ApiError, BadRequest, NotFound
from windlass.kube.json import Json, Object, dig, dig_list, encode, is_object
from windlass.kube.kind import KINDS
from windlass.kube.view import untyped
from windlass.webhooks.configuration import CONVERT_PATH
from windlass.webhooks.reviews import answered, request_of

ADMISSION = ("admission.k8s.io/v1",)
CONVERSION = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
_MUTABLE = (("spec",), ("metadata", "annotations"), ("metadata", "labels"))
"""The parts of an object that rules may change."""

Handler: TypeAlias = Callable[[Json], Awaitable[Object]]
"""Answers a review. Raises BadReview, and ApiError if a fact cannot be fetched."""


def handlers(apps: Iterable[App], api: Api, checks: Checks) -> Mapping[str, Handler]:
    """Return the handlers by path."""
    by_path: dict[str, Handler] = {}
    for app in apps:
        by_path |= {rule.path: _admission(rule, api, checks) for rule in app.rules}
        if app.conversion is not None:
            by_path[CONVERT_PATH] = _conversion(app.conversion)
    return by_path


class _Missing(Exception):
    """Raised for a fact that has not been fetched: all objects of a kind (in a namespace) if `name` is empty."""

    def __init__(self, kind: type, name: str, namespace: str) -> None:
        self.key = (kind, name, namespace)


class _Fetched:
    """The facts that were fetched for one review."""

    def __init__(self, checks: Checks) -> None:
        self.checks, self.now = checks, datetime.now(UTC)
        self._objects: dict[tuple[type, str, str], Sequence[Object]] = {}

    def get(self, kind: type, name: str, namespace: str = "") -> Object | None:
        objects = self._facts(kind, name, namespace) if name else ()
        return objects[0] if objects else None

    def list(self, kind: type, namespace: str = "") -> Sequence[Object]:
        return self._facts(kind, "", namespace)

    def _facts(self, kind: type, name: str, namespace: str) -> Sequence[Object]:
        if (kind, name, namespace) not in self._objects:
            raise _Missing(kind, name, namespace)
        return self._objects[kind, name, namespace]

    async def fetch(self, missing: _Missing, api: Api) -> None:
        kind, name, namespace = missing.key
        view = untyped(KINDS.of(kind))
        if not name:
            self._objects[missing.key] = (await api.list(view, namespace=namespace)).items
            return
        try:
            self._objects[missing.key] = [await api.get(view, name, namespace)]
        except NotFound:
            self._objects[missing.key] = []


def _admission(rule: Rule, api: Api, checks: Checks) -> Handler:
    async def handle(review: Json) -> Object:
        request = request_of(review, "AdmissionReview", ADMISSION)
        facts = _Fetched(checks)
        while True:
            try:
                return answered(review, _decide(rule, request, facts))
            except _Missing as missing:
                await facts.fetch(missing, api)

    return handle


def _decide(rule: Rule, asked: Object, facts: _Fetched) -> Object:
    """Build the `response` of a review, without the uid."""
    if asked.get("operation") not in rule.operations:
        return {"allowed": True}
    try:
        request = _request(rule, asked)
        if isinstance(rule, Mutation):
            return _patched(request.obj or {}, rule.mutate(request, facts))
        verdict = rule.validate(request, facts)
    except ApiError as error:
        return {"allowed": False, "status": error.status()}
    warnings = {"warnings": list(verdict.warnings)} if verdict.warnings else {}
    if verdict.refusal is not None:
        return {"allowed": False, "status": verdict.refusal, **warnings}
    return {"allowed": True, **warnings}


def _request(rule: Rule, asked: Object) -> Request:
    obj, old = (asked.get(field) if is_object(asked.get(field)) else None for field in ("object", "oldObject"))
    operation, kind = str(asked["operation"]), rule.kind.name
    if operation != "DELETE" and (obj is None or obj.get("kind") != kind):
        raise BadRequest(f"this webhook handles kind {kind}, not {dig(obj, 'kind')}")
    name, namespace = (str(asked.get(field) or "") for field in ("name", "namespace"))
    return Request(operation=operation, kind=kind, obj=obj, old=old, namespace=namespace, name=name)


def _patched(obj: Object, filled: Object) -> Object:
    patch = [
        {"op": "add", "path": "/" + "/".join(path), "value": value}
        for path in _MUTABLE
        if (value := dig(filled, *path)) != dig(obj, *path)
    ]
    if not patch:
        return {"allowed": True}
    return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(encode(patch)).decode()}


def _conversion(conversion: Conversion) -> Handler:
    async def handle(review: Json) -> Object:
        request = request_of(review, "ConversionReview", CONVERSION)
        return answered(review, convert_all(conversion, request))

    return handle


def convert_all(conversion: Conversion, request: Object) -> Object:
    """Convert all objects of the request to the desired version, or none and return the reason."""
    desired = str(request.get("desiredAPIVersion") or "")
    converted: list[Object] = []
    try:
        for obj in dig_list(request, "objects"):
            if not is_object(obj):
                raise ValueError("objects to convert must be JSON objects")
            converted.append(conversion.convert(obj, desired))
    except ValueError as error:
        return {"result": {"status": "Failure", "message": str(error)}, "convertedObjects": []}
    return {"result": {"status": "Success"}, "convertedObjects": converted}
