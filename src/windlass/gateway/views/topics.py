"""The computed topics of the stream: one computation for all pages of users with the same rights.

A computation runs while some page follows it. It reads the hub's shared feeds, and runs again when one of them has
changed: at most every 500 ms, and less often the longer it takes.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import msgspec

from windlass.gateway.access.administrators import may_see_cluster
from windlass.gateway.contributions import all_contributions
from windlass.gateway.live.entries import Selection
from windlass.gateway.live.feeds import Feed
from windlass.gateway.request import Identity
from windlass.gateway.views.inputs import Inputs, Part, Rights, rights_of, served_kinds
from windlass.gateway.views.live_view import LiveView, NamespaceParams, NoParams, TreeParams, ViewParams
from windlass.kube.errors import ApiError, BadRequest, Forbidden, NotFound
from windlass.kube.json import Object, decode, encode
from windlass.kube.kind import Kind

if TYPE_CHECKING:
    from windlass.gateway.context import GatewayContext

Publish = Callable[[object], None]
INTERVAL = timedelta(milliseconds=500)
BUSY_PART = 0.2
"""Computing takes at most this part of the time."""
SYNC_TIMEOUT = timedelta(seconds=10)
RETRY_INTERVAL = timedelta(seconds=2)
ALL = Selection()

MAKE_ADMIN = (
    "An administrator changes that by: kubectl create clusterrolebinding NAME --clusterrole=cluster-admin --user={}"
)

log = logging.getLogger(__name__)


class ViewTopic:
    """A topic of `gateway/live`, over a view that is loaded by the first page that follows it."""

    def __init__(self, name: str, params: type[ViewParams]) -> None:
        self.name, self.params = name, params

    async def subscribe(self, context: "GatewayContext", identity: Identity, params: Any, publish: Publish) -> None:
        await context.views.preload()
        from windlass.gateway.views.all_views import VIEWS

        view = VIEWS[self.name]
        rights, served = await allowed(context, identity, view, params)
        await context.views.shared.follow(view, params, rights, served, identity, publish)


@cache
def view_topics() -> tuple[ViewTopic, ...]:
    """Return the topics of apps, in the order of `APPS`, and of the platform."""
    of_apps = [ViewTopic(*topic) for app in all_contributions() for topic in app.topics.items()]
    return (
        *of_apps,
        ViewTopic("home", NamespaceParams),
        ViewTopic("cluster", NoParams),
        ViewTopic("tree", TreeParams),
    )


async def allowed(
    context: "GatewayContext", identity: Identity, view: LiveView, params: Any
) -> tuple[Rights, tuple[Kind, ...]]:
    """What the user may see of a view. Raises BadRequest, Forbidden and NotFound."""
    params.check()
    if view.admin_only and not await may_see_cluster(context, identity):
        raise Forbidden(f"{identity.user} is not a cluster administrator. {MAKE_ADMIN.format(identity.user)}")
    served = await served_kinds(context, view.discovery_age)
    logs_of = getattr(params, "namespace", "") if view.reads_logs else None
    rights = await rights_of(context, identity, view.wants(params, served), logs_of=logs_of)
    return (replace(rights, user=f"{identity.user} {identity.rbac_groups}") if view.is_personal else rights), served


class SharedViews:
    """All computations that run now."""

    def __init__(self, context: "GatewayContext") -> None:
        self._context = context
        self._running: dict[tuple[str, msgspec.Struct, Rights], _Computation] = {}
        self._decoded: WeakKeyDictionary[Feed, dict[str, tuple[str, Object]]] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._running)

    async def follow(
        self,
        view: LiveView,
        params: Any,
        rights: Rights,
        served: tuple[Kind, ...],
        identity: Identity,
        publish: Publish,
    ) -> None:
        """Publish values until cancelled, or until the view ends with an error."""
        key = (view.name, params, rights)
        running = self._running.get(key)
        if running is None or running.has_ended:
            running = _Computation(self._context, self, view, params, rights, served, identity)
            self._running[key] = running
        running.publishers[publish] = None
        if running.latest is not None:
            publish(running.latest)
        try:
            await asyncio.shield(running.task)
        finally:
            del running.publishers[publish]
            if not running.publishers and self._running.get(key) is running:
                del self._running[key]
                running.task.cancel()

    def objects(self, feed: Feed) -> list[Object]:
        """The feed's objects; each is decoded once for all views."""
        known = self._decoded.setdefault(feed, {})
        decoded: dict[str, tuple[str, Object]] = {}
        for entry in feed.entries(ALL):
            uid, version = entry.metadata.uid, entry.metadata.resource_version
            before = known.get(uid)
            decoded[uid] = before if before is not None and before[0] == version else (version, decode(entry.json))
        self._decoded[feed] = decoded
        return [obj for _, obj in decoded.values()]


class _Computation:
    def __init__(
        self,
        context: "GatewayContext",
        shared: SharedViews,
        view: LiveView,
        params: Any,
        rights: Rights,
        served: tuple[Kind, ...],
        identity: Identity,
    ) -> None:
        self._context, self._shared, self._view, self._params = context, shared, view, params
        self._rights, self._served, self._identity = rights, served, identity
        self.publishers: dict[Publish, None] = {}
        self.latest: msgspec.Raw | None = None
        self._changed = asyncio.Event()
        self.task = asyncio.create_task(self._run(), name=f"view {view.name}")

    @property
    def has_ended(self) -> bool:
        return self.task.done()

    async def _run(self) -> None:
        hub, parts = self._context.live.hub, self._rights.lists
        feeds = [hub.follow(part.kind, part.namespace, form="metadata" if part.metadata_only else "") for part in parts]
        listener = self._changed.set
        for feed in feeds:
            feed.listeners[listener] = None
        try:
            await self._synced(feeds)
            while True:
                pause = await self._once(parts, feeds)
                await asyncio.sleep(pause)
                await self._next_change()
        finally:
            for feed in feeds:
                feed.listeners.pop(listener, None)
                hub.leave(feed)

    async def _synced(self, feeds: Sequence[Feed]) -> None:
        """Wait until all feeds have their first objects; a kind that cannot be read is empty."""
        try:
            async with asyncio.timeout(SYNC_TIMEOUT.total_seconds()):
                while not all(feed.is_synced or feed.trouble is not None for feed in feeds):
                    await self._changed.wait()
                    self._changed.clear()
        except TimeoutError:
            log.warning("view computed before all objects were there name=%s", self._view.name)

    async def _next_change(self) -> None:
        tick = self._view.tick.total_seconds() if self._view.tick is not None else None
        try:
            async with asyncio.timeout(tick):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _once(self, parts: Sequence[Part], feeds: Sequence[Feed]) -> float:
        """Compute and publish; answers how long to rest."""
        self._changed.clear()
        began = time.monotonic()
        objects = {part: self._shared.objects(feed) for part, feed in zip(parts, feeds, strict=True)}
        inputs = Inputs(self._rights, objects)
        try:
            value = await self._view.compute(self._context.views, inputs, self._params, self._served, self._identity)
        except (BadRequest, Forbidden, NotFound):
            raise
        except ApiError as error:
            log.info("view not computed name=%s error=%s", self._view.name, error)
            self._changed.set()
            return RETRY_INTERVAL.total_seconds()
        self.latest = msgspec.Raw(encode(value))
        for publish in list(self.publishers):
            publish(self.latest)
        return max(INTERVAL.total_seconds(), (time.monotonic() - began) / BUSY_PART)
