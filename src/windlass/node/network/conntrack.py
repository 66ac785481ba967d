"""The kernel's connection tracking (linux/netfilter/nfnetlink_conntrack.h): lists UDP flows and deletes them."""

import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple

from windlass.node.network.netlink import Message, attribute, attributes, nested

_SUBSYSTEM = 1 << 8
_GET, _DELETE = 1, 2
_ORIGINAL, _REPLY = 1, 2  # a flow's attributes: how packets go there, and how they come back
_ADDRESSES, _PORTS = 1, 2
_SOURCE, _DESTINATION = 1, 2
_PROTOCOL, _SOURCE_PORT, _DESTINATION_PORT = 1, 2, 3
_UDP = 17
_HEAD = struct.pack("=BBH", socket.AF_INET, 0, 0)

LIST_FLOWS = Message(_SUBSYSTEM | _GET, 0, _HEAD, "list connections")


class Flow(NamedTuple):
    """A UDP flow: its source and destination, and the address that replies."""

    source: str
    source_port: int
    to: str
    to_port: int
    answers: str
    answers_port: int


def udp_flows(answers: list[tuple[int, bytes]]) -> Iterator[Flow]:
    """Parse the flows from replies to `LIST_FLOWS`."""
    for _, body in answers:
        found = dict(attributes(body[4:]))
        there, back = _tuple(found.get(_ORIGINAL, b"")), _tuple(found.get(_REPLY, b""))
        if there is not None and back is not None:
            yield Flow(*there, *back[:2])


def _tuple(data: bytes) -> tuple[str, int, str, int] | None:
    parts = dict(attributes(data))
    addresses, ports = dict(attributes(parts.get(_ADDRESSES, b""))), dict(attributes(parts.get(_PORTS, b"")))
    if ports.get(_PROTOCOL) != bytes([_UDP]) or len(addresses.get(_SOURCE, b"")) != 4:
        return None
    source, destination = (socket.inet_ntoa(addresses[each]) for each in (_SOURCE, _DESTINATION))
    return source, _port(ports[_SOURCE_PORT]), destination, _port(ports[_DESTINATION_PORT])


def _port(data: bytes) -> int:
    return struct.unpack(">H", data)[0]


def forget(flow: Flow) -> Message:
    """Delete a flow, so that its next packet is routed like a first one."""
    addresses = nested(
        _ADDRESSES,
        attribute(_SOURCE, socket.inet_aton(flow.source)),
        attribute(_DESTINATION, socket.inet_aton(flow.to)),
    )
    ports = nested(
        _PORTS,
        attribute(_PROTOCOL, bytes([_UDP])),
        attribute(_SOURCE_PORT, struct.pack(">H", flow.source_port)),
        attribute(_DESTINATION_PORT, struct.pack(">H", flow.to_port)),
    )
    return Message(_SUBSYSTEM | _DELETE, 0, _HEAD + nested(_ORIGINAL, addresses, ports), f"forget {flow}")
