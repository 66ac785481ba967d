"""A server that refuses every write but those of a status, and one step of a controller against it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.kube import errors
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.controller import Acting, Controller
from windlass.kube.events import Recorder
from windlass.kube.json import encode
from windlass.kube.kind import KINDS
from windlass.kube.objects import AnyObject, key_of
from windlass.kube.patch import merge_patch
from windlass.kube.transport import Request, Response
from windlass.kube.view import View, view
from windlass.kube.worker import Actor, Reconciler

REASON = "is forbidden: not here"


class Refusing:
    """A transport: statuses are kept, anything else that is written is refused by its name."""

    def __init__(self, owner: dict[str, Any]) -> None:
        self.owner = owner

    async def request(self, request: Request) -> Response:
        body = json.loads(request.body) if request.body else {}
        if request.method == "GET":
            return self._answer(404, errors.NotFound("not there").status())
        if request.path.endswith("/status"):
            self.owner = merge_patch.apply(self.owner, body)
            return self._answer(200, self.owner)
        name = body.get("metadata", {}).get("name") or request.path.rpartition("/")[2]
        return self._answer(403, errors.Forbidden(f'"{name}" {REASON}').status())

    def _answer(self, code: int, body: Any) -> Response:
        return Response(code, {"Content-Type": "application/json"}, encode(body))

    def stream(self, request: Request) -> Any:
        raise AssertionError("nothing is watched")

    async def close(self) -> None:
        pass


class Events(Recorder):
    """Keeps the warnings: the kind they are about, the reason and the message."""

    def __init__(self) -> None:
        self.warnings: list[tuple[str, str, str, str]] = []

    def record(self, component: str, obj: AnyObject, kind: Any, reason: str, message: str, **how: Any) -> None:
        if how["warning"]:
            self.warnings.append((kind.name, key_of(obj).name, reason, message))


@dataclass
class Outcome:
    """What was reported, and the status of the object."""

    error: errors.ApiError | None
    warnings: list[tuple[str, str, str, str]]
    status: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def conditions(self) -> dict[str, dict[str, Any]]:
        return {one.get("type", ""): one for one in self.status.get("conditions", [])}


def declared(controller: Controller[Any] | Acting[Any]) -> list[View[Any]]:
    return [view(source) for source in (controller.kind, *controller.owns, *(one for one, _ in controller.watches))]


async def step(controller: Controller[Any] | Acting[Any], objects: Sequence[dict[str, Any]]) -> Outcome:
    """One step for the first of the objects, while the caches hold all of them."""
    stores: dict[View[Any], Store[Any]] = {form: Store() for form in declared(controller)}
    for form, store in stores.items():
        for obj in objects:
            if (obj["apiVersion"], obj["kind"]) == (form.kind.api_version, form.kind.name):
                store.put(form.decode(encode(obj)))
    server, events = Refusing(objects[0]), Events()
    client = Client(server)
    worker = (
        Reconciler(controller, client, stores, lambda kind: None, events)
        if isinstance(controller, Controller)
        else Actor(controller, client, stores, events)
    )
    assert objects[0]["kind"] == KINDS.of(controller.kind).name
    try:
        await worker.step(key_of(objects[0]))
    except errors.ApiError as error:
        return Outcome(error, events.warnings, server.owner.get("status", {}))
    return Outcome(None, events.warnings, server.owner.get("status", {}))
