"""A firewall as data: chains of rules, and the sets and maps that rules look up.

A rule is a tuple of statements, each a tuple that begins with its name (see `nft.STATEMENTS`): what `nft` prints as `ip
daddr @web accept` is `(("in", ("daddr",), "web"), ("accept",))`. Names of chains and sets may be any string.
"""

from dataclasses import dataclass, field
from typing import Any

Statement = tuple[Any, ...]
Rule = tuple[Statement, ...]
Element = tuple[Any, ...]
"""A key: one value per field, in the fields' order. In an interval set: first and last address."""


@dataclass(frozen=True, slots=True)
class Hook:
    """The hook of a base chain: `type` is nat or filter, `at` the hook's name."""

    type: str
    at: str
    priority: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Rules in order. A chain with a hook is a base chain; others are jumped to."""

    rules: tuple[Rule, ...] = ()
    hook: Hook | None = None


@dataclass(frozen=True, slots=True)
class Set:
    """Keys of `fields`, and for a map their values: a verdict `("goto", chain)` or an address and a port.

    `intervals`: keys are ranges. `timeout`: seconds after which elements that rules added expire; such a set has no
    static elements.
    """

    fields: tuple[str, ...]
    data: str = ""
    elements: dict[Element, Any] = field(default_factory=dict[Element, Any])
    intervals: bool = False
    timeout: int = 0

    @property
    def shape(self) -> tuple[Any, ...]:
        return self.fields, self.data, self.intervals, self.timeout


@dataclass(slots=True)
class Ruleset:
    """The content of one table."""

    chains: dict[str, Chain] = field(default_factory=dict[str, Chain])
    sets: dict[str, Set] = field(default_factory=dict[str, Set])
    _own: set[str] = field(default_factory=set[str], repr=False, compare=False)

    def add(self, other: "Ruleset") -> None:
        """Add another's chains and sets; sets of the same name are merged, in a copy that belongs to this ruleset."""
        self.chains.update(other.chains)
        for name, each in other.sets.items():
            known = self.sets.get(name)
            if known is None:
                self.sets[name] = each
                continue
            if name not in self._own:
                self._own.add(name)
                known = Set(known.fields, known.data, {**known.elements}, known.intervals, known.timeout)
                self.sets[name] = known
            known.elements.update(each.elements)


@dataclass(slots=True)
class Change:
    """The difference between two rulesets, in an order that never refers to a missing object."""

    new_sets: dict[str, Set] = field(default_factory=dict[str, Set])
    new_chains: dict[str, Chain] = field(default_factory=dict[str, Chain])
    emptied: list[str] = field(default_factory=list[str])
    gone_elements: dict[str, Set] = field(default_factory=dict[str, Set])
    new_elements: dict[str, Set] = field(default_factory=dict[str, Set])
    refilled: dict[str, Chain] = field(default_factory=dict[str, Chain])
    gone_chains: list[str] = field(default_factory=list[str])
    gone_sets: list[str] = field(default_factory=list[str])

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


def difference(old: Ruleset, new: Ruleset) -> Change:
    """Return the smallest change in units of whole chains and single elements."""
    change = Change()
    for name, chain in new.chains.items():
        before = old.chains.get(name)
        if before is chain or before == chain:
            continue
        if before is None:
            change.new_chains[name] = chain
        else:
            change.emptied.append(name)
        change.refilled[name] = chain
    change.gone_chains = [name for name in old.chains if name not in new.chains]
    change.emptied += change.gone_chains
    for name, each in new.sets.items():
        _compare(change, name, old.sets.get(name), each)
    for name in old.sets:
        if name not in new.sets:
            change.gone_sets.append(name)
    return change


def _compare(change: Change, name: str, before: Set | None, after: Set) -> None:
    if before is after:
        return
    if before is None:
        change.new_sets[name] = after
        if after.elements:
            change.new_elements[name] = after
        return
    if before.shape != after.shape:
        raise ValueError(f"set {name} would change from {before.shape} to {after.shape}")
    gone = {key: value for key, value in before.elements.items() if after.elements.get(key, ...) != value}
    fresh = {key: value for key, value in after.elements.items() if before.elements.get(key, ...) != value}
    if gone:
        change.gone_elements[name] = Set(after.fields, after.data, gone, after.intervals)
    if fresh:
        change.new_elements[name] = Set(after.fields, after.data, fresh, after.intervals)
