"""What an informer knows: the objects of one kind, by key and by index, and the handlers of their changes.

A Store is read and written on one event loop only, so it has no locks. Objects in it are shared: never change one.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from windlass.kube.delivery import Delivery, Handler
from windlass.kube.faults import Faults
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, controller_of, key_of, labels_of, owners_of, version_of

T = TypeVar("T", bound=AnyObject)
T_contra = TypeVar("T_contra", bound=AnyObject, contravariant=True)

__all__ = ["COMMON", "Filing", "Handler", "Index", "Sink", "Store", "by_namespace", "by_owner"]

Index = Callable[[T], Iterable[str]]
"""Under which values an object is filed."""


def by_namespace(obj: AnyObject) -> Iterable[str]:
    return (key_of(obj).namespace,)


def by_owner(obj: AnyObject) -> Iterable[str]:
    """Uids of all owners, so that a controller finds its children at once."""
    return [owner.uid for owner in owners_of(obj)]


def by_orphanage(obj: AnyObject) -> Iterable[str]:
    """The namespace of what nothing controls, so that a controller finds what it may adopt at once."""
    return () if controller_of(obj) is not None else (key_of(obj).namespace,)


def by_label(obj: AnyObject) -> Iterable[str]:
    namespace = key_of(obj).namespace
    return [_pair(namespace, name, value) for name, value in labels_of(obj).items()]


def _pair(namespace: str, name: str, value: str) -> str:
    return f"{namespace}/{name}={value}"


class Sink(Protocol[T_contra]):
    """Where a reflector puts what it sees."""

    def replace(self, objects: Iterable[T_contra], /) -> None: ...

    def put(self, obj: T_contra, /) -> None: ...

    def remove(self, key: Key, /) -> None: ...

    def reached(self, version: str, /) -> None:
        """Every change up to this resource version has been delivered."""
        ...


class Filing(Generic[T]):
    """The keys of objects by what an index says of these. Most values have one key, which stands for itself."""

    def __init__(self, index: Index[T], faults: Faults, place: str, kind: Kind | None) -> None:
        self._index = index
        self._faults, self._place, self._kind = faults, place, kind
        self._keys: dict[str, Key | dict[Key, None]] = {}

    def under(self, value: str) -> Collection[Key]:
        found = self._keys.get(value, ())
        return (found,) if isinstance(found, Key) else found

    def add(self, key: Key, obj: T) -> None:
        for value in self._values(obj):
            found = self._keys.setdefault(value, key)
            if isinstance(found, dict):
                found[key] = None
            elif found != key:
                self._keys[value] = {found: None, key: None}

    def drop(self, key: Key, obj: T) -> None:
        for value in self._values(obj):
            found = self._keys.get(value)
            if isinstance(found, dict):
                found.pop(key, None)
            if found == key or not found:
                self._keys.pop(value, None)

    def _values(self, obj: T) -> Collection[str]:
        """An object on which the index fails is filed nowhere."""
        with self._faults.contain(self._place, obj, self._kind):
            return tuple(self._index(obj))
        return ()


COMMON: Mapping[str, Index[AnyObject]] = {"namespace": by_namespace, "owner": by_owner, "orphan": by_orphanage}
"""Indexes that a store builds on first use."""


class Store(Generic[T]):
    """The objects of one kind in this process' memory: behind the server by as much as the watch is."""

    def __init__(
        self,
        indexes: Mapping[str, Index[T]] | None = None,
        *,
        partial: bool = False,
        kind: Kind | None = None,
        faults: Faults | None = None,
    ) -> None:
        self.partial = partial  # some objects of the kind are not kept, so absence proves nothing
        self._kind, self._faults = kind, faults or Faults()
        self._objects: dict[Key, T] = {}
        self._filings: dict[str, Filing[T]] = {
            name: self._filing(name, index) for name, index in (indexes or {}).items()
        }
        self._handlers: list[Delivery[T]] = []
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self.synced = asyncio.Event()
        self.version = ""  # the last resource version seen

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._objects.values()))

    def get(self, key: Key) -> T | None:
        return self._objects.get(key)

    def filed(self, index: str, value: str) -> list[T]:
        if index in COMMON:
            self.add_index(index, COMMON[index])
        return [self._objects[key] for key in self._filings[index].under(value)]

    def labelled(self, namespace: str, labels: Mapping[str, str]) -> list[T]:
        """Those of a namespace with all of these labels. The first to ask has them filed by their labels."""
        self.add_index("label", by_label)
        filing = self._filings["label"]
        asked = [filing.under(_pair(namespace, name, value)) for name, value in labels.items()]
        if not asked:
            return []
        fewest = min(asked, key=len)
        return [self._objects[key] for key in fewest if all(key in others for others in asked)]

    def add_index(self, name: str, index: Index[T]) -> None:
        """File what is there, and what will come, by `index`; the same name twice is the same index."""
        if name in self._filings:
            return
        filing = self._filings[name] = self._filing(name, index)
        for key, obj in self._objects.items():
            filing.add(key, obj)

    def _filing(self, name: str, index: Index[T]) -> Filing[T]:
        return Filing(index, self._faults, f"index {name.split()[0]}", self._kind)

    def subscribe(self, handler: Handler[T]) -> None:
        """Deliver every object that is there, then every change."""
        delivery = Delivery(handler, self._faults, self._kind)
        self._handlers.append(delivery)
        for obj in self:
            delivery.added(obj)

    def replace(self, objects: Iterable[T]) -> None:
        """The server was listed again: these are all there are."""
        fresh = {key_of(obj): obj for obj in objects}
        for key in [key for key in self._objects if key not in fresh]:
            self.remove(key)
        for obj in fresh.values():
            self.put(obj)
        self.synced.set()

    def put(self, obj: T) -> None:
        key = key_of(obj)
        old = self._objects.get(key)
        if old is not None and version_of(old) == version_of(obj):
            return
        self._unfile(key, old)
        self._objects[key] = obj
        for filing in self._filings.values():
            filing.add(key, obj)
        for handler in self._handlers:
            if old is None:
                handler.added(obj)
            else:
                handler.changed(old, obj)
        self._wake()

    def remove(self, key: Key) -> None:
        old = self._objects.pop(key, None)
        if old is None:
            return
        self._unfile(key, old)
        for handler in self._handlers:
            handler.deleted(old)
        self._wake()

    def reached(self, version: str) -> None:
        self.version = version
        self._wake()

    def resync(self) -> None:
        """Deliver every object to every handler again, as if each had changed into itself."""
        for obj in self:
            for handler in self._handlers:
                handler.changed(obj, obj)

    async def until(self, holds: Callable[[], bool], within: float) -> bool:
        """Wait for the cache to catch up with something; False when it did not `within` so many seconds."""
        if holds():
            return True
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiter = (holds, future)
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(within):
                await future
        except TimeoutError:
            return False
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
        return True

    def _wake(self) -> None:
        for waiter in list(self._waiting):
            holds, future = waiter
            if not future.done() and holds():
                future.set_result(None)
                self._waiting.remove(waiter)

    def _unfile(self, key: Key, old: T | None) -> None:
        if old is None:
            return
        for filing in self._filings.values():
            filing.drop(key, old)
