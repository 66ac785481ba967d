"""Short ways to fill a store and to read what a watcher has got."""

import asyncio
from collections.abc import Sequence

from windlass.apiserver.store import Change, Key, Row, Store, Watcher


def pod(name: str, namespace: str = "default") -> Key:
    return ("pods", namespace, name)


async def put(store: Store, key: Key, value: bytes = b"{}") -> Row:
    return await store.put(key, value)


async def fill(store: Store, *names: str, namespace: str = "default") -> None:
    await asyncio.gather(*[store.put(pod(name, namespace), name.encode()) for name in names])


def names(rows: Sequence[Row]) -> list[str]:
    return [row.key[2] for row in rows]


def told(changes: Sequence[Change]) -> list[tuple[str, str, int]]:
    return [(change.type, change.key[2], change.rev) for change in changes]


async def collect(watcher: Watcher, count: int) -> list[Change]:
    """The next `count` changes; a test that waits for one too many is ended by its timeout."""
    found: list[Change] = []
    async with asyncio.timeout(60):
        while len(found) < count:
            found += await anext(watcher)
    return found
