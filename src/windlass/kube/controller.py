"""A controller: a pure decision about one object, and what it watches so that the decision is made again in time.

`reconcile(obj, observed) -> Plan` takes one object and what the caches hold, and answers what to do. It does no I/O and
keeps no memory: it may run at any time, twice, or after a restart, and must answer the same. The worker
(`windlass.kube.worker`) carries the plan out.

A few controllers must ask the server itself before they can decide (namespace deletion lists every kind). They are
`Acting`: the same, but with an `Api` in hand. Those that watch what is not known beforehand (the garbage collector)
are a `Service`, which is given the runtime's means and runs itself.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeAlias, TypeVar, overload

from windlass.kube import meta
from windlass.kube.api import Api, Runtime
from windlass.kube.cache import Store
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, LabelSelector
from windlass.kube.objects import AnyObject, controller_of, key_of, labels_of, uid_of
from windlass.kube.plan import Event, Outcome, Plan
from windlass.kube.view import View, metadata_only, typed, untyped, view

__all__ = [
    "ALL_OBJECTS",
    "Acted",
    "Acting",
    "Api",
    "Controller",
    "Failing",
    "Key",
    "Matching",
    "Observed",
    "Runtime",
    "Selecting",
    "Service",
]

K = TypeVar("K", bound=meta.Object)
T = TypeVar("T", bound=AnyObject)

Source: TypeAlias = type[meta.Object] | Kind | View[Any]


class Observed:
    """What the caches know at one moment, from one object's point of view: its namespace, its children."""

    def __init__(self, stores: "Callable[[View[Any]], Store[Any]]", of: AnyObject | None, now: datetime) -> None:
        self._stores = stores
        self._uid = uid_of(of) if of is not None else ""
        self._namespace = key_of(of).namespace if of is not None else ""
        self.now = now

    @classmethod
    def just(cls, *objects: AnyObject, of: AnyObject | None = None, now: datetime | None = None) -> "Observed":
        """As if the caches held exactly `objects`: for tests and simulations."""
        stores: dict[View[Any], Store[Any]] = {}
        for obj in objects:
            form: View[Any] = _form(obj)
            stores.setdefault(form, Store()).put(obj)
            if isinstance(obj, meta.Object):  # who looks at its metadata only sees that
                stores.setdefault(metadata_only(type(obj)), Store()).put(obj)
        empty: Store[Any] = Store()
        return cls(lambda form: stores.get(form, empty), of, now or datetime(2026, 1, 1, tzinfo=UTC))

    @overload
    def one(self, of: type[K], name: str, namespace: str | None = None) -> K | None: ...
    @overload
    def one(self, of: View[T], name: str, namespace: str | None = None) -> T | None: ...
    def one(self, of: Any, name: str, namespace: str | None = None) -> Any:
        """By name, in the object's own namespace unless another is named."""
        form: View[Any] = view(of)
        where = self._namespace if namespace is None else namespace
        return self._stores(form).get(Key(where if form.kind.namespaced else "", name))

    @overload
    def owned(self, of: type[K], by: AnyObject | None = None) -> list[K]: ...
    @overload
    def owned(self, of: View[T], by: AnyObject | None = None) -> list[T]: ...
    def owned(self, of: Any, by: AnyObject | None = None) -> Any:
        """Those that the object controls (or another one, as a child that has children of its own), by name."""
        uid = self._uid if by is None else uid_of(by)
        filed = self._stores(view(of)).filed("owner", uid)
        return sorted((o for o in filed if (c := controller_of(o)) and c.uid == uid), key=key_of)

    def orphans(self, of: type[K]) -> list[K]:
        """Those in the object's namespace that nothing controls, by name."""
        return sorted(self._stores(view(of)).filed("orphan", self._namespace), key=key_of)

    @overload
    def all(self, of: type[K], namespace: str | None = None) -> list[K]: ...
    @overload
    def all(self, of: View[T], namespace: str | None = None) -> list[T]: ...
    def all(self, of: Any, namespace: str | None = None) -> Any:
        """Those in the object's namespace (or in the one named; "" is everywhere), by name."""
        form: View[Any] = view(of)
        where = self._namespace if namespace is None else namespace
        store = self._stores(form)
        return sorted(store.filed("namespace", where) if where and form.kind.namespaced else store, key=key_of)

    @overload
    def labelled(self, of: type[K], labels: Mapping[str, str]) -> list[K]: ...
    @overload
    def labelled(self, of: View[T], labels: Mapping[str, str]) -> list[T]: ...
    def labelled(self, of: Any, labels: Mapping[str, str]) -> Any:
        """Those in the object's namespace that have all these labels, by name; found by an index."""
        return sorted(self._stores(view(of)).labelled(self._namespace, labels), key=key_of)

    def matching(self, of: type[K], selector: LabelSelector) -> list[K]:
        """Those in the object's namespace whose labels the selector matches; an empty selector matches all."""
        return [obj for obj in self.all(of) if matches(selector, labels_of(obj))]


def matches(selector: LabelSelector, labels: dict[str, str]) -> bool:
    if any(labels.get(key) != value for key, value in selector.match_labels.items()):
        return False
    return all(_holds(r.operator, labels.get(r.key), r.values) for r in selector.match_expressions)


def _holds(operator: str, value: str | None, values: Sequence[str]) -> bool:
    match operator:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False


def _form(obj: AnyObject) -> View[Any]:
    if isinstance(obj, dict):
        group, _, version = str(obj["apiVersion"]).rpartition("/")
        known = KINDS.find(str(obj["apiVersion"]), str(obj["kind"]))
        return untyped(
            known or Kind(group=group, version=version, name=str(obj["kind"]), plural=str(obj["kind"]).lower() + "s")
        )
    if isinstance(obj, meta.Object):
        return typed(type(obj))
    raise TypeError("metadata alone does not say its kind")


class AllObjects:
    """In place of a mapping: the change concerns every object of the controller's kind (in the same namespace)."""


ALL_OBJECTS = AllObjects()


@dataclass(frozen=True, slots=True)
class Matching:
    """In place of a mapping: the change concerns those of the same namespace for which `test(obj, changed)` holds.

    It asks each of them, so the test must be quick: whether a selector matches labels, say. With `among`, which says of
    an object alone whether it can be concerned at all, only those are asked; they are kept apart, so there may be many
    others.
    """

    test: Callable[[Any, Any], bool]
    among: Callable[[Any], bool] | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """In place of a mapping: the change concerns those whose `name` is that of the changed object.

    Found by an index, so there may be many of them. Objects of the controller's own kind trigger it only while `when`
    holds for the object that they name: pods on nodes that are well need no look.
    """

    name: Callable[[Any], str]
    when: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Selecting:
    """In place of a mapping: the change concerns those of the same namespace whose selector picks the changed object.

    Found by an index, so there may be many of them.
    """

    selector: Callable[[Any], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Failing:
    """In place of a mapping: the change concerns all whose last reconcile failed, and they are tried again at once.

    For kinds that decide what is admitted, such as queues. Only a change of what `matters` answers counts, beside
    objects that come and go.
    """

    matters: Callable[[Any], object]


Mapped: TypeAlias = Callable[[Any], "Key | Iterable[Key] | None"]
Concerns: TypeAlias = Mapped | AllObjects | Failing | Matching | Naming | Selecting


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What triggers a controller's reconciles: its own kind, its children, and others that concern it."""

    owns: Sequence[Source] = ()
    watches: Sequence[tuple[Source, Concerns]] = ()
    workers: int = 1
    component: str = ""
    """Who its events come from, where that is not its own name."""
    only: Callable[[Any], bool] | None = None
    """Which objects of its own kind trigger it, where most are nothing to it: a cluster has many pods."""


@dataclass(frozen=True)
class Controller(Watched, Generic[K]):
    """A pure controller of one kind. `children_owned=False`: what it applies gets no owner reference.

    `changes_orphans=False`: an object of a child's name that nothing controls is refused, unless it is as wanted.
    """

    name: str
    kind: type[K]
    reconcile: Callable[[K, Observed], Plan]
    children_owned: bool = field(default=True, kw_only=True)
    changes_orphans: bool = field(default=True, kw_only=True)
    event_for: Callable[[K, Outcome], Event | None] | None = field(default=None, kw_only=True)
    """Words an event on the object for each child that was made, removed or refused. For a refusal that it answers
    None to, the event is `FailedCreate`, `FailedUpdate` or `FailedDelete` with the server's message."""
    refusal_condition: str = field(default="", kw_only=True)
    """The condition that is True, with the server's message, while a child is refused, and is removed afterwards.
    Empty: the kind has no conditions, or its plans say in `status_if_refused` where the message goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """What an acting controller answers when it also has events about the object."""

    again_in: timedelta | None = None
    events: Sequence[Event] = ()


@dataclass(frozen=True)
class Acting(Watched, Generic[K]):
    """A controller that reads and writes through the API itself; answers when to run again."""

    name: str
    kind: type[K]
    act: Callable[[K, Observed, Api], Awaitable[Acted | timedelta | None]]


@dataclass(frozen=True)
class Service:
    """A controller that sets up its own queues and watches."""

    name: str
    start: Callable[[Runtime], None]


AnyController: TypeAlias = Controller[Any] | Acting[Any] | Service
