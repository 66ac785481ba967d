"""Compiles Services with their EndpointSlices, and pods' hostPorts, to rules for virtual addresses.

Every Service port has a chain that picks an endpoint at random; one map leads from address, protocol and port to the
chain. Endpoints are those that are ready or, if none is, those that still serve while terminating, as in kube-proxy.
"""

from collections.abc import Iterable
from typing import NamedTuple

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.network.plan import API, DNS, METADATA, NODE, SERVICES
from windlass.node.network.ruleset import Chain, Hook, Rule, Ruleset, Set

MAP = "services"
HAIRPIN = "hairpin"
CLOSED = "closed"
_WHERE = ("daddr", "proto", "dport")
_AFFINITY_SECONDS = 10800
_OURS = frozenset({API, DNS})  # addresses at which the node itself answers
_NONE = (None, "", "None")
LOOPBACK, _ANYWHERE = "127.0.0.1", "0.0.0.0"


class Endpoint(NamedTuple):
    address: str
    port: int


class ForwardedPort(NamedTuple):
    """A port of the machine itself, and its target in the pods' network."""

    protocol: str
    port: int
    to: Endpoint
    at: str = LOOPBACK


class Compiled(NamedTuple):
    """The rules of one Service, what is not supported, and the machine's ports that are forwarded to it."""

    rules: Ruleset
    problems: tuple[str, ...] = ()
    forwarded: tuple[ForwardedPort, ...] = ()


def base(uplinks: tuple[str, ...] = (), *, metadata: bool = False) -> Ruleset:
    """Return the rules that exist independently of any Service; with `metadata`, pods reach metadata addresses."""
    lead: Rule = (("vmap", _WHERE, MAP),)
    hairpin: Rule = (("was dnat",), ("in", ("saddr", "daddr"), HAIRPIN), ("snat", NODE))
    out = tuple((("leaves by", name), ("masquerade",)) for name in uplinks)
    # Before the chains of policies, so that no policy can allow what is refused here.
    guards = {f"metadata-{at}": Chain(_metadata_refusals(), Hook("filter", at, -10)) for at in ("forward", "output")}
    return Ruleset(
        chains={
            **({} if metadata else guards),
            "prerouting": Chain((lead,), Hook("nat", "prerouting", -100)),
            "output": Chain((lead,), Hook("nat", "output", -100)),
            "postrouting": Chain((hairpin, *out), Hook("nat", "postrouting", 100)),
            "refuse-output": Chain((*refusals(),), Hook("filter", "output", 0)),
        },
        sets={
            MAP: Set(_WHERE, "verdict"),
            HAIRPIN: Set(("saddr", "daddr")),
            CLOSED: Set(_WHERE),
        },
    )


def _metadata_refusals() -> tuple[Rule, ...]:
    return tuple(
        (("within", "daddr", str(block)), *match, ("reject", kind))
        for block in METADATA
        for match, kind in (((("is", "proto", "TCP"),), "tcp-reset"), ((), "port-unreachable"))
    )


def refusals() -> tuple[Rule, ...]:
    """Reject packets that are still addressed to a virtual address: nothing answers there."""
    rules: list[Rule] = []
    for kind in ("tcp-reset", "port-unreachable"):
        tcp = (("is", "proto", "TCP"),) if kind == "tcp-reset" else ()
        ours = (("is not", "daddr", API), ("is not", "daddr", DNS))
        rules.append((("within", "daddr", str(SERVICES)), *ours, *tcp, ("reject", kind)))
        rules.append((("in", _WHERE, CLOSED), *tcp, ("reject", kind)))
    return tuple(rules)


def compile_service(service: Object, slices: Iterable[Object], node: str) -> Compiled:
    """Compile the chains and elements of one Service."""
    if dig(service, "spec", "type") == "ExternalName" or dig(service, "spec", "clusterIP") in _NONE:
        return Compiled(Ruleset())
    slices = list(slices)
    rules, problems, forwarded = Ruleset(), list[str](), list[ForwardedPort]()
    for port in dig_list(service, "spec", "ports"):
        protocol = str(port.get("protocol") or "TCP")
        if protocol not in ("TCP", "UDP"):
            name = f"{dig(service, 'metadata', 'namespace')}/{dig(service, 'metadata', 'name')}"
            problems.append(f"Service {name} port {port.get('port')}: protocol {protocol} is not supported")
            continue
        rules.add(_port(service, port, protocol, slices, node))
        if port.get("nodePort"):
            forwarded.append(ForwardedPort(protocol, number := int(port["nodePort"]), Endpoint(NODE, number)))
    return Compiled(rules, tuple(problems), tuple(forwarded))


def _port(service: Object, port: Object, protocol: str, slices: list[Object], node: str) -> Ruleset:
    spec, meta = dig_object(service, "spec"), dig_object(service, "metadata")
    name = f"{meta.get('namespace')}/{meta.get('name')}/{protocol.lower()}/{port['port']}"
    inside = endpoints(slices, port, protocol, node if spec.get("internalTrafficPolicy") == "Local" else "")
    outside = endpoints(slices, port, protocol, node if spec.get("externalTrafficPolicy") == "Local" else "")
    cluster = [(str(ip), protocol, int(port["port"])) for ip in dig_list(spec, "clusterIPs") or [spec["clusterIP"]]]
    external = [(str(ip), protocol, int(port["port"])) for ip in dig_list(spec, "externalIPs")]
    if port.get("nodePort"):
        external.append((NODE, protocol, int(port["nodePort"])))
    rules = Ruleset()
    for chain, keys, found in ((name, cluster, inside), (f"{name}/external", external, outside)):
        keys = [key for key in keys if key[0] not in _OURS and ":" not in key[0]]
        if keys and found:
            rules.add(_balanced(chain, found, _affinity(spec)))
            rules.add(Ruleset(sets={MAP: Set(_WHERE, "verdict", dict.fromkeys(keys, ("goto", chain)))}))
        elif keys:
            rules.add(Ruleset(sets={CLOSED: Set(_WHERE, elements=dict.fromkeys(keys))}))
    return rules


def _affinity(spec: Object) -> int:
    if spec.get("sessionAffinity") != "ClientIP":
        return 0
    return int(dig(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") or _AFFINITY_SECONDS)


def _balanced(chain: str, found: list[Endpoint], affinity: int) -> Ruleset:
    hairpin = Set(("saddr", "daddr"), elements=dict.fromkeys((e.address, e.address) for e in found))
    if affinity:
        rules = _sticky(chain, found, affinity)
    else:
        numbered = {(number,): (each.address, each.port) for number, each in enumerate(found)}
        rule: Rule = (("random dnat", len(found), chain),)
        rules = Ruleset({chain: Chain((rule,))}, {chain: Set(("number",), "endpoint", numbered)})
    rules.add(Ruleset(sets={HAIRPIN: hairpin}))
    return rules


def _sticky(chain: str, found: list[Endpoint], seconds: int) -> Ruleset:
    """Build a chain per endpoint that remembers its clients; a remembered client returns to its endpoint."""
    rules, again = Ruleset(), list[Rule]()
    numbered: dict[tuple[int], tuple[str, str]] = {}
    for number, each in enumerate(found):
        own = f"{chain}/{each.address}:{each.port}"
        remember: Rule = (("remember", ("saddr",), own), ("dnat", each.address, each.port))
        rules.chains[own] = Chain((remember,))
        rules.sets[own] = Set(("saddr",), timeout=seconds)
        again.append((("in", ("saddr",), own), ("goto", own)))
        numbered[number,] = ("goto", own)
    rules.sets[chain] = Set(("number",), "verdict", {**numbered})
    rules.chains[chain] = Chain((*again, (("random vmap", len(found), chain),)))
    return rules


def endpoints(slices: Iterable[Object], port: Object, protocol: str, only_on: str = "") -> list[Endpoint]:
    """Return the endpoints of a Service port, in a stable order."""
    ready: set[Endpoint] = set()
    ending: set[Endpoint] = set()
    for piece in slices:
        if piece.get("addressType") not in (None, "IPv4"):
            continue
        for number in _numbers(piece, port, protocol):
            for each in dig_list(piece, "endpoints"):
                if only_on and each.get("nodeName") != only_on:
                    continue
                conditions = dig_object(each, "conditions")
                kind = ready if conditions.get("ready") is not False else ending
                if kind is ready or (conditions.get("serving") and conditions.get("terminating")):
                    kind.update(Endpoint(str(address), number) for address in dig_list(each, "addresses")[:1])
    return sorted(ready or ending)


def _numbers(piece: Object, port: Object, protocol: str) -> list[int]:
    """Return a slice's port numbers.

    Its ports have the names of the Service's; named targetPorts are already numbers.
    """
    return [
        int(each["port"])
        for each in dig_list(piece, "ports")
        if each.get("port")
        and (each.get("name") or "") == (port.get("name") or "")
        and str(each.get("protocol") or "TCP") == protocol
    ]


def compile_host_ports(pods: Iterable[tuple[Object, str]]) -> Compiled:
    """Compile the hostPorts of pods, each with its address."""
    rules, problems, forwarded = Ruleset(), list[str](), list[ForwardedPort]()
    for pod, address in pods:
        if dig(pod, "spec", "hostNetwork"):
            continue
        for container in dig_list(pod, "spec", "containers"):
            for port in dig_list(container, "ports"):
                if not port.get("hostPort"):
                    continue
                try:
                    found = _host_port(port, address)
                except ValueError as error:
                    name = f"{dig(pod, 'metadata', 'namespace')}/{dig(pod, 'metadata', 'name')}"
                    problems.append(f"Pod {name} hostPort {port['hostPort']}: {error}")
                    continue
                rules.add(found.rules)
                forwarded += found.forwarded
    return Compiled(rules, tuple(problems), tuple(forwarded))


def _host_port(port: Object, address: str) -> Compiled:
    """Return where a hostPort listens: the node's address and the machine's loopback, or only its hostIP."""
    protocol, number = str(port.get("protocol") or "TCP"), int(port["hostPort"])
    to, at = Endpoint(address, int(port["containerPort"])), str(port.get("hostIP") or _ANYWHERE)
    if protocol not in ("TCP", "UDP"):
        raise ValueError(f"protocol {protocol} is not supported")
    if ":" in at:
        raise ValueError(f"hostIP {at} is not supported: pods have no IPv6 here")
    if at not in (_ANYWHERE, NODE):
        return Compiled(Ruleset(), forwarded=(ForwardedPort(protocol, number, to, at),))
    chain = f"host/{protocol.lower()}/{number}"
    rules = _balanced(chain, [to], 0)
    rules.add(Ruleset(sets={MAP: Set(_WHERE, "verdict", {(NODE, protocol, number): ("goto", chain)})}))
    return Compiled(
        rules, forwarded=(ForwardedPort(protocol, number, Endpoint(NODE, number)),) if at == _ANYWHERE else ()
    )
