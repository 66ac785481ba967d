"""Leases addresses to pods and keeps the leases in a file; a released address is reused last."""

import os
from ipaddress import IPv4Address
from pathlib import Path

from msgspec import Struct, json

from windlass.node.network.plan import FIRST_POD, LAST_POD


class Leases(Struct):
    """The leases by pod. `next` is where the search for a free address begins: after the last one that was leased."""

    by_uid: dict[str, str] = {}
    next: str = str(FIRST_POD)


class NoAddressLeft(Exception):
    """Every address of the pods' range is in use."""


def lease(leases: Leases, uid: str) -> tuple[Leases, str]:
    """Return the pod's address: its current one, or the next free one. Raises `NoAddressLeft`."""
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
    """The leases of this node, written to disk before they are returned."""

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
