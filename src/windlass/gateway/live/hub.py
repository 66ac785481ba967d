"""One feed, and one watch, for each kind, namespace and form that some page follows, with the gateway's own rights.

What a user may follow is decided in `rights`, before a feed is asked for. A feed without followers is kept for a
moment, so that a page that is loaded again finds it full.
"""

import asyncio
import itertools
import logging
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from windlass.gateway.live.entries import Entry, EntryView, MetadataView
from windlass.gateway.live.feeds import Feed, Form
from windlass.gateway.live.printed import PrintedReflector, PrintedView
from windlass.kube.client import Client
from windlass.kube.errors import MethodNotAllowed, NotFound
from windlass.kube.informer import Reflector
from windlass.kube.kind import Kind

LINGER = timedelta(seconds=30)
CHECK_INTERVAL = timedelta(seconds=1)
DISCOVERY_INTERVAL = timedelta(seconds=10)

log = logging.getLogger(__name__)


@dataclass
class _Watched:
    feed: Feed
    reflector: Reflector[Entry]
    task: asyncio.Task[None]
    followers: int = 0
    left_at: float = 0.0


class Hub:
    def __init__(self, client: Client, *, linger: timedelta = LINGER) -> None:
        self._client, self._linger = client, linger
        self._watched: dict[tuple[Kind, str, Form], _Watched] = {}
        self._numbers = itertools.count(1)
        self.epoch = secrets.token_hex(4)
        """Numbers of another run of the gateway mean nothing."""

    @property
    def watches(self) -> list[tuple[Kind, str]]:
        return [(kind, namespace) for kind, namespace, _ in self._watched]

    async def kind(self, group: str, version: str, resource: str) -> Kind:
        """What the server serves at that place; raises NotFound, and MethodNotAllowed for what cannot be followed."""
        place = (group, version, resource)
        kinds = await self._client.discovery.kinds()
        found = next((kind for kind in kinds if kind.place == place), None)
        if found is None:
            kinds = await self._client.discovery.kinds_of_last(DISCOVERY_INTERVAL)
            found = next((kind for kind in kinds if kind.place == place), None)
        if found is None:
            raise NotFound(f"the server does not serve {resource} in {group + '/' if group else ''}{version}")
        if not {"list", "watch"} <= found.verbs:
            raise MethodNotAllowed(f"{found.group_resource} cannot be watched")
        return found

    def follow(self, kind: Kind, namespace: str, *, form: Form = "") -> Feed:
        """The feed of a kind and namespace; `leave` it in the end."""
        key = (kind, namespace if kind.namespaced else "", form)
        watched = self._watched.get(key)
        if watched is None:
            feed = Feed(kind, key[1], self._numbers, form=form)
            reflector = self._reflector(feed)
            watched = _Watched(feed, reflector, asyncio.create_task(reflector.run(), name=f"live {kind} {key[1]}"))
            self._watched[key] = watched
        watched.followers += 1
        return watched.feed

    def _reflector(self, feed: Feed) -> Reflector[Entry]:
        match feed.form:
            case "table":
                return PrintedReflector(self._client, PrintedView(feed.kind), feed, namespace=feed.namespace)
            case "metadata":
                return Reflector(self._client, MetadataView(feed.kind), feed, namespace=feed.namespace)
            case "":
                return Reflector(self._client, EntryView(feed.kind), feed, namespace=feed.namespace)

    def leave(self, feed: Feed) -> None:
        watched = self._watched.get((feed.kind, feed.namespace, feed.form))
        if watched is not None and watched.feed is feed:
            watched.followers -= 1
            watched.left_at = time.monotonic()

    async def run(self) -> None:
        """Notice broken watches and end those that nobody follows, until cancelled."""
        try:
            while True:
                await asyncio.sleep(CHECK_INTERVAL.total_seconds())
                self._check(time.monotonic())
        finally:
            await self._stop()

    def _check(self, now: float) -> None:
        for key, watched in list(self._watched.items()):
            if watched.task.done():
                log.error("watch ended kind=%s", key[0], exc_info=watched.task.exception())
            watched.feed.mark(watched.reflector.trouble)
            is_missing = isinstance(watched.reflector.trouble, NotFound) or watched.task.done()
            is_left = watched.followers <= 0 and now - watched.left_at > self._linger.total_seconds()
            if is_left or is_missing:  # those who follow what is not served any more are sent that, once
                watched.task.cancel()
                del self._watched[key]

    async def _stop(self) -> None:
        tasks = [watched.task for watched in self._watched.values()]
        self._watched.clear()
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
