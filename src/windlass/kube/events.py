"""Events: what controllers report to users through `kubectl describe`, without flooding the server.

The `Correlator` follows client-go's rules. The same event again raises `count` on the one that is there. More than ten
different messages of one reason about one object within ten minutes are combined into one. And one object gets at most
25 at once, then one every five minutes. It is pure: the clock is an argument. The `Recorder` posts what it answers.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.json import Object as Json
from windlass.kube.json import timestamp
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, key_of, uid_of, version_of
from windlass.kube.recent import Recent

EVENT = Kind(group="", version="v1", name="Event", plural="events")
COMBINED = "(combined from similar events): "
DISTINCT_MESSAGES = 10
WINDOW_SECONDS = 600.0  # seconds
BURST, REFILL_EVERY = 25, 300.0  # events an object at once, seconds for one more
WAITING = 1000  # events of a namespace not posted yet; more are dropped, as a slow server must not stop controllers
ALL_WAITING = 4 * WAITING  # of all namespaces: the many events of one leave room for those of others

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """An event before it is counted."""

    component: str
    about: tuple[str, str, str, str, str]  # apiVersion, kind, namespace, name, uid
    about_version: str
    type: str
    reason: str
    message: str
    field_path: str = ""  # which part of it, such as spec.containers{main}


@dataclass(slots=True)
class _Similar:
    since: float
    messages: set[str] = field(default_factory=set[str])


@dataclass(slots=True)
class _Posted:
    name: str
    first: datetime
    count: int = 0


@dataclass(slots=True)
class _Tokens:
    left: float
    at: float


@dataclass(frozen=True, slots=True)
class Entry:
    """An Event to create (count 1) or to bring up to date."""

    name: str
    namespace: str
    message: str
    count: int
    first: datetime
    last: datetime
    occurrence: Occurrence


class Correlator:
    """Decides what becomes of each occurrence."""

    def __init__(self) -> None:
        self._similar: Recent[Hashable, _Similar] = Recent()
        self._posted: Recent[Hashable, _Posted] = Recent()
        self._tokens: Recent[Hashable, _Tokens] = Recent()

    def take(self, occurrence: Occurrence, now: datetime) -> Entry | None:
        """The event to write, or None when the object has had its share."""
        moment = now.timestamp()
        alike = (occurrence.component, occurrence.about, occurrence.field_path, occurrence.type, occurrence.reason)
        similar = self._similar.get(alike, lambda: _Similar(moment))
        if moment - similar.since > WINDOW_SECONDS:
            similar.messages.clear()
        similar.since = moment
        message, identity = occurrence.message, (*alike, occurrence.message)
        if len(similar.messages) >= DISTINCT_MESSAGES and message not in similar.messages:
            message, identity = COMBINED + message, alike
        else:
            similar.messages.add(message)
        name = f"{occurrence.about[3]}.{int(moment * 1e9):x}"
        posted = self._posted.get(identity, lambda: _Posted(name, now))
        posted.count += 1
        if not self._may(occurrence, moment):
            return None
        namespace = occurrence.about[2] or "default"
        return Entry(posted.name, namespace, message, posted.count, posted.first, now, occurrence)

    def _may(self, occurrence: Occurrence, moment: float) -> bool:
        tokens = self._tokens.get((occurrence.component, occurrence.about), lambda: _Tokens(BURST, moment))
        tokens.left = min(BURST, tokens.left + (moment - tokens.at) / REFILL_EVERY)
        tokens.at = moment
        if tokens.left < 1:
            return False
        tokens.left -= 1
        return True


class Recorder:
    """Posts events in the background while its `run` runs; `record` never waits."""

    def __init__(
        self, client: Client, clock: Callable[[], datetime] = lambda: datetime.now(UTC), *, host: str = ""
    ) -> None:
        """`host` is the source of its events: a node agent's come from its node."""
        self._client, self._clock, self._host = client, clock, host
        self._correlator = Correlator()
        self._waiting: asyncio.Queue[Entry] = asyncio.Queue(ALL_WAITING)
        self._in_line: Counter[str] = Counter()
        """Events that wait, by namespace."""
        self._dropped = 0
        """Events since one was dropped, until few wait again: a line for each would fill the log."""

    def record(
        self,
        component: str,
        obj: AnyObject,
        kind: Kind,
        reason: str,
        message: str,
        *,
        warning: bool,
        field_path: str = "",
    ) -> None:
        key = key_of(obj)
        occurrence = Occurrence(
            component=component,
            about=(kind.api_version, kind.name, key.namespace, key.name, uid_of(obj)),
            about_version=version_of(obj),
            type="Warning" if warning else "Normal",
            reason=reason,
            message=message[:1024],
            field_path=field_path,
        )
        entry = self._correlator.take(occurrence, self._clock())
        if entry is None:
            return
        if self._waiting.full() or self._in_line[entry.namespace] >= WAITING:
            if not self._dropped:
                log.warning("dropping events: too many are waiting reason=%s about=%s", reason, key)
            self._dropped += 1
            return
        self._waiting.put_nowait(entry)
        self._in_line[entry.namespace] += 1

    async def run(self) -> None:
        while True:
            entry = await self._waiting.get()
            self._in_line -= Counter((entry.namespace,))  # forgets a namespace of which none waits
            if self._dropped and self._waiting.qsize() < WAITING // 2:
                log.warning("dropped %d events", self._dropped)
                self._dropped = 0
            try:
                await self._post(entry)
            except errors.ApiError as error:
                late = isinstance(error, errors.NotFound) or error.has_cause(errors.NAMESPACE_TERMINATING)
                level = logging.DEBUG if late else logging.WARNING  # an event may come after its namespace has gone
                log.log(level, "could not record an event about=%s error=%s", entry.occurrence.about[3], error)
            except Exception:  # one event must not end the process
                log.exception("could not record an event about=%s", entry.occurrence.about[3])
            self._waiting.task_done()

    async def flush(self, within: float) -> None:
        """Give what is waiting a moment to be posted, before the process ends."""
        try:
            async with asyncio.timeout(within):
                await self._waiting.join()
        except TimeoutError:
            log.warning("%d events were not recorded", self._waiting.qsize())

    async def _post(self, entry: Entry) -> None:
        if entry.count > 1:
            patch: Json = {"count": entry.count, "lastTimestamp": timestamp(entry.last), "message": entry.message}
            try:
                await self._client.patch(EVENT, Key(entry.namespace, entry.name), patch)
            except errors.NotFound:  # its time to live was over
                await self._client.create(event(entry, self._host), kind=EVENT)
        else:
            await self._client.create(event(entry, self._host), kind=EVENT)


def event(entry: Entry, host: str = "") -> Json:
    """The core/v1 Event of an entry."""
    occurrence = entry.occurrence
    api_version, kind, namespace, name, uid = occurrence.about
    about = {"apiVersion": api_version, "kind": kind, "namespace": namespace, "name": name, "uid": uid}
    about |= {"resourceVersion": occurrence.about_version, "fieldPath": occurrence.field_path}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": entry.name, "namespace": entry.namespace},
        "involvedObject": {key: value for key, value in about.items() if value},
        "reason": occurrence.reason,
        "message": entry.message,
        "type": occurrence.type,
        "source": {"component": occurrence.component, **({"host": host} if host else {})},
        "reportingComponent": occurrence.component,
        **({"reportingInstance": host} if host else {}),
        "firstTimestamp": timestamp(entry.first),
        "lastTimestamp": timestamp(entry.last),
        "count": entry.count,
    }
