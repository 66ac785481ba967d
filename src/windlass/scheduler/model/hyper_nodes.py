"""HyperNodes, as the API has them, to the nodes that are in each. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from windlass.formats.patterns import BadPattern, matches
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list, dig_object
from windlass.kube.selector import from_object
from windlass.scheduler.model.cluster import HyperNode

Labels = Mapping[str, str]


def resolve(objects: Iterable[Json], nodes: Mapping[str, Labels]) -> tuple[HyperNode, ...]:
    """Each with all nodes below it, the lowest tiers first.

    A member that is not there, or a selector that cannot be read, selects nothing; one that contains itself, by
    whatever way, is looked at once. `nodes` are their labels by name.
    """
    known = {str(dig(obj, "metadata", "name") or ""): obj for obj in objects}
    members = {name: _members(name, obj, known, nodes) for name, obj in known.items()}
    found = [
        HyperNode(
            name,
            int(dig(obj, "spec", "tier") or 0),
            str(dig(obj, "spec", "tierName") or ""),
            frozenset(_below(name, members)),
        )
        for name, obj in known.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.tier, one.name)))


_Members = tuple[set[str], set[str]]
"""Nodes and hyper nodes."""


def _members(name: str, obj: Json, known: Mapping[str, Json], nodes: Mapping[str, Labels]) -> _Members:
    own: set[str] = set()
    inner: set[str] = set()
    for member in dig_list(obj, "spec", "members"):
        selector = dig_object(member, "selector")
        if dig(member, "type") == "HyperNode":
            inner.update(_by_name(selector, known))
        else:
            own.update(_by_name(selector, nodes))
            own.update(_by_label(selector, nodes))
    return own, inner - {name}


def _by_name(selector: Json, names: Iterable[str]) -> Sequence[str]:
    exact, pattern = dig(selector, "exactMatch", "name"), dig(selector, "regexMatch", "pattern")
    if exact is not None:
        return [name for name in (str(exact),) if name in names]
    if pattern is not None:
        try:
            return [name for name in names if matches(str(pattern), name)]
        except BadPattern:
            return []
    return []


def _by_label(selector: Json, nodes: Mapping[str, Labels]) -> Iterator[str]:
    given = dig(selector, "labelMatch")
    if given is None:
        return
    try:
        wanted = from_object(given)
    except ValueError:
        return
    yield from (name for name, labels in nodes.items() if wanted.matches(labels))


def _below(name: str, members: Mapping[str, _Members]) -> set[str]:
    found: set[str] = set()
    to_visit, visited = [name], set[str]()
    while to_visit:
        one = to_visit.pop()
        if one in visited or one not in members:
            continue
        visited.add(one)
        own, inner = members[one]
        found |= own
        to_visit += inner
    return found
