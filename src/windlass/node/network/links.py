"""Encodes the rtnetlink messages for links, addresses, routes and neighbours. Pure."""

import socket
import struct
from ipaddress import IPv4Network

from windlass.node.network.netlink import CREATE, EXCLUSIVE, REPLACE, Message, attribute, attributes, nested, text, u32

_NEW_LINK, _DELETE_LINK, GET_LINK = 16, 17, 18
_NEW_ADDRESS, _NEW_ROUTE, _DELETE_ROUTE, _NEW_NEIGHBOUR = 20, 24, 25, 28
_UP = 1
_LINK = struct.Struct("=BxHiII")
_MAC, _NAME, _MTU, _QUEUE, _INFO, _NAMESPACE_FD, _TX_QUEUES, _RX_QUEUES = 1, 3, 4, 13, 18, 28, 31, 32
_MAIN, _STATIC, _UNICAST = 254, 4, 1
_EVERYWHERE, _ON_LINK_SCOPE = 0, 253
_ON_LINK = 4
_PERMANENT = 0x80


def veth(name: str, mac: bytes, peer: str, peer_mac: bytes, peer_namespace: int, mtu: int) -> Message:
    """A veth pair whose near end is up and whose far end is already in the namespace of that descriptor."""
    far = _LINK.pack(0, 0, 0, 0, 0) + b"".join((_common(peer, peer_mac, mtu), u32(_NAMESPACE_FD, peer_namespace)))
    info = nested(_INFO, text(1, "veth"), nested(2, attribute(1, far)))
    payload = _LINK.pack(0, 0, 0, _UP, _UP) + _common(name, mac, mtu) + info
    return Message(_NEW_LINK, CREATE | EXCLUSIVE, payload, f"make link {name}")


def _common(name: str, mac: bytes, mtu: int) -> bytes:
    return b"".join((text(_NAME, name), attribute(_MAC, mac), u32(_MTU, mtu), u32(_TX_QUEUES, 1), u32(_RX_QUEUES, 1)))


def up(index: int) -> Message:
    return Message(_NEW_LINK, 0, _LINK.pack(0, 0, index, _UP, _UP), f"set link {index} up")


def delete_link(name: str) -> Message:
    return Message(_DELETE_LINK, 0, _LINK.pack(0, 0, 0, 0, 0) + text(_NAME, name), f"remove link {name}")


def get_link(name: str) -> Message:
    return Message(GET_LINK, 0, _LINK.pack(0, 0, 0, 0, 0) + text(_NAME, name), f"find link {name}")


def index_of(body: bytes) -> int:
    """Return the index of the link that a reply to `get_link` describes."""
    return int(_LINK.unpack_from(body)[2])


def name_of(body: bytes) -> str:
    return next((value.rstrip(b"\0").decode() for number, value in attributes(body[16:]) if number == _NAME), "")


def address(index: int, ip: str, length: int = 32) -> Message:
    packed = socket.inet_aton(ip)
    head = struct.pack("=BBBBI", socket.AF_INET, length, 0, 0, index)
    payload = head + attribute(2, packed) + attribute(1, packed)
    return Message(_NEW_ADDRESS, CREATE | REPLACE, payload, f"add address {ip}")


def route(index: int, to: str, *, via: str = "", source: str = "") -> Message:
    """Route a network through a link; `via` need not be in any network of that link."""
    network = IPv4Network(to)
    return Message(_NEW_ROUTE, CREATE | REPLACE, _route(network, index, via, source), f"add route to {to}")


def _route(network: IPv4Network, index: int, via: str, source: str) -> bytes:
    scope = _EVERYWHERE if via else _ON_LINK_SCOPE
    flags = _ON_LINK if via else 0
    head = (socket.AF_INET, network.prefixlen, 0, 0, _MAIN, _STATIC, scope, _UNICAST, flags)
    payload = struct.pack("=BBBBBBBBI", *head) + u32(4, index)
    if network.prefixlen:
        payload += attribute(1, network.network_address.packed)
    if via:
        payload += attribute(5, socket.inet_aton(via))
    if source:
        payload += attribute(7, socket.inet_aton(source))
    return payload


def neighbour(index: int, ip: str, mac: bytes) -> Message:
    """Add a permanent neighbour, so that no ARP request is needed."""
    head = struct.pack("=BxxxiHBB", socket.AF_INET, index, _PERMANENT, 0, 0)
    payload = head + attribute(1, socket.inet_aton(ip)) + attribute(2, mac)
    return Message(_NEW_NEIGHBOUR, CREATE | REPLACE, payload, f"add neighbour {ip}")
