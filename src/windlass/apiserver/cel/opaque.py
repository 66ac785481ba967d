"""Kubernetes' own CEL types (quantities, IP addresses, URLs, versions), represented as tagged maps.

The Python binding of the runtime supports no custom types, so `quantity("1Gi")` is a map with one entry: the type's
name and a canonical text. Equal values have equal texts, hence `==` works; every function below unwraps the map.
"""

import ipaddress
import re
from collections.abc import Callable
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from windlass.kube.quantity import Quantity

Opaque: TypeAlias = dict[str, Any]

QUANTITY, URL, IP, CIDR, SEMVER = "kubernetes.Quantity", "kubernetes.URL", "net.IP", "net.CIDR", "kubernetes.Semver"
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII
)


def text_of(value: Opaque, kind: str) -> str:
    if kind not in value:
        raise ValueError("no such overload")
    return str(value[kind])


def succeeds(make: Callable[[str], object]) -> Callable[[str], bool]:
    """Whether a conversion would succeed: `isQuantity` from `quantity`."""

    def test(text: str) -> bool:
        try:
            make(text)
        except ValueError:
            return False
        return True

    return test


def describe(value: Opaque) -> str:
    """Implement `string(value)` of an address."""
    return str(value.get(IP) or text_of(value, CIDR))


# quantities


def quantity(text: str) -> Opaque:
    return {QUANTITY: str(Quantity.parse(text).nano)}


def _quantity(value: Opaque | int) -> Quantity:
    return Quantity.parse(value) if isinstance(value, int) else Quantity(int(text_of(value, QUANTITY)))


def add(value: Opaque, other: Opaque | int) -> Opaque:
    return {QUANTITY: str((_quantity(value) + _quantity(other)).nano)}


def subtract(value: Opaque, other: Opaque | int) -> Opaque:
    return {QUANTITY: str((_quantity(value) - _quantity(other)).nano)}


def sign(value: Opaque) -> int:
    nano = _quantity(value).nano
    return (nano > 0) - (nano < 0)


def is_integer(value: Opaque) -> bool:
    nano = _quantity(value).nano
    return nano % 10**9 == 0 and -(2**63) <= nano // 10**9 < 2**63


def as_integer(value: Opaque) -> int:
    if not is_integer(value):
        raise ValueError("cannot convert value to integer")
    return _quantity(value).nano // 10**9


def as_float(value: Opaque) -> float:
    return _quantity(value).nano / 10**9


# versions


def semver(text: str) -> Opaque:
    if _SEMVER.fullmatch(text) is None:
        raise ValueError(f"No Major.Minor.Patch elements found in {text!r}" if text else "Version string empty")
    return {SEMVER: text}


def _version(value: Opaque) -> tuple[int, int, int, tuple[tuple[int, int, str], ...]]:
    found = _SEMVER.fullmatch(text_of(value, SEMVER))
    assert found is not None
    major, minor, patch, before = found.groups()
    parts = [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in before.split(".")] if before else [(2, 0, "")]
    return int(major), int(minor), int(patch), tuple(parts)


def version_part(index: int) -> Callable[[Opaque], int]:
    def part(value: Opaque) -> int:
        major, minor, patch, _ = _version(value)
        return (major, minor, patch)[index]

    return part


def compare(value: Opaque, other: Opaque) -> int:
    """Compare two quantities or two versions: -1, 0 or 1."""
    if QUANTITY in value:
        ours, theirs = _quantity(value).nano, _quantity(other).nano
        return (ours > theirs) - (ours < theirs)
    mine, its = _version(value), _version(other)
    return (mine > its) - (mine < its)


def is_greater(value: Opaque, other: Opaque) -> bool:
    return compare(value, other) > 0


def is_less(value: Opaque, other: Opaque) -> bool:
    return compare(value, other) < 0


# addresses


def ip(text: str) -> Opaque:
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address.scope_id):
        raise ValueError(f"IP Address {text!r} is an IPv4-mapped IPv6 address or has a zone, which is not allowed")
    return {IP: str(address)}


def address_of(value: Opaque) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(text_of(value, IP))


def is_canonical(text: str) -> bool:
    return str(ip(text)[IP]) == text


def is_global_unicast(value: Opaque) -> bool:
    address = address_of(value)
    broadcast = str(address) == "255.255.255.255"
    return not (
        broadcast or address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    )


def is_link_local_multicast(value: Opaque) -> bool:
    address = address_of(value)
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.ip_network("224.0.0.0/24")
    return address.is_multicast and address.packed[1] & 0x0F == 2


def cidr(text: str) -> Opaque:
    if "/" not in text or not text.rpartition("/")[2].isdigit():
        raise ValueError(f"network address parse error during conversion from string: invalid CIDR address: {text}")
    return {CIDR: str(ipaddress.ip_interface(text))}


def interface_of(value: Opaque) -> ipaddress.IPv4Interface | ipaddress.IPv6Interface:
    return ipaddress.ip_interface(text_of(value, CIDR))


def contains_ip(value: Opaque, other: Opaque | str) -> bool:
    address = address_of(ip(other) if isinstance(other, str) else other)
    network = interface_of(value).network
    return address.version == network.version and address in network


def contains_cidr(value: Opaque, other: Opaque | str) -> bool:
    outer, inner = interface_of(value).network, interface_of(cidr(other) if isinstance(other, str) else other).network
    same = outer.version == inner.version
    return same and outer.prefixlen <= inner.prefixlen and inner.network_address in outer


# URLs


def url(text: str) -> Opaque:
    parts = urlsplit(text)
    if not text.startswith("/") and not parts.scheme:
        raise ValueError(f'URL parse error during conversion from string: parse "{text}": invalid URI for request')
    if any(char in text for char in " \n\t"):
        raise ValueError(f'URL parse error during conversion from string: parse "{text}": invalid character in URL')
    return {URL: text}


def host(value: Opaque) -> str:
    return urlsplit(text_of(value, URL)).netloc.rpartition("@")[2]


def hostname(value: Opaque) -> str:
    name = host(value)
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def port(value: Opaque) -> str:
    _, found, number = host(value).rpartition("]")[2].rpartition(":")
    return number if found else ""


def scheme(value: Opaque) -> str:
    return urlsplit(text_of(value, URL)).scheme


def path(value: Opaque) -> str:
    return urlsplit(text_of(value, URL)).path


def query(value: Opaque) -> dict[str, list[str]]:
    return parse_qs(urlsplit(text_of(value, URL)).query, keep_blank_values=True)
