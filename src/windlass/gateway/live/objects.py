"""The topic `objects`: objects of any kind as they are, from a snapshot on."""

import hashlib
from collections.abc import Callable
from typing import Literal

from windlass.gateway.context import GatewayContext
from windlass.gateway.live import messages
from windlass.gateway.live.entries import Selection, selection
from windlass.gateway.live.feeds import Feed
from windlass.gateway.live.hub import Hub
from windlass.gateway.live.rights import followed_namespaces
from windlass.gateway.request import Identity
from windlass.kube.errors import ApiError, BadRequest, Forbidden, NotFound
from windlass.kube.kind import Kind
from windlass.kube.meta import Struct

TOPIC = "objects"
MAX_MESSAGE_BYTES = 512 << 10
"""What has more is sent in pieces, each when the one before has been taken: a slow page never has more in memory."""


class ObjectsParams(Struct):
    version: str
    resource: str
    group: str = ""
    namespace: str = ""
    name: str = ""
    label_selector: str = ""
    field_selector: str = ""
    form: Literal["", "table"] = ""
    """`table`: rows as `kubectl get` prints them, each with its object's metadata, instead of the objects."""


class ObjectsSubscription:
    """A position in feeds. `wake` is called when there may be another message."""

    def __init__(
        self, context: GatewayContext, hub: Hub, identity: Identity, id: int, wake: Callable[[], None]
    ) -> None:
        self._context, self._hub, self._identity = context, hub, identity
        self.id, self._wake = id, wake
        self._params: ObjectsParams | None = None
        self._kind: Kind | None = None
        self._selection = Selection()
        self._feeds: tuple[Feed, ...] = ()
        self._scope = ""
        self._number: int | None = None  # up to where the page knows all changes; None: it needs a snapshot
        self._waiting: list[tuple[Feed, str]] = []  # objects whose turn in a message is yet to come
        self._is_snapshot = False
        self._must_answer = False  # with a message even if it has no change
        self._is_stale = False

    async def open(self, params: ObjectsParams, version: str) -> None:
        """Raises an ApiError where the user may not, or what is asked for is not served."""
        kind = await self._hub.kind(params.group, params.version, params.resource)
        if params.form and params.field_selector:
            raise BadRequest("params: printed rows have no fields to select by")
        self._selection = selection(kind, params.name, params.label_selector, params.field_selector)
        self._params, self._kind = params, kind
        self._move(await self._namespaces(kind, params), version)

    async def check(self) -> None:
        """Rights may have changed: raises Forbidden, or begins again where the namespaces are others."""
        if self._kind is None or self._params is None:
            return
        namespaces = await self._namespaces(self._kind, self._params)
        if namespaces != tuple(feed.namespace for feed in self._feeds):
            self._move(namespaces, "")

    def close(self) -> None:
        for feed in self._feeds:
            feed.listeners.pop(self._wake, None)
            self._hub.leave(feed)
        self._feeds = ()

    async def _namespaces(self, kind: Kind, params: ObjectsParams) -> tuple[str, ...]:
        name = self._selection.name
        return await followed_namespaces(self._context, self._identity, kind, params.namespace, name)

    def _move(self, namespaces: tuple[str, ...], version: str) -> None:
        """Follow the feeds of these namespaces, from a version that was sent before if that can be."""
        assert self._kind is not None
        assert self._params is not None
        feeds = tuple(self._hub.follow(self._kind, namespace, form=self._params.form) for namespace in namespaces)
        self.close()
        self._feeds = feeds
        for feed in feeds:
            feed.listeners[self._wake] = None
        asked = f"{self._params} {namespaces}"
        self._scope = hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self._waiting, self._must_answer = [], True
        self._number = self._resumed(version)
        self._wake()

    def _resumed(self, version: str) -> int | None:
        epoch, _, rest = version.partition(".")
        number, _, scope = rest.partition(".")
        is_ours = epoch == self._hub.epoch and scope == self._scope and number.isascii() and number.isdigit()
        return int(number) if is_ours and len(number) < 20 else None

    @property
    def has_more(self) -> bool:
        return bool(self._waiting)

    def next_message(self) -> bytes | None:
        """What the page is to be sent now; raises the ApiError that ends the subscription."""
        if (message := self._stale()) is not None:
            return message
        if not self._is_whole and not self._begins_early:
            return None
        if self._waiting:
            return self._piece([])
        if self._number is None or not all(feed.knows(self._number) for feed in self._feeds):
            return self._snapshot()
        return self._difference(self._number)

    @property
    def _is_whole(self) -> bool:
        return all(feed.is_synced for feed in self._feeds)

    @property
    def _begins_early(self) -> bool:
        """Whether the page gets what is there before all of it is: a list of rows, which takes long to print."""
        return self._params is not None and self._params.form == "table"

    def _snapshot(self) -> bytes | None:
        waiting = [(feed, entry.metadata.uid) for feed in self._feeds for entry in feed.entries(self._selection)]
        if not waiting and not self._is_whole:
            return None
        self._number, self._waiting = self._newest(), waiting
        self._is_snapshot, self._must_answer = True, True
        return self._piece([])

    def _difference(self, number: int) -> bytes | None:
        removed: list[str] = []
        for feed in self._feeds:
            if feed.newest > number:
                found = feed.since(number, self._selection)
                self._waiting += [(feed, entry.metadata.uid) for entry in found.changed]
                removed += found.removed
        self._number = max(number, self._newest())
        if not self._waiting and not removed and not (self._must_answer and self._is_whole):
            return None
        return self._piece(removed)

    def _newest(self) -> int:
        return max((feed.newest for feed in self._feeds), default=self._number or 0)

    def _piece(self, removed: list[str]) -> bytes:
        """The next objects that fit into a message, as they are by now. The version is that of the last piece."""
        items: list[bytes] = []
        size = taken = 0
        for feed, uid in self._waiting:
            taken += 1
            entry = feed.entry(uid, self._selection)
            if entry is not None:
                items.append(entry.json)
                size += len(entry.json)
            if size >= MAX_MESSAGE_BYTES:
                break
        del self._waiting[:taken]
        is_last = self._is_whole and not self._waiting
        version = f"{self._hub.epoch}.{self._number}.{self._scope}" if is_last else ""
        is_first, self._is_snapshot = self._is_snapshot, False
        self._must_answer = not self._is_whole  # the version is yet to come
        if is_first:
            return messages.snapshot(self.id, items, version)
        return messages.changes(self.id, items, removed, version)

    def _stale(self) -> bytes | None:
        """A message when a watch breaks; after it works again, the next message is sent even without a change."""
        troubled = next((feed for feed in self._feeds if feed.trouble is not None), None)
        if troubled is None or troubled.trouble is None:
            self._must_answer = self._must_answer or self._is_stale
            self._is_stale = False
            return None
        if isinstance(troubled.trouble, NotFound | Forbidden):
            raise _ended(troubled.kind, troubled.trouble)
        if self._is_stale or troubled.stale_since is None:
            return None
        self._is_stale = True
        return messages.stale(self.id, troubled.stale_since, troubled.trouble.message)


def _ended(kind: Kind, trouble: ApiError) -> ApiError:
    if isinstance(trouble, Forbidden):
        return Forbidden(f"the gateway itself may not watch {kind.group_resource}: {trouble.message}")
    return NotFound(f"{kind.group_resource} is not served any more")
