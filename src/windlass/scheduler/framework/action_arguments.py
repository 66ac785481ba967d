"""The arguments of actions: `configurations` of volcano-scheduler.conf. Errors name the argument."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from windlass.scheduler.framework.plugin import Arguments

Configurations = Mapping[str, Mapping[str, Any]]
PREEMPT, GANGS = "preempt", ("gangpreempt", "gangreclaim")
MAX_DOMAINS = 8
OWN = "windlass"
"""The configuration of what is Windlass' own, which `conf.Patience` reads."""


@dataclass(frozen=True)
class Comparing:
    """Of `preempt`: whether nodes are compared, and how many; a percentage of all or a number, the larger counts."""

    is_wanted: bool
    percentage: float
    least: float
    most: float


@dataclass(frozen=True)
class WholeGangs:
    """Of `gangpreempt` and `gangreclaim`: whether gangs may go as a whole, and in how many hyper nodes to look."""

    allow_whole: bool
    max_domains: int


def comparing(configurations: Configurations) -> Comparing:
    return _comparing(_given(configurations, PREEMPT))


def whole_gangs(configurations: Configurations, action: str) -> WholeGangs:
    return _whole_gangs(_given(configurations, action))


def warnings(configurations: Configurations, actions: frozenset[str]) -> Iterator[str]:
    """What of them is not followed. `actions` are those that there are."""
    for action in configurations:
        if action == OWN:
            continue
        if action not in actions:
            yield f"configurations: there is no action {action}"
            continue
        given = _given(configurations, action)
        if action == PREEMPT:
            _comparing(given)
        elif action in GANGS:
            _whole_gangs(given)
        yield from given.warnings
        yield from (f"configurations.{action}: {name} has no effect here" for name in given.unused)


def _given(configurations: Configurations, action: str) -> Arguments:
    return Arguments(configurations.get(action) or {}, f"configurations.{action}")


def _comparing(given: Arguments) -> Comparing:
    return Comparing(
        is_wanted=given.flag("enableTopologyAwarePreemption", False),
        percentage=given.number("minCandidateNodesPercentage", 10, least=0),
        least=given.number("minCandidateNodesAbsolute", 1, least=0),
        most=given.number("maxCandidateNodesAbsolute", 100, least=1),
    )


def _whole_gangs(given: Arguments) -> WholeGangs:
    return WholeGangs(
        allow_whole=given.flag("allowWholeBundle", True),
        max_domains=int(given.number("maxDomains", MAX_DOMAINS, least=1)),
    )
