"""The host's name resolution: its resolvers, its search domains, its /etc/hosts."""

from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple


class HostResolver(NamedTuple):
    servers: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def parse_resolv_conf(text: str) -> HostResolver:
    servers, search, options = list[str](), tuple[str, ...](), tuple[str, ...]()
    for line in text.splitlines():
        words = line.split("#")[0].split(";")[0].split()
        if len(words) < 2:
            continue
        if words[0] == "nameserver":
            servers.append(words[1])
        elif words[0] in ("search", "domain"):
            search = tuple(words[1:])
        elif words[0] == "options":
            options = tuple(words[1:])
    return HostResolver(tuple(servers), search, options)


def host_resolver(path: Path = Path("/etc/resolv.conf")) -> HostResolver:
    try:
        return parse_resolv_conf(path.read_text())
    except OSError:
        return HostResolver()


def parse_hosts(text: str) -> dict[str, list[str]]:
    """Parse IPv4 addresses by name.

    Loopback addresses are skipped except localhost's: in a pod they mean another host.
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.split("#")[0].split()
        try:
            address = ip_address(words[0]) if len(words) > 1 else None
        except ValueError:
            continue
        if address is None or address.version != 4:
            continue
        for name in (each.lower().rstrip(".") for each in words[1:]):
            if not address.is_loopback or name == "localhost":
                found.setdefault(name, []).append(str(address))
    return found


def host_names(path: Path = Path("/etc/hosts")) -> dict[str, list[str]]:
    try:
        return parse_hosts(path.read_text())
    except OSError:
        return {}
