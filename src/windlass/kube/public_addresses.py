"""Connect to public addresses alone, for URLs that others have chosen.

A process of the platform reaches more than they do: its own machine, private networks, a cloud's metadata. A name is
checked where it counts, after it is resolved, and the connection goes to an address that was checked.
"""

import errno
import socket
from collections.abc import Callable
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from windlass.kube.address_ranges import is_public


class PublicResolver(AbstractResolver):
    """Resolves names to public addresses alone. aiohttp does not ask it about hosts that are addresses already."""

    def __init__(self, is_exempt: Callable[[str], bool]) -> None:
        """`is_exempt`: hosts that may be at any address, since the administrator has named them."""
        self._is_exempt, self._inner = is_exempt, ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found: list[Any] = await self._inner.resolve(host, port, family)
        if self._is_exempt(host):
            return found
        public = [each for each in found if is_public(str(each["host"]))]
        if not public:
            raise OSError(errno.EADDRNOTAVAIL, f"{host} has no public address")  # aiohttp shows errors with numbers
        return public

    async def close(self) -> None:
        await self._inner.close()
