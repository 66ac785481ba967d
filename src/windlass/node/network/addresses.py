"""Which pod has which address, kept in a file; an address that was given back comes round last."""

import os
from ipaddress import IPv4Address
from pathlib import Path

from msgspec import Struct, json

from windlass.node.network.plan import FIRST_POD, LAST_POD


class Leases(Struct):
    """`next` is where the search for a free address begins: beyond the one that was given last."""

    by_uid: dict[str, str] = {}
    next: str = str(FIRST_POD)


class NoAddressLeft(Exception):
    """Every address of the pods' range is in use."""


def lease(leases: Leases, uid: str) -> tuple[Leases, str]:
    """The pod's address: the one it has, or the next that is free. Raises `NoAddressLeft`."""
    if uid in leases.by_uid:
        return leases, leases.by_uid[uid]
    taken = set(leases.by_uid.values())
    first, last = int(FIRST_POD), int(LAST_POD)
    start = min(max(int(IPv4Address(leases.next)), first), last)
    for candidate in (*range(start, last + 1), *range(first, start)):
        address = str(IPv4Address(candidate))
        if candidate & 0xFF not in (0, 255) and address not in taken:
            after = str(IPv4Address(candidate + 1 if candidate < last else first))
            return Leases({**leases.by_uid, uid: address}, after), address
    raise NoAddressLeft(f"all addresses from {FIRST_POD} to {LAST_POD} are in use")


def release(leases: Leases, uid: str) -> Leases:
    return Leases({each: address for each, address in leases.by_uid.items() if each != uid}, leases.next)


class Addresses:
    """The leases of this node, on disk before anyone hears of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self.leases = json.decode(path.read_bytes(), type=Leases)
        except FileNotFoundError:
            self.leases = Leases()

    def lease(self, uid: str) -> str:
        after, address = lease(self.leases, uid)
        self._keep(after)
        return address

    def release(self, uid: str) -> None:
        self._keep(release(self.leases, uid))

    def _keep(self, after: Leases) -> None:
        if after == self.leases:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.write_bytes(json.encode(after))
        os.replace(fresh, self._path)  # noqa: PTH105 - the one that says that it replaces
        self.leases = after
