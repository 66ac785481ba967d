"""HyperNode -> how many nodes are in it, and whether its members are what they should be: there, and a tree. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass.apis.core_v1 import Node
from windlass.apis.topology_volcano_v1alpha1 import HyperNode, HyperNodeStatus, MemberSelector, MemberSpec
from windlass.formats import patterns
from windlass.kube.conditions import with_condition
from windlass.kube.controller import matches
from windlass.kube.meta import Condition, LabelSelector

READY = "Ready"
NAMED = 5  # members that a message names


@dataclass(frozen=True, slots=True)
class Fault:
    reason: str
    message: str


class Pool:
    """Those that members may be chosen from, by name and by label: a rack of thousands of nodes is found at once."""

    def __init__(self, labels: Mapping[str, dict[str, str]]) -> None:
        self._labels = labels
        self._having: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for name, has in labels.items():
            for pair in has.items():
                self._having[pair].add(name)

    def __contains__(self, name: object) -> bool:
        return name in self._labels

    def chosen(self, selector: MemberSelector) -> Sequence[str]:
        """Which of them a member means; a pattern is to be found in a name, as Volcano has it."""
        if selector.exact_match is not None:
            return [selector.exact_match.name] if selector.exact_match.name in self else []
        if selector.regex_match is not None:
            return self._named(selector.regex_match.pattern)
        if selector.label_match is not None:
            return self._labelled(selector.label_match)
        return []

    def _named(self, pattern: str) -> list[str]:
        try:
            return [name for name in self._labels if patterns.matches(pattern, name)]
        except patterns.BadPattern:
            return []

    def _labelled(self, selector: LabelSelector) -> list[str]:
        pairs = selector.match_labels.items()
        candidates = (
            set[str].intersection(*(self._having.get(pair, set()) for pair in pairs)) if pairs else self._labels
        )
        return [name for name in candidates if matches(selector, self._labels[name])]


class Topology:
    """The hypernodes and nodes of one moment, and who is a member of what."""

    def __init__(self, hyper_nodes: Iterable[HyperNode], nodes: Iterable[Node]) -> None:
        self.hyper_nodes = {one.metadata.name: one for one in hyper_nodes}
        self._nodes = Pool({node.metadata.name: node.metadata.labels for node in nodes})
        self._inner = Pool({name: {} for name in self.hyper_nodes})
        self._members = {name: self._resolved(one) for name, one in self.hyper_nodes.items()}
        self._parents = Counter(child for _, children in self._members.values() for child in set(children))

    def _resolved(self, hyper_node: HyperNode) -> tuple[set[str], list[str]]:
        """Its own nodes, and the hypernodes in it."""
        nodes: set[str] = set()
        children: list[str] = []
        for member in hyper_node.spec.members:
            if member.type == "Node":
                nodes.update(self._nodes.chosen(member.selector))
            else:
                children += self._inner.chosen(member.selector)
        return nodes, [child for child in children if child != hyper_node.metadata.name]

    def nodes_in(self, name: str) -> set[str]:
        """All nodes below a hypernode; one that contains itself is looked at once."""
        found: set[str] = set()
        to_visit, visited = [name], set[str]()
        while to_visit:
            one = to_visit.pop()
            if one in visited or one not in self._members:
                continue
            visited.add(one)
            nodes, children = self._members[one]
            found |= nodes
            to_visit += children
        return found

    def fault(self, name: str) -> Fault | None:
        hyper_node = self.hyper_nodes[name]
        for check in (self._bad_patterns, self._missing, self._cycle, self._tiers):
            fault = check(hyper_node)
            if fault is not None:
                return fault
        if self._parents[name] > 1:
            return Fault("SeveralParents", f"{self._parents[name]} hypernodes have it as a member: there may be one")
        return None

    def _bad_patterns(self, hyper_node: HyperNode) -> Fault | None:
        for at, member in enumerate(hyper_node.spec.members):
            pattern = member.selector.regex_match.pattern if member.selector.regex_match is not None else ""
            try:
                _ = pattern and patterns.matches(pattern, "")
            except patterns.BadPattern as error:
                return Fault("InvalidPattern", f"spec.members[{at}].selector.regexMatch.pattern: {error}")
        return None

    def _missing(self, hyper_node: HyperNode) -> Fault | None:
        absent = [
            f"{member.type} {name}"
            for member in hyper_node.spec.members
            if (name := _exact(member)) and name not in (self._nodes if member.type == "Node" else self._inner)
        ]
        if not absent:
            return None
        more = f" and {len(absent) - NAMED} more" if len(absent) > NAMED else ""
        return Fault("MemberNotFound", f"not there: {', '.join(absent[:NAMED])}{more}")

    def _cycle(self, hyper_node: HyperNode) -> Fault | None:
        name = hyper_node.metadata.name
        itself = [name for member in hyper_node.spec.members if member.type == "HyperNode" and _exact(member) == name]
        to_visit, visited = [*itself, *self._members[name][1]], set[str]()
        while to_visit:
            one = to_visit.pop()
            if one == name:
                return Fault("MemberCycle", "it is a member of itself")
            if one not in visited and one in self._members:
                visited.add(one)
                to_visit += self._members[one][1]
        return None

    def _tiers(self, hyper_node: HyperNode) -> Fault | None:
        """What is inside is nearer to each other than what is around it."""
        tier = hyper_node.spec.tier
        for child in self._members[hyper_node.metadata.name][1]:
            if self.hyper_nodes[child].spec.tier >= tier:
                message = f"member {child} is of tier {self.hyper_nodes[child].spec.tier}, which is not below {tier}"
                return Fault("MemberTier", message)
        return None


def status_of(hyper_node: HyperNode, topology: Topology, now: datetime) -> HyperNodeStatus:
    name = hyper_node.metadata.name
    fault, count = topology.fault(name), len(topology.nodes_in(name))
    new = Condition(
        type=READY,
        status="True" if fault is None else "False",
        reason=fault.reason if fault is not None else "MembersFound",
        message=fault.message if fault is not None else "",
        observed_generation=hyper_node.metadata.generation,
    )
    return HyperNodeStatus(node_count=count, conditions=with_condition(hyper_node.status.conditions, new, now))


def _exact(member: MemberSpec) -> str:
    return member.selector.exact_match.name if member.selector.exact_match is not None else ""
