"""Delivers a store's changes to one handler, without the objects on which the handler fails.

A handler either knows an object, in the version that it last accepted, or does not know it at all. One that fails on a
new object is informed that the object is gone, so that nothing of it stays behind; one that fails on a change keeps
the version before. When the object changes again, the handler gets the difference from there.
"""

from typing import Generic, Protocol, TypeVar

from windlass.kube.faults import Faults
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of

T = TypeVar("T", bound=AnyObject)
T_contra = TypeVar("T_contra", bound=AnyObject, contravariant=True)


class Handler(Protocol[T_contra]):
    """Called with each change once, in order, on the event loop; it must not block.

    Where it raises it does not get the object again until that changes. It should read an object before it changes
    anything of its own, and accept the deletion of an object that it does not know.
    """

    def added(self, obj: T_contra, /) -> None: ...

    def changed(self, old: T_contra, new: T_contra, /) -> None: ...

    def deleted(self, obj: T_contra, /) -> None: ...


class Delivery(Generic[T]):
    """To one handler of one store. The handler's `place`, or the name of its class, says in reports where it was."""

    def __init__(self, handler: Handler[T], faults: Faults, kind: Kind | None) -> None:
        self._handler, self._faults, self._kind = handler, faults, kind
        self._place = str(getattr(handler, "place", "") or type(handler).__name__)
        self._skipped: dict[Key, T | None] = {}
        """Objects that it fails on, with the version that it knows; None: it knows nothing of the object."""

    def added(self, obj: T) -> None:
        try:  # without `contain`: a pod of a large job goes through dozens of handlers
            self._handler.added(obj)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is reported on the object
            self._faults.report(self._place, error, obj, self._kind)
            self._skipped[key_of(obj)] = None
            self._gone(obj)

    def changed(self, old: T, new: T) -> None:
        known: T | None = old
        if self._skipped:
            key = key_of(new)
            if key in self._skipped:
                if old is new:  # a resync: it is what the handler failed on
                    return
                known = self._skipped.pop(key)
        if known is None:
            self.added(new)
            return
        try:
            self._handler.changed(known, new)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is reported on the object
            self._faults.report(self._place, error, new, self._kind)
            self._skipped[key_of(new)] = known

    def deleted(self, obj: T) -> None:
        known = self._skipped.pop(key_of(obj), obj) if self._skipped else obj
        if known is not None:
            self._gone(known)

    def _gone(self, obj: T) -> None:
        with self._faults.contain(self._place, obj, self._kind):
            self._handler.deleted(obj)
