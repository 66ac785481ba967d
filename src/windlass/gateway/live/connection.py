"""One page: its subscriptions, and what is sent when.

One task sends. It takes a message of each subscription in turn, waits until the socket has taken it, and rests for
100 ms once nothing is left: changes within that time go together.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeAlias

from aiohttp import WSMsgType, web

from windlass.gateway.context import GatewayContext
from windlass.gateway.live import messages
from windlass.gateway.live.hub import Hub
from windlass.gateway.live.objects import TOPIC as OBJECTS
from windlass.gateway.live.objects import ObjectsParams, ObjectsSubscription
from windlass.gateway.live.topics import Topic, ValueSubscription
from windlass.gateway.request import Identity
from windlass.kube.errors import ApiError, BadRequest, Forbidden, InternalError, NotFound, TooManyRequests

BATCH_INTERVAL = timedelta(milliseconds=100)
VALUE_INTERVAL = timedelta(milliseconds=500)
RIGHTS_DELAY = timedelta(milliseconds=300)  # a profile makes several bindings at once
RETRY_INTERVAL = timedelta(seconds=2)
CLOSE_GRACE = timedelta(seconds=2)
MAX_SUBSCRIPTIONS = 64
MAX_OUTGOING = 1000  # answers that wait for a page
SESSION_ENDED, RIGHTS_CHANGED = 4401, 4403

Subscription: TypeAlias = ObjectsSubscription | ValueSubscription

log = logging.getLogger(__name__)


class LiveConnection:
    def __init__(
        self,
        context: GatewayContext,
        hub: Hub,
        topics: Sequence[Topic],
        identity: Identity,
        socket: web.WebSocketResponse,
        request: web.Request,
    ) -> None:
        self._context, self._hub, self.identity = context, hub, identity
        self._topics = {topic.name: topic for topic in topics}
        self._socket, self._request = socket, request
        self._subscriptions: dict[int, Subscription] = {}
        self._due: dict[int, float] = {}
        """When a computed value may be sent again."""
        self._changed: dict[int, None] = {}
        """Subscriptions that may have a message."""
        self._turn: dict[int, None] = {}
        """Those of them that are being sent; what changes meanwhile has to wait."""
        self._outgoing: list[bytes] = []
        self._opening: dict[int, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._checking: asyncio.Task[None] | None = None
        self._check_again = False
        self._is_closing = False

    async def run(self) -> None:
        """Until the page goes, or the session ends."""
        self._outgoing.append(messages.hello(self.identity.user))
        self._wake.set()
        sending = asyncio.create_task(self._send_all(), name="live sender")
        try:
            async for message in self._socket:
                if message.type is WSMsgType.TEXT:
                    self._receive(message.data)
                else:
                    self._say(messages.failure(None, BadRequest("only text messages are read")))
        finally:
            for task in (sending, *self._opening.values(), *self._tasks):
                task.cancel()
            for id in list(self._subscriptions):
                self._drop(id)
            with suppress(asyncio.CancelledError, ConnectionError):
                await sending

    def close(self) -> None:
        """The user's sign-in has ended, or has other rights by now: then the page connects again."""
        self._is_closing = True
        self._start(self._close())

    async def _close(self) -> None:
        for opening in self._opening.values():  # nothing more is sent by the old rights
            opening.cancel()
        for id in list(self._subscriptions):
            self._drop(id)
        code, why = SESSION_ENDED, b"the session has ended"
        if self.identity.has_machine_view and self._context.is_current(self.identity.without_machine_view):
            code, why = RIGHTS_CHANGED, b"the rights of the session have changed"
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(CLOSE_GRACE.total_seconds()):
                await self._socket.close(code=code, message=why)
        if self._request.transport is not None:
            self._request.transport.abort()

    def check_soon(self) -> None:
        """Rights may have changed. Calls during a check lead to one more."""
        if self._checking is not None and not self._checking.done():
            self._check_again = True
        else:
            self._checking = self._start(self._check())

    async def _check(self) -> None:
        self._check_again, delay = True, RIGHTS_DELAY
        while self._check_again:
            await asyncio.sleep(delay.total_seconds())
            self._check_again, delay = False, RIGHTS_DELAY
            for id, subscription in list(self._subscriptions.items()):
                try:
                    await subscription.check()
                except Forbidden as error:
                    self._end(id, error)
                except ApiError:
                    self._check_again, delay = True, RETRY_INTERVAL  # the API server is away

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- what the page sends

    def _receive(self, text: str) -> None:
        try:
            message = messages.read(text)
        except BadRequest as error:
            self._say(messages.failure(None, error))
            return
        if self._is_closing:
            return
        opening = self._opening.pop(message.id, None)
        if opening is not None:
            opening.cancel()
        self._drop(message.id)
        if isinstance(message, messages.Subscribe):
            if len(self._subscriptions) + len(self._opening) >= MAX_SUBSCRIPTIONS:
                error = TooManyRequests(f"a page may have {MAX_SUBSCRIPTIONS} subscriptions")
                self._say(messages.failure(message.id, error))
                return
            self._opening[message.id] = asyncio.create_task(self._open(message))

    async def _open(self, message: messages.Subscribe) -> None:
        id = message.id
        try:
            subscription = await self._opened(message)
        except ApiError as error:
            self._say(messages.failure(id, error))
        except Exception:
            log.exception("subscription failed topic=%s", message.topic)
            self._say(
                messages.failure(id, InternalError("this subscription failed; the gateway's log has the details"))
            )
        else:
            self._subscriptions[id] = subscription
            self.mark(id)
        if self._opening.get(id) is asyncio.current_task():
            del self._opening[id]

    async def _opened(self, message: messages.Subscribe) -> Subscription:
        wake: Callable[[], None] = _Waker(self, message.id)
        if message.topic == OBJECTS:
            objects = ObjectsSubscription(self._context, self._hub, self.identity, message.id, wake)
            await objects.open(messages.read_params(message.params, ObjectsParams), message.version)
            return objects
        topic = self._topics.get(message.topic)
        if topic is None:
            known = ", ".join((OBJECTS, *self._topics))
            raise NotFound(f'there is no topic "{message.topic[:100]}"; there are: {known}')
        computed = ValueSubscription(self._context, self.identity, topic, message.id, wake)
        computed.open(messages.read_params(message.params, topic.params))
        return computed

    def _drop(self, id: int) -> None:
        subscription = self._subscriptions.pop(id, None)
        self._due.pop(id, None)
        if subscription is not None:
            subscription.close()

    def _end(self, id: int, error: ApiError) -> None:
        self._drop(id)
        self._say(messages.failure(id, error))

    # --- what the page is sent

    def mark(self, id: int) -> None:
        """A subscription may have another message."""
        self._changed[id] = None
        self._wake.set()

    def _say(self, message: bytes) -> None:
        if len(self._outgoing) >= MAX_OUTGOING and self._request.transport is not None:
            self._request.transport.abort()  # it asks and asks, and reads no answer
        self._outgoing.append(message)
        self._wake.set()

    async def _send_all(self) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                self._turn, self._changed = self._changed, {}
                while message := self._next():
                    await self._socket.send_frame(message, WSMsgType.TEXT)
                await asyncio.sleep(BATCH_INTERVAL.total_seconds())
        except ConnectionError:
            if self._request.transport is not None:
                self._request.transport.abort()

    def _next(self) -> bytes | None:
        """The next message in turn; None when nothing is to be sent for now."""
        if self._outgoing:
            return self._outgoing.pop(0)
        for id in list(self._turn):
            del self._turn[id]
            subscription = self._subscriptions.get(id)
            if subscription is None or self._is_early(id, subscription):
                continue
            try:
                message = subscription.next_message()
            except ApiError as error:
                self._drop(id)
                return messages.failure(id, error)
            if subscription.has_more:
                self._turn[id] = None  # at the end of the line: others come first
            if message is not None:
                return message
        return None

    def _is_early(self, id: int, subscription: Subscription) -> bool:
        """Whether a computed value was sent a moment ago; then it is looked at again later."""
        if isinstance(subscription, ObjectsSubscription):
            return False
        now, due = time.monotonic(), self._due.get(id, 0.0)
        if now < due:
            asyncio.get_running_loop().call_later(due - now, self.mark, id)
            return True
        self._due[id] = now + VALUE_INTERVAL.total_seconds()
        return False


class _Waker:
    """Marks one subscription of a connection."""

    def __init__(self, connection: LiveConnection, id: int) -> None:
        self._connection, self._id = connection, id

    def __call__(self) -> None:
        self._connection.mark(self._id)
