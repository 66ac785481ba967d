"""Limits a defect to the object that it shows on.

Handlers, indexes, reconciles, scheduler plug-ins and node workers run over objects that users write. Where one of them
raises, the process must neither end nor leave the other objects waiting. `Faults` is what all of them report to: the
traceback is logged once for each version of the object, the fault is counted, a Warning event is recorded on the
object, and the caller continues with the next one.

    with faults.contain("PodFeed", pod, POD) as attempt:
        handler.added(pod)
    if attempt.failed:
        ...  # leave the pod out until it changes
"""

import logging
from collections import Counter as Counts
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from windlass.kube.json import is_object
from windlass.kube.kind import Kind
from windlass.kube.objects import AnyObject, key_of, uid_of, version_of
from windlass.kube.recent import Recent

if TYPE_CHECKING:
    from prometheus_client import Counter

REASON = "InternalError"
SKIPPED = "it is skipped until it changes"
RETRIED = "it is tried again later"
COMPONENT = "windlass"

log = logging.getLogger(__name__)


class Warn(Protocol):
    """Records a Warning event; `Manager.warn` is one."""

    def __call__(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str, /) -> None: ...


class Faults:
    """What was raised over single objects in this process. Without arguments it only logs."""

    def __init__(
        self, component: str = COMPONENT, *, warn: Warn | None = None, counter: "Counter | None" = None
    ) -> None:
        """`counter` has the labels `place` and `kind`."""
        self._component, self._warn, self._counter = component, warn, counter
        self.counts: Counts[tuple[str, str]] = Counts()
        """How often something was raised, by place and kind."""
        self._reported: Recent[tuple[str, str, str, str], None] = Recent()

    def contain(
        self, place: str, obj: AnyObject, kind: Kind | None, *, passing: tuple[type[Exception], ...] = ()
    ) -> "Attempt":
        """A block in which what `place` does with `obj` may raise; exceptions of `passing` reach the caller."""
        return Attempt(self, place, obj, kind, passing)

    def report(
        self, place: str, error: BaseException, obj: AnyObject, kind: Kind | None, consequence: str = SKIPPED
    ) -> None:
        """Report an exception that `obj` has caused in `place`; once for each version of the object."""
        named = str(kind or (obj.get("kind") if is_object(obj) else "") or "unknown")
        self.counts[place, named] += 1
        if self._counter is not None:
            self._counter.labels(place, named).inc()
        identity = (place, named, uid_of(obj) or str(key_of(obj)), version_of(obj))
        if identity in self._reported:
            log.debug("%s failed again kind=%s key=%s error=%r", place, named, key_of(obj), error)
            return
        self._reported.get(identity, lambda: None)
        summary = f"{type(error).__name__}: {error}"
        log.error(
            "%s failed on one object, %s kind=%s key=%s error=%s",
            place,
            consequence,
            named,
            key_of(obj),
            summary,
            exc_info=error,
        )
        if self._warn is not None and kind is not None and kind.plural != "events":  # an event's event, and so on
            message = f"{place} failed on this object, {consequence}: {summary}"
            self._warn(self._component, obj, kind, REASON, message)


class Attempt:
    """One block of `Faults.contain`. Only an Exception is contained, never a cancellation or an exit."""

    __slots__ = ("_faults", "_kind", "_obj", "_passing", "_place", "failed")

    def __init__(
        self, faults: Faults, place: str, obj: AnyObject, kind: Kind | None, passing: tuple[type[Exception], ...]
    ) -> None:
        self._faults, self._place, self._obj, self._kind, self._passing = faults, place, obj, kind, passing
        self.failed = False

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._passing):
            return False
        self.failed = True
        self._faults.report(self._place, error, self._obj, self._kind)
        return True
