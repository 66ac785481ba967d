"""Which HyperNodes the labels of nodes ask for, by the configuration `networkTopologyDiscovery`. Pure.

The labels of a topology are listed from the widest part of the network to the node itself, which the last stands for.
Nodes with equal values of the one before it form a hypernode of tier 1, those of the one before that one of tier 2, and
so on. A node that lacks a label belongs to nothing above it.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from windlass.apis.core_v1 import Node
from windlass.apis.topology_volcano_v1alpha1 import (
    ExactMatch,
    HyperNode,
    HyperNodeSpec,
    MemberSelector,
    MemberSpec,
)
from windlass.formats.json_or_yaml import parse
from windlass.kube.json import dig, dig_list, is_list, is_object
from windlass.kube.meta import ObjectMeta

NAMESPACE, CONFIG_MAP, KEY = "volcano-system", "volcano-controller-configmap", "volcano-controller.conf"
SOURCE = "volcano.sh/network-topology-source"
LABEL = "label"
LONGEST_TYPE = 20

Topologies = dict[str, list[str]]
"""By name, the labels of each tier, the nearest first."""


class Configuration(msgspec.Struct, frozen=True):
    """What is asked for, and what is wrong with it. `topologies` None: labels are not to be looked at."""

    topologies: Topologies | None = None
    problems: tuple[str, ...] = ()


def configuration(text: str) -> Configuration:
    try:
        document: Any = parse(text) or {}
    except ValueError as error:
        return Configuration(problems=(f"{KEY} is not YAML: {' '.join(str(error).split())}",))
    listed = dig(document, "networkTopologyDiscovery")
    if listed is not None and not is_list(listed):
        return Configuration(problems=("networkTopologyDiscovery must be a list",))
    topologies: Topologies | None = None
    problems: list[str] = []
    for at, source in enumerate(listed or []):
        where, name = f"networkTopologyDiscovery[{at}]", dig(source, "source")
        if dig(source, "enabled") is not True:
            continue
        if name != LABEL:
            problems.append(f"{where}.source: {name} is not supported here: hypernodes are found by node labels only")
            continue
        found, wrong = _topologies(dig(source, "config", "networkTopologyTypes"), where)
        topologies, problems = {**(topologies or {}), **found}, [*problems, *wrong]
    return Configuration(topologies, tuple(problems))


def _topologies(types: Any, where: str) -> tuple[Topologies, list[str]]:
    path = f"{where}.config.networkTopologyTypes"
    if not is_object(types):
        return {}, [f"{path} must name at least one topology"]
    found: Topologies = {}
    problems: list[str] = []
    for name, levels in types.items():
        labels = [str(dig(level, "nodeLabel") or "") for level in dig_list({"levels": levels}, "levels")]
        wrong = _wrong_with(str(name), labels)
        if wrong:
            problems.append(f"{path}.{name}: {wrong}")
        else:
            found[str(name)] = labels[-2::-1]
    return found, problems


def _wrong_with(name: str, labels: list[str]) -> str:
    if len(name) > LONGEST_TYPE:
        return f"the name may have {LONGEST_TYPE} characters"
    if len(labels) < 2 or not all(labels):
        return "must list nodeLabel entries, from the widest to that of the node"
    return "there are duplicate labels" if len(set(labels)) < len(labels) else ""


def hyper_nodes(topologies: Topologies, nodes: Iterable[Node]) -> list[HyperNode]:
    """The HyperNodes that should be, by name."""
    members: dict[tuple[str, int, str, str], set[str]] = {}
    for node in nodes:
        for name, labels in topologies.items():
            _climb(members, name, labels, node)
    return sorted((_hyper_node(*place, inside) for place, inside in members.items()), key=_name)


def _climb(members: dict[tuple[str, int, str, str], set[str]], name: str, labels: list[str], node: Node) -> None:
    member = node.metadata.name
    for at, label in enumerate(labels):
        value = node.metadata.labels.get(label)
        if value is None:
            return
        members.setdefault((name, at + 1, label, value), set()).add(member)
        member = name_of(name, at + 1, label, value)


def name_of(topology: str, tier: int, label: str, value: str) -> str:
    """The same for the same labels at any time, so that nothing needs to be remembered."""
    mark = hashlib.sha256(f"{topology}/{label}={value}".encode()).hexdigest()[:8]
    return f"hypernode-{re.sub(r'[^a-z0-9]+', '-', topology.lower()).strip('-') or 'topology'}-tier{tier}-{mark}"


def _hyper_node(topology: str, tier: int, label: str, value: str, inside: set[str]) -> HyperNode:
    kind = "Node" if tier == 1 else "HyperNode"
    members = [
        MemberSpec(type=kind, selector=MemberSelector(exact_match=ExactMatch(name=name))) for name in sorted(inside)
    ]
    return HyperNode(
        metadata=ObjectMeta(name=name_of(topology, tier, label, value), labels={SOURCE: LABEL, label: value}),
        spec=HyperNodeSpec(tier=tier, tier_name=label, members=members),
    )


def _name(one: HyperNode) -> str:
    return one.metadata.name


def is_discovered(labels: Mapping[str, str]) -> bool:
    return labels.get(SOURCE) == LABEL
