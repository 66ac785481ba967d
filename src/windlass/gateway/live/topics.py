"""The computed topics of the stream."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from windlass.gateway.context import GatewayContext
from windlass.gateway.live import messages
from windlass.gateway.request import Identity
from windlass.kube.errors import ApiError, InternalError
from windlass.kube.json import encode

Publish = Callable[[object], None]
"""Called with a whole value whenever it may have changed. A `msgspec.Raw` is sent as it is."""

log = logging.getLogger(__name__)


class Topic(Protocol):
    """A value that is computed for a user, and computed again when what it depends on changes."""

    @property
    def name(self) -> str: ...

    @property
    def params(self) -> type[msgspec.Struct]:
        """What a page says of it; a bad value is answered with 400."""
        ...

    async def subscribe(self, context: GatewayContext, identity: Identity, params: Any, publish: Publish) -> None:
        """Publish values until cancelled. Raises the ApiError (Forbidden, NotFound) that ends the subscription.

        It is cancelled and called again when rights change, so it may check them at its beginning only.
        """
        ...


class ValueSubscription:
    """One page's subscription to a computed topic: of values that come quickly, the last one is sent."""

    has_more = False

    def __init__(
        self, context: GatewayContext, identity: Identity, topic: Topic, id: int, wake: Callable[[], None]
    ) -> None:
        self._context, self._identity, self._topic = context, identity, topic
        self.id, self._wake = id, wake
        self._params: msgspec.Struct | None = None
        self._task: asyncio.Task[None] | None = None
        self._latest = self._sent = b""
        self._error: ApiError | None = None

    def open(self, params: msgspec.Struct) -> None:
        self._params = params
        self._task = asyncio.create_task(self._run(params), name=f"live {self._topic.name}")

    async def check(self) -> None:
        if self._params is not None:
            self.close()
            self.open(self._params)

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def next_message(self) -> bytes | None:
        if self._error is not None:
            raise self._error
        if self._latest == self._sent:
            return None
        self._sent = self._latest
        return messages.value(self.id, self._sent)

    async def _run(self, params: msgspec.Struct) -> None:
        try:
            await self._topic.subscribe(self._context, self._identity, params, self._publish)
        except ApiError as error:
            self._fail(error)
        except Exception:
            log.exception("topic failed name=%s", self._topic.name)
            self._fail(InternalError("this view failed; the gateway's log has the details"))

    def _fail(self, error: ApiError) -> None:
        self._error = error
        self._wake()

    def _publish(self, value: object) -> None:
        self._latest = encode(value)
        if self._latest != self._sent:
            self._wake()
