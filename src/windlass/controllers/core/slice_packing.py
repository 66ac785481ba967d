"""Which endpoint goes into which slice: full slices of at most a hundred, and as few slices changed as can be.

An endpoint stays in the slice where it is. New ones go where there is room, first into slices that change anyway; what
is left over makes new slices. A slice that nothing is left in gives its name to a new one, or goes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from windlass.apis.core_v1 import Json
from windlass.apis.discovery_v1 import EndpointSlice
from windlass.kube.json import dig, encode

MAX_ENDPOINTS = 100
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
SUFFIX = 5


@dataclass(slots=True)
class Piece:
    """One slice as it should be; `name` is empty until it is given one."""

    ports: list[Json]
    name: str = ""
    endpoints: list[Json] = field(default_factory=list[Json])
    changed: bool = True


Group = tuple[list[Json], list[Json]]
"""Ports, and the endpoints that have them."""


def grouped(endpoints: Iterable[tuple[list[Json], Json]]) -> list[Group]:
    """Endpoints by their ports, in the order of first appearance."""
    groups: dict[bytes, Group] = {}
    for ports, endpoint in endpoints:
        groups.setdefault(encode(ports), (ports, []))[1].append(endpoint)
    return list(groups.values())


def packed(groups: Sequence[Group], slices: Sequence[EndpointSlice], names: Callable[[int], str]) -> list[Piece]:
    """The slices that there should be of one address type; there is always at least one, if an empty one."""
    pieces = [piece for ports, endpoints in groups for piece in _packed_group(ports, endpoints, slices)]
    if not pieces:
        pieces = [Piece([])]
    taken = {piece.name for piece in pieces}
    spare = [known.metadata.name for known in slices if known.metadata.name not in taken]
    taken |= set(spare)
    number = 0
    for piece in pieces:
        if piece.name:
            continue
        if spare:
            piece.name = spare.pop(0)
            continue
        while (name := names(number)) in taken:
            number += 1
        piece.name = name
        taken.add(name)
    return pieces


def _packed_group(ports: list[Json], endpoints: list[Json], slices: Sequence[EndpointSlice]) -> list[Piece]:
    waiting = {identity(endpoint): endpoint for endpoint in endpoints}
    pieces: list[Piece] = []
    for known in slices:
        if known.ports != ports:
            continue
        kept = [waiting.pop(who) for old in known.endpoints if (who := identity(old)) in waiting]
        if kept:
            pieces.append(Piece(ports, known.metadata.name, kept, changed=kept != known.endpoints))
    pieces.sort(key=lambda piece: (not piece.changed, -len(piece.endpoints)))
    new = list(waiting.values())
    for piece in pieces:
        room = MAX_ENDPOINTS - len(piece.endpoints)
        piece.endpoints += new[:room]
        new = new[room:]
    pieces += [
        Piece(ports, endpoints=new[start : start + MAX_ENDPOINTS]) for start in range(0, len(new), MAX_ENDPOINTS)
    ]
    return pieces


def identity(endpoint: Json) -> tuple[str, tuple[str, ...]]:
    return str(dig(endpoint, "targetRef", "uid")), tuple(endpoint.get("addresses") or ())


def numbered_names(service: str, uid: str, address_type: str) -> Callable[[int], str]:
    """Names like generated ones that are the same each time they are asked for, so no slice is made twice."""

    def name(number: int) -> str:
        digest = blake2b(f"{uid}/{address_type}/{number}".encode(), digest_size=SUFFIX).digest()
        return f"{service}-" + "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest)

    return name
