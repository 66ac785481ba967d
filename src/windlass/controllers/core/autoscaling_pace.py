"""How fast a wish may become a scale: stabilization windows, policies of so many in so long, and the two bounds."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

from windlass.apis.core_v1 import Json
from windlass.kube.json import dig_list, dig_object
from windlass.kube.moments import span
from windlass.kube.quantity import Quantity

UP: Json = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
DOWN: Json = {
    "stabilizationWindowSeconds": 300,
    "selectPolicy": "Max",
    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
}
LONGEST = timedelta(hours=1)  # no window or period may be longer


@dataclass(slots=True)
class Memory:
    """Recent proposals and changes. Kept in memory: after a restart the windows start empty."""

    proposals: list[tuple[datetime, int]] = field(default_factory=list[tuple[datetime, int]])
    changes: list[tuple[datetime, int]] = field(default_factory=list[tuple[datetime, int]])
    looked_at: datetime | None = None
    generation: int = 0

    def forget_old(self, now: datetime) -> None:
        self.proposals = [(at, count) for at, count in self.proposals if now - at <= LONGEST]
        self.changes = [(at, change) for at, change in self.changes if now - at <= LONGEST]


@dataclass(frozen=True, slots=True)
class Verdict:
    replicas: int
    reason: str
    message: str
    able: tuple[str, str] | None = None
    """Why a window held the count back, if one did."""

    @property
    def limited(self) -> bool:
        return self.reason != "DesiredWithinRange"


def rules(behavior: Json | None) -> tuple[Json, Json]:
    return {**UP, **dig_object(behavior, "scaleUp")}, {**DOWN, **dig_object(behavior, "scaleDown")}


def tolerance_of(one: Json) -> float:
    given = one.get("tolerance")
    return 0.1 if given is None else Quantity.parse(given).milli() / 1000


def paced(
    current: int, wished: int, bounds: tuple[int, int], behavior: Json | None, memory: Memory, now: datetime
) -> Verdict:
    up, down = rules(behavior)
    stable = _stabilized(current, wished, up, down, memory, now)
    memory.proposals.append((now, wished))
    memory.forget_old(now)
    replicas, reason, message = _limited(current, stable, bounds, up, down, memory, now)
    return Verdict(replicas, reason, message, _held_back(wished, stable))


def _held_back(wished: int, stable: int) -> tuple[str, str] | None:
    if stable == wished:
        return None
    if wished < stable:
        why = "recent recommendations were higher than current one, applying the highest recent recommendation"
        return "ScaleDownStabilized", why
    return (
        "ScaleUpStabilized",
        "recent recommendations were lower than current one, applying the lowest recent recommendation",
    )


def _stabilized(current: int, wished: int, up: Json, down: Json, memory: Memory, now: datetime) -> int:
    def within(one: Json) -> list[int]:
        window = span(one["stabilizationWindowSeconds"] or 0)
        return [wished, *(count for at, count in memory.proposals if now - at < window)]

    return min(max(current, min(within(up))), max(within(down)))


def _limited(
    current: int, wished: int, bounds: tuple[int, int], up: Json, down: Json, memory: Memory, now: datetime
) -> tuple[int, str, str]:
    least, most = bounds
    if wished > current:
        limit = max(_up_limit(current, up, memory, now), current)
        if wished > min(most, limit):
            if most > limit:
                why = "the desired replica count is increasing faster than the maximum scale rate"
                return limit, "ScaleUpLimit", why
            return most, "TooManyReplicas", "the desired replica count is more than the maximum replica count"
    elif wished < current:
        limit = min(_down_limit(current, down, memory, now), current)
        if wished < max(least, limit):
            if least < limit:
                why = "the desired replica count is decreasing faster than the maximum scale rate"
                return limit, "ScaleDownLimit", why
            return least, "TooFewReplicas", "the desired replica count is less than the minimum replica count"
    return wished, "DesiredWithinRange", "the desired count is within the acceptable range"


def _at_start(current: int, policy: Json, memory: Memory, now: datetime) -> int:
    """How many there were when the policy's period began."""
    period = span(policy["periodSeconds"])
    return current - sum(change for at, change in memory.changes if now - at < period)


def _up_limit(current: int, rule: Json, memory: Memory, now: datetime) -> int:
    if rule["selectPolicy"] == "Disabled":
        return current
    proposals = [
        start + policy["value"] if policy["type"] == "Pods" else ceil(start * (100 + policy["value"]) / 100)
        for policy in dig_list(rule, "policies")
        for start in (_at_start(current, policy, memory, now),)
    ]
    return (min if rule["selectPolicy"] == "Min" else max)(proposals)


def _down_limit(current: int, rule: Json, memory: Memory, now: datetime) -> int:
    if rule["selectPolicy"] == "Disabled":
        return current
    proposals = [
        start - policy["value"] if policy["type"] == "Pods" else int(start * (100 - policy["value"]) / 100)
        for policy in dig_list(rule, "policies")
        for start in (_at_start(current, policy, memory, now),)
    ]
    return (max if rule["selectPolicy"] == "Min" else min)(proposals)
