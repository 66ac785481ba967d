"""An in-memory world for tests of controllers: the real reconciler and applier, over a small fake API server.

`World(controller)` holds objects; `step` runs one reconcile of one object and carries its plan out, `settle` does so
until nothing is written any more. With `kill_after=n` the process dies after the n-th write of the step, and the next
step starts with empty memory, as after a restart.

The server knows lists, creation, merge patches, server-side apply, deletion with finalizers and cascading, resource
versions and uid preconditions. It has no admission, no schemas and no conflicts between field managers, and replaces
lists as a whole. Caches follow every write at once.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, TypeVar, cast

from windlass.kube import errors, meta
from windlass.kube.applier import merge_difference
from windlass.kube.cache import Store
from windlass.kube.client import APPLY, Client
from windlass.kube.controller import Controller, Observed
from windlass.kube.events import Recorder
from windlass.kube.json import Object as Json
from windlass.kube.json import decode, dig, dig_list, encode, is_object, timestamp
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of, labels_of, uid_of, version_of, wire
from windlass.kube.patch import merge_patch
from windlass.kube.plan import Adopt, Apply, Create, CreateUnowned, Delete, Event, Patch, PatchStatus, Plan
from windlass.kube.selector import parse_fields, parse_labels
from windlass.kube.transport import Request, Response
from windlass.kube.view import View, view
from windlass.kube.worker import Reconciler

K = TypeVar("K", bound=meta.Object)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STEPS_UNTIL_SETTLED = 50


# --- what a plan asks for


def applied(plan: Plan) -> list[Any]:
    return [action.obj for action in plan.actions if isinstance(action, Apply)]


def created(plan: Plan) -> list[Any]:
    return [action.obj for action in plan.actions if isinstance(action, Create)]


def created_unowned(plan: Plan) -> list[Any]:
    return [action.obj for action in plan.actions if isinstance(action, CreateUnowned)]


def adopted(plan: Plan) -> list[Any]:
    return [action.obj for action in plan.actions if isinstance(action, Adopt)]


def patched(plan: Plan) -> list[tuple[Any, Json]]:
    return [(action.obj, action.patch) for action in plan.actions if isinstance(action, Patch)]


def status_patched(plan: Plan) -> list[tuple[Any, Json]]:
    return [(action.obj, action.status) for action in plan.actions if isinstance(action, PatchStatus)]


def deleted(plan: Plan) -> list[Any]:
    return [action.obj for action in plan.actions if isinstance(action, Delete)]


# --- the server


class Killed(BaseException):
    """The process was killed; derived from BaseException so that no retry loop survives it."""


class MemoryServer:
    """A transport that keeps objects in memory and answers the requests that an applier makes."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.undeclared: set[Kind] = set()
        """Kinds that are served though no struct declares them; a client learns of them by discovery."""
        self.objects: dict[tuple[Kind, Key], Json] = {}
        self.changed: Callable[[Kind, Key, Json | None], None] = lambda kind, key, obj: None
        """Called after each change with the new object, or None once it is gone."""
        self.created: list[Json] = []
        """Objects as clients sent them, in the order of their creation."""
        self.lingering: Callable[[Json], bool] = lambda obj: False
        """Objects that keep existing after their deletion until `finish_deletion`, as pods on a node do."""
        self.refuse: Callable[[str, Json], errors.ApiError | None] = lambda verb, obj: None
        """The error with which a create, patch, apply or delete of an object is refused."""
        self.collects_garbage = True
        """Whether the objects that a deleted object controlled are deleted too."""
        self.writes = self.status_writes = 0
        self.kill_at: int | None = None
        self._clock = clock
        self._applied: dict[tuple[str, Kind, Key], Json] = {}
        self._held: set[str] = set()
        self.version = 0
        """Of the last change."""

    # --- for tests

    def put(self, obj: Json) -> Json:
        """Create or replace an object, as any other client might. One that is being deleted lingers."""
        kind = self.kind_of(obj)
        key = key_of(obj)
        known = self.objects.get((kind, key))
        metadata: Json = {"uid": f"{kind.name.lower()}-{self.version + 1}", **obj["metadata"]}
        if known is not None:
            metadata["uid"] = known["metadata"]["uid"]
            metadata["resourceVersion"] = version_of(known)
            if merge_patch.same(known, {**obj, "metadata": metadata}):
                return known
        if metadata.get("deletionTimestamp"):
            self._held.add(metadata["uid"])
        return self._store(kind, {**obj, "metadata": metadata})

    def finish_deletion(self, kind: Kind, key: Key) -> None:
        obj = self.objects.pop((kind, key))
        self.version += 1
        self.changed(kind, key, None)
        if self.collects_garbage:
            self._collect(uid_of(obj))

    # --- transport

    async def request(self, request: Request) -> Response:
        if request.method != "GET":
            self._check_alive()
        try:
            answer = self._answer(request)
        except errors.ApiError as error:
            return Response(error.code, {"Content-Type": "application/json"}, encode(error.status()))
        if request.method != "GET":
            self.writes += 1
            self._check_alive()
        return Response(200, {"Content-Type": "application/json"}, encode(answer))

    def _check_alive(self) -> None:
        if self.kill_at is not None and self.writes >= self.kill_at:
            raise Killed

    def stream(self, request: Request) -> Any:
        raise AssertionError("the caches of a World need no watch")

    async def close(self) -> None:
        pass

    def _answer(self, request: Request) -> Json:
        if request.path in ("/api", "/apis"):
            return _discovery(self.undeclared if request.path == "/apis" else ())
        kind, key, subresource = self._target(request.path)
        body: Json = decode(request.body) if request.body else {}
        match request.method:
            case "GET" if not key.name:
                return self._list(kind, key.namespace, request.query.get("labelSelector", ""))
            case "GET":
                return self._existing(kind, key)
            case "POST":
                return self._create(kind, key.namespace, body)
            case "PATCH" if request.content_type == APPLY:
                return self._apply(kind, key, body, request.query.get("fieldManager", ""))
            case "PATCH":
                return self._patch(kind, key, body, subresource)
            case "DELETE":
                return self.delete(kind, key, body)
            case method:
                raise AssertionError(f"a World does not answer {method} {request.path}")

    def _target(self, path: str) -> tuple[Kind, Key, str]:
        """The kind, the object and the subresource of a request's path."""
        _, root, *parts = path.split("/")
        group, version, *parts = ("", *parts) if root == "api" else parts
        namespace = ""
        if parts[0] == "namespaces" and len(parts) > 2:
            _, namespace, *parts = parts
        plural, name, subresource = (*parts, "", "")[:3]
        kind = next(kind for kind in self._kinds() if kind.place == (group, version, plural))
        return kind, Key(namespace, name), subresource

    def _kinds(self) -> Iterator[Kind]:
        return chain(KINDS, self.undeclared)

    def kind_of(self, obj: Json) -> Kind:
        names = obj["apiVersion"], obj["kind"]
        return next(kind for kind in self._kinds() if (kind.api_version, kind.name) == names)

    def _existing(self, kind: Kind, key: Key) -> Json:
        obj = self.objects.get((kind, key))
        if obj is None:
            raise errors.NotFound(f'{kind.group_resource} "{key.name}" not found')
        return obj

    def _list(self, kind: Kind, namespace: str, labels: str) -> Json:
        selector = parse_labels(labels)
        items = [
            obj
            for (of, key), obj in self.objects.items()
            if of == kind and namespace in ("", key.namespace) and selector.matches(labels_of(obj))
        ]
        return {"kind": f"{kind.name}List", "metadata": {"resourceVersion": str(self.version)}, "items": items}

    def _check_refusal(self, verb: str, obj: Json) -> None:
        error = self.refuse(verb, obj)
        if error is not None:
            raise error

    def _create(self, kind: Kind, namespace: str, body: Json) -> Json:
        self._check_refusal("create", body)
        metadata: Json = dict(body["metadata"])
        if not metadata.get("name"):
            metadata["name"] = f"{metadata['generateName']}{self.version + 1:05}"
        if kind.namespaced:
            metadata["namespace"] = namespace
        if (kind, Key(metadata.get("namespace", ""), metadata["name"])) in self.objects:
            raise errors.AlreadyExists(f'{kind.group_resource} "{metadata["name"]}" already exists')
        metadata |= {"uid": f"{kind.name.lower()}-{self.version + 1}", "creationTimestamp": timestamp(self._clock())}
        metadata["generation"] = 1
        self.created.append(body)
        initial: Json = {"status": {"phase": "Pending"}} if (kind.group, kind.name) == ("", "Pod") else {}
        return self._store(kind, {**_written(kind, body), **initial, "metadata": metadata})

    def _apply(self, kind: Kind, key: Key, body: Json, manager: str) -> Json:
        self._check_refusal("apply", body)
        before = self._applied.get((manager, kind, key), {})
        self._applied[manager, kind, key] = body
        if (kind, key) not in self.objects:
            return self._create(kind, key.namespace, body)
        return self._change(kind, key, merge_difference(before, body), body)  # takes out what it no longer names

    def _patch(self, kind: Kind, key: Key, body: Json, subresource: str) -> Json:
        known = self._existing(kind, key)
        self._check_refusal("patch", known)
        metadata: Json = body.get("metadata") or {}
        if metadata.get("uid", uid_of(known)) != uid_of(known):
            raise errors.Conflict(f'{kind.group_resource} "{key.name}" has another uid')
        if metadata.get("resourceVersion", version_of(known)) != version_of(known):
            raise errors.Conflict(f'{kind.group_resource} "{key.name}" has changed')
        if subresource == "status":
            self.status_writes += 1
            return self._change(kind, key, {"status": body.get("status")})
        return self._change(kind, key, _written(kind, body))

    def _change(self, kind: Kind, key: Key, *patches: Json) -> Json:
        new = known = self.objects[kind, key]
        for patch in patches:
            new = cast(Json, merge_patch.apply(new, patch))
        return known if merge_patch.same(new, known) else self._store(kind, new)

    def delete(self, kind: Kind, key: Key, options: Json) -> Json:
        known = self._existing(kind, key)
        self._check_refusal("delete", known)
        uid = dig(options, "preconditions", "uid")
        if uid and uid != uid_of(known):
            raise errors.Conflict(f'{kind.group_resource} "{key.name}" has another uid')
        if not known["metadata"].get("deletionTimestamp"):
            known = self._change(kind, key, {"metadata": {"deletionTimestamp": timestamp(self._clock())}})
        return known

    def _store(self, kind: Kind, obj: Json) -> Json:
        key = key_of(obj)
        known = self.objects.get((kind, key))
        self.version += 1
        metadata: Json = {**obj["metadata"], "resourceVersion": str(self.version)}
        if known is not None and not merge_patch.same(_spec(known), _spec(obj)):
            metadata["generation"] = known["metadata"].get("generation", 0) + 1
        stored: Json = {**obj, "apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata}
        self.objects[kind, key] = stored
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers") and not self._lingers(stored):
            self.finish_deletion(kind, key)
        else:
            self.changed(kind, key, stored)
        return stored

    def _lingers(self, obj: Json) -> bool:
        return uid_of(obj) in self._held or self.lingering(obj)

    def _collect(self, uid: str) -> None:
        """Delete what the object with this uid controlled, as the garbage collector would."""
        for (kind, key), obj in list(self.objects.items()):
            owners = dig_list(obj, "metadata", "ownerReferences")
            if any(owner["uid"] == uid and owner.get("controller") for owner in owners) and (kind, key) in self.objects:
                self.delete(kind, key, {})


def _discovery(kinds: Iterable[Kind]) -> Json:
    groups = [
        {
            "metadata": {"name": kind.group},
            "versions": [{"version": kind.version, "resources": [_resource(kind)]}],
        }
        for kind in kinds
    ]
    return {"kind": "APIGroupDiscoveryList", "items": groups}


def _resource(kind: Kind) -> Json:
    scope = "Namespaced" if kind.namespaced else "Cluster"
    subresources = [{"subresource": "status"}] if kind.status else []
    return {
        "resource": kind.plural, "responseKind": {"kind": kind.name}, "scope": scope, "subresources": subresources
    }  # fmt: skip


def _written(kind: Kind, body: Json) -> Json:
    """What a request to the object itself can write: not the status, where that is a subresource."""
    return {name: value for name, value in body.items() if name != "status"} if kind.status else body


def _spec(obj: Json) -> Json:
    return {name: value for name, value in obj.items() if name not in ("metadata", "status", "apiVersion", "kind")}


# --- the world


class Objects(MutableMapping[str, K]):
    """The objects of one kind in the world's namespace, by name."""

    def __init__(self, world: "World", kind: type[K]) -> None:
        self._world, self._struct, self._kind = world, kind, KINDS.of(kind)

    def __getitem__(self, name: str) -> K:
        obj = self._world.find(self._struct, name)
        if obj is None:
            raise KeyError(name)
        return obj

    def __setitem__(self, name: str, obj: K) -> None:
        assert name == obj.metadata.name
        self._world.put(obj)

    def __delitem__(self, name: str) -> None:
        self._world.finish_deletion(self._struct, name)

    def __iter__(self) -> Iterator[str]:
        return iter([key.name for kind, key in self._world.server.objects if kind == self._kind])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


class _Events(Recorder):
    """Keeps events instead of posting them."""

    def __init__(self) -> None:
        self.recorded: list[Event] = []

    def record(self, component: str, obj: AnyObject, kind: Kind, reason: str, message: str, **how: Any) -> None:
        self.recorded.append(Event(reason=reason, message=message, warning=how["warning"]))


class World:
    """Objects, and the controllers that reconcile them, at one moment of a clock that only tests move."""

    def __init__(self, *controllers: Controller[Any], namespace: str = "default", now: datetime = NOW) -> None:
        self.now = now
        self.namespace = namespace
        self.controllers = controllers
        self.server = MemoryServer(lambda: self.now)
        self.server.changed = self._changed
        self._events = _Events()
        self._plan = Plan()
        self._reconcilers: dict[str, Reconciler] = {}
        self._stores: dict[View[Any], Store[Any]] = {}
        for controller in controllers:
            for source in (controller.kind, *controller.owns, *(source for source, _ in controller.watches)):
                self._stores.setdefault(view(source), Store(partial=view(source).is_narrow))
        declared = {kind.place for kind in KINDS}
        self.server.undeclared = {form.kind for form in self._stores if form.kind.place not in declared}

    # --- objects

    @property
    def events(self) -> list[Event]:
        return self._events.recorded

    def put(self, obj: AnyObject) -> Json:
        """Create or replace an object, in the world's namespace unless it names another."""
        value = wire(obj)
        if self.server.kind_of(value).namespaced and not value["metadata"].get("namespace"):
            value = {**value, "metadata": {**value["metadata"], "namespace": self.namespace}}
        return self.server.put(value)

    def change(self, kind: type[meta.Object], name: str, patch: Json) -> Json:
        """Merge `patch` into an object, status included."""
        obj = merge_patch.apply(self.json(kind, name), patch)
        assert is_object(obj)
        return self.server.put(obj)

    def json(self, kind: type[meta.Object], name: str) -> Json:
        return self.server.objects[self._place(kind, name)]

    def find(self, kind: type[K], name: str) -> K | None:
        obj = self.server.objects.get(self._place(kind, name))
        return view(kind).decode(encode(obj)) if obj is not None else None

    def get(self, kind: type[K], name: str) -> K:
        obj = self.find(kind, name)
        assert obj is not None, f"{kind.__name__} {name} does not exist"
        return obj

    def all(self, kind: type[K]) -> "Objects[K]":
        """The objects of a kind by name, in the order of their creation; to write to it is to write to the world."""
        return Objects(self, kind)

    def delete(self, kind: type[meta.Object], name: str) -> None:
        """Delete an object as a user would; one with finalizers, or that lingers, is kept with a deletion timestamp."""
        place = self._place(kind, name)
        self.server.delete(*place, {})

    def finish_deletion(self, kind: type[meta.Object], name: str) -> None:
        """Remove an object whatever holds it."""
        self.server.finish_deletion(*self._place(kind, name))

    def wait(self, passed: timedelta | float) -> None:
        self.now += passed if isinstance(passed, timedelta) else timedelta(seconds=passed)

    def _place(self, kind: type[meta.Object], name: str) -> tuple[Kind, Key]:
        of = KINDS.of(kind)
        return of, Key(self.namespace if of.namespaced else "", name)

    def _changed(self, kind: Kind, key: Key, obj: Json | None) -> None:
        for form, store in self._stores.items():
            if form.kind != kind:
                continue
            if obj is not None and _selects(form, obj):
                store.put(form.decode(encode(obj)))
            else:
                store.remove(key)
            store.reached(str(self.server.version))

    # --- reconciling

    def plan(self, name: str, controller: Controller[Any] | None = None) -> Plan:
        """What a reconcile of the object decides; nothing is written. An object that is gone has an empty plan."""
        controller = controller or self.controllers[0]
        obj = self._stores[view(controller.kind)].get(self._place(controller.kind, name)[1])
        return Plan() if obj is None else controller.reconcile(obj, self.observed(obj))

    def observed(self, obj: AnyObject) -> Observed:
        """What the caches show to a reconcile of `obj`."""
        return Observed(self._stores.__getitem__, obj, self.now)

    def step(self, name: str, controller: Controller[Any] | None = None, *, kill_after: int | None = None) -> Plan:
        """Reconcile one object once and carry its plan out, or the first `kill_after` writes of it.

        A refusal of the server ends the step as it would in a worker: reported, and tried again by the next step.
        """
        controller = controller or self.controllers[0]
        self._plan = Plan()
        self.server.kill_at = None if kill_after is None else self.server.writes + kill_after
        try:
            asyncio.run(self._reconciler(controller).step(self._place(controller.kind, name)[1]))
        except errors.ApiError:
            pass
        except Killed:
            self._reconcilers.clear()  # a new process remembers nothing
        finally:
            self.server.kill_at = None
        return self._plan

    def _reconciler(self, controller: Controller[Any]) -> Reconciler:
        def reconcile(obj: Any, observed: Observed) -> Plan:
            self._plan = controller.reconcile(obj, observed)
            return self._plan

        if controller.name not in self._reconcilers:
            self._reconcilers[controller.name] = Reconciler(
                replace(controller, reconcile=reconcile),
                Client(self.server),
                self._stores,
                lambda kind: None,
                self._events,
                clock=lambda: self.now,
            )
        return self._reconcilers[controller.name]

    def settle(self, name: str | None = None) -> None:
        """Reconcile all objects of all controllers (or those of one name) until no reconcile writes anything."""
        for _ in range(STEPS_UNTIL_SETTLED):
            before = self.server.version
            for controller in self.controllers:
                for each in list(self.all(controller.kind)):
                    if name is None or each == name:
                        self.step(each, controller)
            if self.server.version == before:
                return
        raise AssertionError(f"the objects do not settle within {STEPS_UNTIL_SETTLED} reconciles")


def _selects(form: View[Any], obj: Json) -> bool:
    """Whether a view that is narrowed by selectors shows the object."""
    if form.labels and not parse_labels(form.labels).matches(labels_of(obj)):
        return False
    fields = {"metadata.name": key_of(obj).name, "metadata.namespace": key_of(obj).namespace}
    return not form.fields or parse_fields(form.fields).matches(fields)
