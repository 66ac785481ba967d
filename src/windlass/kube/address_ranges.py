"""Where an IP address leads: to the internet, to this machine and its links, or to a cloud's metadata service. Pure."""

import ipaddress
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_METADATA = frozenset(
    ipaddress.ip_address(address) for address in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
"""Addresses of metadata services of clouds that are not link-local."""
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_CARRIERS = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")))
"""IPv6 networks whose last 32 bits are an IPv4 address: NAT64, translated and compatible addresses."""


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether an address is of the internet: neither private nor of this machine, its links or many machines."""
    found = reached_address(address)
    if found in _METADATA or found.is_multicast or not found.is_global:
        return False
    return isinstance(found, ipaddress.IPv4Address) or found in _GLOBAL_UNICAST


def is_local_or_metadata(address: str) -> bool:
    """Whether an address is of this machine, of its links, of many machines, or of a cloud's metadata service."""
    found = reached_address(address)
    is_local = found.is_loopback or found.is_link_local or found.is_unspecified or found.is_multicast
    return is_local or found in _METADATA


def reached_address(address: str) -> Address:
    """The address that packets arrive at: gateways and the kernel unwrap IPv6 addresses that carry an IPv4 one."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv4Address):
        return parsed
    carried = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
    if carried is not None:
        return carried
    if int(parsed) > 1 and any(parsed in network for network in _CARRIERS):  # but `::` and `::1`
        return ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
    return parsed
