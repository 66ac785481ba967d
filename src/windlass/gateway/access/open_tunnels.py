"""Open tunnels and the right by which each was opened: it is closed when that right is withdrawn.

Tunnels are WebSockets, calls by HTTP/2, and answers that are still being sent.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from windlass.gateway.access.reviews import Access
from windlass.gateway.request import Identity
from windlass.kube.errors import ApiError


class Closable(Protocol):
    def close(self) -> None: ...


RETRY_INTERVAL = timedelta(seconds=2)

Check = Callable[[Identity, Access | None], Awaitable[bool]]
Admits = Callable[[], Awaitable[bool]]
"""Whether what else decided about one tunnel still lets it be open."""


async def always() -> bool:
    return True


class OpenTunnels:
    def __init__(self, is_allowed: Check) -> None:
        self._is_allowed = is_allowed
        self._open: dict[Closable, tuple[Identity, Access | None, Admits]] = {}
        self._checking: asyncio.Task[None] | None = None
        self._again = False
        self.opened = 0
        """How many there have been."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, tunnel: Closable, identity: Identity, access: Access | None, admits: Admits = always) -> None:
        self._open[tunnel] = (identity, access, admits)
        self.opened += 1

    def remove(self, tunnel: Closable) -> None:
        self._open.pop(tunnel, None)

    @contextmanager
    def holding(self, tunnel: Closable, identity: Identity, access: Access | None, admits: Admits) -> Generator[None]:
        """Have it open while the block runs."""
        self.add(tunnel, identity, access, admits)
        try:
            yield
        finally:
            self.remove(tunnel)

    def check_soon(self) -> None:
        """Rights may have changed: check every open tunnel. Calls during a check lead to one more."""
        if self._checking is not None and not self._checking.done():
            self._again = True
        elif self._open:
            self._checking = asyncio.create_task(self._check_all())

    def close_ended(self, is_current: Callable[[Identity], bool]) -> None:
        """Close the tunnels of those whose sign-in has ended; after a change of groups the client opens another."""
        for tunnel, (identity, _, _) in list(self._open.items()):
            if not is_current(identity):
                tunnel.close()
                self.remove(tunnel)

    def close_of(self, user: str) -> None:
        """Close the tunnels of one user or service account."""
        self.close_ended(lambda identity: identity.user != user)

    async def _check_all(self) -> None:
        while True:
            self._again = is_away = False
            for tunnel, (identity, access, admits) in list(self._open.items()):
                try:
                    allowed = await self._is_allowed(identity, access) and await admits()
                except ApiError:
                    is_away = True
                    continue
                if not allowed:
                    tunnel.close()
                    self.remove(tunnel)
            if is_away:
                await asyncio.sleep(RETRY_INTERVAL.total_seconds())
            elif not self._again:
                return
