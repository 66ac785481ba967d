"""Compiles NetworkPolicies to rules: what may reach a pod, and what a pod may reach.

Each selected pod has a chain for its direction, which a map looks up by its address: a jump to each of its policies,
then drop. An egress rule that matches sends the packet on to the receiver's ingress chain; an ingress rule that matches
accepts it. The node's own packets (probes, port-forward) are not forwarded, so they always pass; replies pass by their
connection.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from ipaddress import IPv4Address, IPv4Network, summarize_address_range
from typing import Any, NamedTuple

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.selector import from_object
from windlass.node.network.plan import DNS
from windlass.node.network.ruleset import Chain, Hook, Rule, Ruleset, Set, Statement
from windlass.node.network.services import HAIRPIN, refusals

_EGRESS, _INGRESS = "egress", "ingress"
_ALLOW_INGRESS: Statement = ("accept",)
_ALLOW_EGRESS: Statement = ("goto", "to-receiver")


class Member(NamedTuple):
    """A pod as policies select it."""

    namespace: str
    name: str
    address: str
    labels: Mapping[str, str]
    ports: tuple[tuple[str, str, int], ...] = ()
    """Name, protocol and number of its named ports."""


CLUSTER_DNS = Member(
    "kube-system", "kube-dns", DNS, {"k8s-app": "kube-dns"}, (("dns", "UDP", 53), ("dns-tcp", "TCP", 53))
)
"""The node itself answers DNS, but policies select it by the labels that clusters use."""


def member(pod: Object, address: str) -> Member:
    ports = [
        (str(port["name"]), str(port.get("protocol") or "TCP"), int(port["containerPort"]))
        for container in dig_list(pod, "spec", "containers")
        for port in dig_list(container, "ports")
        if port.get("name")
    ]
    meta = dig_object(pod, "metadata")
    return Member(str(meta.get("namespace")), str(meta.get("name")), address, dig_object(meta, "labels"), tuple(ports))


def compile_policies(
    policies: Iterable[Object],
    pods: Iterable[Member],
    namespaces: Mapping[str, Mapping[str, str]],
    contain: Callable[[Object], AbstractContextManager[object]] = nullcontext,
) -> tuple[Ruleset, list[str]]:
    """Compile all policies; returns the rules and the parts that are not supported.

    A policy that cannot be compiled blocks everything; `contain` reports the reason.
    """
    everyone = [*pods, CLUSTER_DNS]
    rules, problems = _base(), list[str]()
    isolated: dict[str, dict[str, list[str]]] = {_INGRESS: {}, _EGRESS: {}}
    for policy in sorted(policies, key=lambda each: (each["metadata"]["namespace"], each["metadata"]["name"])):
        with contain(policy):
            compiler = _Compiler(policy, everyone, namespaces)
            for direction in directions(policy):
                found = Ruleset(chains={f"{compiler.name}/{direction}": Chain(())})
                with contain(policy):
                    found = compiler.direction(direction)
                rules.add(found)
                for each in compiler.selected:
                    isolated[direction].setdefault(each.address, []).append(f"{compiler.name}/{direction}")
            problems += compiler.problems
    for direction, chains in isolated.items():
        for address, jumps in chains.items():
            chain = f"{direction}/{address}"
            rules.chains[chain] = Chain((*(((("jump", each)),) for each in jumps), (("drop",),)))
            rules.add(Ruleset(sets={direction: Set((_FIELD[direction],), "verdict", {(address,): ("goto", chain)})}))
    return rules, problems


_FIELD = {_INGRESS: "daddr", _EGRESS: "saddr"}


def _base() -> Ruleset:
    replies: Rule = (("state", "established", "related"), ("accept",))
    itself: Rule = (("was dnat",), ("in", ("saddr", "daddr"), HAIRPIN), ("accept",))
    return Ruleset(
        chains={
            "forward": Chain(
                (replies, *refusals(), itself, (("vmap", ("saddr",), _EGRESS),), (("goto", "to-receiver"),)),
                Hook("filter", "forward", 0),
            ),
            "input": Chain((replies, (("vmap", ("saddr",), _EGRESS),)), Hook("filter", "input", 0)),
            "to-receiver": Chain(((("vmap", ("daddr",), _INGRESS),), (("accept",),))),
        },
        sets={_INGRESS: Set(("daddr",), "verdict"), _EGRESS: Set(("saddr",), "verdict")},
    )


def directions(policy: Object) -> list[str]:
    """Return the directions that a policy isolates: as it says, else ingress, and egress if it has egress rules."""
    listed = [str(each).lower() for each in dig_list(policy, "spec", "policyTypes")]
    return listed or [_INGRESS, *([_EGRESS] if dig(policy, "spec", "egress") else [])]


class _Compiler:
    """Compiles one policy."""

    def __init__(self, policy: Object, pods: list[Member], namespaces: Mapping[str, Mapping[str, str]]) -> None:
        self.policy, self.pods, self.namespaces = policy, pods, namespaces
        self.namespace = str(policy["metadata"]["namespace"])
        self.name = f"policy/{self.namespace}/{policy['metadata']['name']}"
        self.problems: list[str] = []
        chosen = from_object(dig_object(policy, "spec", "podSelector"))
        self.selected = [
            p for p in pods if p is not CLUSTER_DNS and p.namespace == self.namespace and chosen.matches(p.labels)
        ]

    def direction(self, direction: str) -> Ruleset:
        found = Ruleset()
        rules: list[Rule] = []
        for number, rule in enumerate(dig_list(self.policy, "spec", direction)):
            rules += self._rule(found, direction, f"{self.name}/{direction}/{number}", rule or {})
        found.chains[f"{self.name}/{direction}"] = Chain(tuple(rules))
        return found

    def _rule(self, found: Ruleset, direction: str, name: str, rule: Object) -> list[Rule]:
        peers = dig_list(rule, "from" if direction == _INGRESS else "to")
        other = "saddr" if direction == _INGRESS else "daddr"
        chosen = self._chosen(peers)
        matches: list[Rule] = [] if peers else [()]
        members = {(each.address,): None for each in chosen}
        if members:
            found.sets[f"{name}/pods"] = Set((other,), elements={**members})
            matches.append((("in", (other,), f"{name}/pods"),))
        blocks = ranges(dig_object(peer, "ipBlock") for peer in peers if peer.get("ipBlock"))
        if blocks:
            found.sets[f"{name}/blocks"] = Set((other,), elements=dict.fromkeys(blocks), intervals=True)
            matches.append((("in", (other,), f"{name}/blocks"),))
        receivers = self.selected if direction == _INGRESS else (chosen if peers else self.pods)
        ports = self._ports(found, name, dig_list(rule, "ports"), receivers)
        verdict = _ALLOW_INGRESS if direction == _INGRESS else _ALLOW_EGRESS
        return [(*match, *port, verdict) for match in matches for port in ports]

    def _chosen(self, peers: list[Object]) -> list[Member]:
        found: dict[str, Member] = {}
        for peer in peers:
            if peer.get("ipBlock"):
                continue
            pods = from_object(dig_object(peer, "podSelector"))
            spaces = from_object(peer["namespaceSelector"]) if peer.get("namespaceSelector") is not None else None
            for each in self.pods:
                if spaces is None:
                    near = each.namespace == self.namespace
                else:
                    near = each.namespace in self.namespaces and spaces.matches(self.namespaces[each.namespace])
                if near and pods.matches(each.labels):
                    found[each.address] = each
        return list(found.values())

    def _ports(self, found: Ruleset, name: str, ports: list[Object], receivers: list[Member]) -> list[Rule]:
        rules: list[Rule] = [] if ports else [()]
        named: dict[tuple[Any, ...], None] = {}
        for port in ports:
            protocol, number = str(port.get("protocol") or "TCP"), port.get("port")
            if protocol not in ("TCP", "UDP"):
                self.problems.append(f"NetworkPolicy {self.name[7:]}: protocol {protocol} is not supported")
            elif number is None:
                rules.append((("is", "proto", protocol),))
            elif isinstance(number, int):
                last = int(port.get("endPort") or number)
                rules.append((("is", "proto", protocol), ("ports", number, last)))
            else:
                named |= {
                    (each.address, protocol, value): None
                    for each in receivers
                    for label, spoken, value in each.ports
                    if (label, spoken) == (number, protocol)
                }
        if named:
            found.sets[f"{name}/ports"] = Set(("daddr", "proto", "dport"), elements={**named})
            rules.append((("in", ("daddr", "proto", "dport"), f"{name}/ports"),))
        return rules


def ranges(blocks: Iterable[Object]) -> list[tuple[str, str]]:
    """Return the first and last addresses of ipBlocks without their exceptions, disjoint and sorted."""
    spans: list[tuple[int, int]] = []
    for block in blocks:
        cidr = str(block.get("cidr"))
        if ":" in cidr:
            continue  # there is no IPv6 here that it could concern
        pieces = [IPv4Network(cidr, strict=False)]
        for text in dig_list(block, "except"):
            hole = IPv4Network(str(text), strict=False)
            pieces = [rest for piece in pieces for rest in _without(piece, hole)]
        spans += [(int(piece[0]), int(piece[-1])) for piece in pieces]
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return [(str(IPv4Address(first)), str(IPv4Address(last))) for first, last in merged]


def _without(piece: IPv4Network, hole: IPv4Network) -> list[IPv4Network]:
    if not piece.overlaps(hole):
        return [piece]
    if piece.subnet_of(hole):
        return []
    before = summarize_address_range(piece[0], hole[0] - 1) if hole[0] > piece[0] else ()
    after = summarize_address_range(hole[-1] + 1, piece[-1]) if hole[-1] < piece[-1] else ()
    return [*before, *after]
