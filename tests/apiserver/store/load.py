"""A process that writes as fast as it can and tells each write that was acknowledged; made to be killed.

    python -m tests.apiserver.store.load FILE SEED

Each line it prints is `key rev number`, or `key rev -` for a deletion, written only after the store has acknowledged.
"""

import asyncio
import os
import random
import sys
from pathlib import Path

from windlass.apiserver.store import Store

WRITERS = 16
OBJECTS_EACH = 12


async def writer(store: Store, own: int, chance: random.Random) -> None:
    number = 0
    while True:
        number += 1
        key = ("pods", "default", f"w{own}-{chance.randrange(OBJECTS_EACH)}")
        if store.newest(key) is not None and chance.random() < 0.2:
            row, tells = await store.delete(key, b"end"), "-"
        else:
            tells = str(number)
            row = await store.put(key, tells.encode() + b" " * chance.randrange(4000))
        os.write(1, f"{key[2]} {row.rev} {tells}\n".encode())


async def pairs(store: Store) -> None:
    """Two objects that are always written together: a crash must leave them equal."""
    number = 0
    while True:
        number += 1
        value = b"%d" % number
        await asyncio.gather(store.put(("pods", "pair", "one"), value), store.put(("pods", "pair", "two"), value))


async def compacting(store: Store) -> None:
    while True:
        await asyncio.sleep(0.02)
        await store.compact(store.revision - 100)


async def main(path: Path, seed: int) -> None:
    store = Store.open(path)
    os.write(1, f"open {store.revision} -\n".encode())
    chance = random.Random(seed)
    if chance.random() < 0.75:
        await store.use_journal()
    writers = [writer(store, own, random.Random(chance.random())) for own in range(WRITERS)]
    await asyncio.gather(*writers, pairs(store), compacting(store))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
