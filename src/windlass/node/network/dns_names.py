"""Resolves the cluster's names: Services, endpoints and pods, by Kubernetes' DNS specification."""

import random
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.network import dns_message as wire
from windlass.node.network.dns_message import Record
from windlass.node.network.plan import DOMAIN

TTL = 5
_NONE = (None, "", "None")
_Port = tuple[str, str]  # its name and its protocol


class Resolution(NamedTuple):
    """The result of a lookup. `exists` without records is a name that has other types, or names below it."""

    exists: bool
    records: list[Record]
    additional: list[Record] = []
    alias: str = ""
    """The external name that the last record points to, for the server to resolve."""


NOWHERE = Resolution(False, [])


class Names:
    """All names of the cluster; the parts are replaced when the API reports changes."""

    def __init__(self) -> None:
        self.services: Mapping[tuple[str, str], Object] = {}
        self.slices: Mapping[tuple[str, str], Iterable[Object]] = {}
        self.namespaces: Iterable[str] = ()
        self.pods: Mapping[str, str] = {}
        """Namespaces of pods by address."""
        self.reverse: Mapping[str, str] = {}

    def find(self, name: str, kind: int) -> Resolution:
        if name.endswith(".in-addr.arpa"):
            return self._reverse(name, kind)
        labels = name[: -len(DOMAIN)].rstrip(".").split(".") if name != DOMAIN else []
        if not labels or labels in (["svc"], ["pod"]):
            return Resolution(True, [])
        if labels[-1] == "svc":
            return self._service(name, labels[:-1], kind)
        if labels[-1] == "pod":
            return self._pod(name, labels[:-1], kind)
        return NOWHERE

    def _pod(self, name: str, labels: list[str], kind: int) -> Resolution:
        if len(labels) == 1:
            return Resolution(labels[0] in self.namespaces, [])
        address = labels[0].replace("-", ".")
        if len(labels) != 2 or self.pods.get(address) != labels[1]:
            return NOWHERE
        return _addresses(name, [address], kind)

    def _service(self, name: str, labels: list[str], kind: int) -> Resolution:
        namespace = labels[-1]
        if len(labels) == 1:
            return Resolution(namespace in self.namespaces, [])
        service = self.services.get((namespace, labels[-2]))
        if service is None:
            return NOWHERE
        full = f"{labels[-2]}.{namespace}.svc.{DOMAIN}"
        spec, below = dig_object(service, "spec"), labels[:-2]
        if spec.get("type") == "ExternalName":
            target = str(spec.get("externalName")).rstrip(".").lower()
            alias = [wire.name_record(name, wire.CNAME, target, TTL)]
            return NOWHERE if below else Resolution(True, alias, alias=target)
        headless = spec.get("clusterIP") in _NONE
        hosts = self._hosts(namespace, labels[-2]) if headless else {}
        if not below:
            if not headless:
                return _addresses(name, [str(spec["clusterIP"])], kind)
            listed = [each for addresses in hosts.values() for each in addresses]
            return _addresses(name, listed, kind) if listed else NOWHERE
        if len(below) == 1 and not below[0].startswith("_"):
            return _addresses(name, hosts[below[0]], kind) if below[0] in hosts else NOWHERE
        if len(below) == 2 and below[0].startswith("_") and below[1] in ("_tcp", "_udp"):
            return self._ports(name, full, service, hosts if headless else None, (below[0][1:], below[1][1:]), kind)
        if len(below) == 1 and below[0] in ("_tcp", "_udp"):
            return Resolution(True, [])
        return NOWHERE

    def _hosts(self, namespace: str, name: str) -> dict[str, list[str]]:
        """Return the names of a headless Service's endpoints: their hostname, else their address with dashes."""
        hosts: dict[str, list[str]] = {}
        for piece in self.slices.get((namespace, name), ()):
            if piece.get("addressType") not in (None, "IPv4"):
                continue
            for each in dig_list(piece, "endpoints"):
                if dig(each, "conditions", "ready") is False:
                    continue
                for address in dig_list(each, "addresses"):
                    known = hosts.setdefault(str(each.get("hostname") or str(address).replace(".", "-")), [])
                    if address not in known:
                        known.append(str(address))
        return hosts

    def _ports(
        self,
        name: str,
        full: str,
        service: Object,
        hosts: dict[str, list[str]] | None,
        port: tuple[str, str],
        kind: int,
    ) -> Resolution:
        wanted = [p for p in dig_list(service, "spec", "ports") if _is(p, port)]
        if hosts is None:
            numbers = [int(p["port"]) for p in wanted]
            targets = {full: [str(dig(service, "spec", "clusterIP"))]}
        else:
            meta = dig_object(service, "metadata")
            pieces = self.slices.get((str(meta.get("namespace")), str(meta.get("name"))), ())
            numbers = sorted(
                {int(p["port"]) for s in pieces for p in dig_list(s, "ports") if p.get("port") and _is(p, port)}
            )
            targets = {f"{host}.{full}": addresses for host, addresses in hosts.items()}
        if not numbers or not targets:
            return NOWHERE
        if kind not in (wire.SRV, wire.ANY):
            return Resolution(True, [])
        weight = max(1, 100 // (len(targets) * len(numbers)))
        records = [wire.srv_record(name, number, target, TTL, weight) for target in targets for number in numbers]
        also = [wire.address_record(target, each, TTL) for target, found in targets.items() for each in found]
        return Resolution(True, records, also)

    def _reverse(self, name: str, kind: int) -> Resolution:
        address = ".".join(reversed(name.removesuffix(".in-addr.arpa").split(".")))
        target = self.reverse.get(address)
        if target is None:
            return NOWHERE
        return Resolution(True, [wire.name_record(name, wire.PTR, target, TTL)] if kind in (wire.PTR, wire.ANY) else [])

    def refresh_reverse(self) -> None:
        """Recompute the names of addresses."""
        found: dict[str, str] = {}
        for (namespace, name), service in self.services.items():
            address = dig(service, "spec", "clusterIP")
            full = f"{name}.{namespace}.svc.{DOMAIN}"
            if address not in _NONE:
                found[str(address)] = full
            elif dig(service, "spec", "type") != "ExternalName":
                for host, addresses in self._hosts(namespace, name).items():
                    found.update(dict.fromkeys(addresses, f"{host}.{full}"))
        self.reverse = found


def _is(port: Object, wanted: tuple[str, str]) -> bool:
    return (str(port.get("name") or ""), str(port.get("protocol") or "TCP").lower()) == wanted


def _addresses(name: str, addresses: list[str], kind: int) -> Resolution:
    if kind not in (wire.A, wire.ANY):
        return Resolution(True, [])
    mixed = random.sample(addresses, len(addresses))
    return Resolution(True, [wire.address_record(name, each, TTL) for each in mixed])


def is_ours(name: str) -> bool:
    if name == DOMAIN or name.endswith(f".{DOMAIN}"):
        return True
    return name.endswith((".244.10.in-addr.arpa", ".96.10.in-addr.arpa"))
