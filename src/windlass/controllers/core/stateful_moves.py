"""What a StatefulSet does next: which pods to make, to remove and to wait for.

In order, it makes one pod at a time and waits until it is available before it turns to the next, and removes them from
the highest number down. In parallel it waits for none. Only when all numbers are filled does it roll pods to a new
template, from the highest number down to the partition.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.bounds import MAX_CREATED
from windlass.apis.core_v1 import Pod
from windlass.controllers.core.pod_state import is_finished
from windlass.controllers.core.revisions import POD_REVISION
from windlass.controllers.core.stateful_identity import ordinals_of, start_of
from windlass.kube.plan import Event


@dataclass(frozen=True, slots=True)
class Situation:
    """The set, its pods by number, and what is to be known of them."""

    stateful: StatefulSet
    pods: Mapping[int, Pod]
    update_revision: str
    available: Callable[[Pod], bool]
    must_wait: Callable[[int], bool]
    """Whether the pod of this number cannot be made yet."""

    @property
    def in_order(self) -> bool:
        return self.stateful.spec.pod_management_policy != "Parallel"

    def healthy(self, pod: Pod | None) -> bool:
        return pod is not None and not is_going(pod) and pod.status.phase == "Running" and self.available(pod)


@dataclass(slots=True)
class Moves:
    create: list[int] = field(default_factory=list[int])
    delete: list[Pod] = field(default_factory=list[Pod])
    events: list[Event] = field(default_factory=list[Event])


def is_going(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None


def next_moves(situation: Situation) -> Moves:
    moves = Moves()
    if situation.stateful.metadata.deletion_timestamp is None:
        _ = _fill(situation, moves) and _scale_down(situation, moves) and _roll(situation, moves)
    return moves


def _fill(situation: Situation, moves: Moves) -> bool:
    """Give every number its pod, so many at a time; whether to continue with the next phase."""
    missing = 0
    for ordinal in ordinals_of(situation.stateful):
        pod = situation.pods.get(ordinal)
        if pod is None:
            missing += 1
            if missing > MAX_CREATED:  # those that are made now bring the set back
                return False
            if not situation.must_wait(ordinal):
                moves.create.append(ordinal)
            settled = False
        elif is_finished(pod):
            if not is_going(pod):
                moves.delete.append(pod)
                moves.events.append(_recreating(situation.stateful, pod))
            settled = False
        else:
            settled = situation.healthy(pod)
        if not settled and situation.in_order:
            return False
    return True


def _recreating(stateful: StatefulSet, pod: Pod) -> Event:
    failed = pod.status.phase == "Failed"
    return Event(
        reason="RecreatingFailedPod" if failed else "RecreatingTerminatedPod",
        message=f"StatefulSet {stateful.metadata.key} is recreating {'failed' if failed else 'terminated'} "
        f"Pod {pod.metadata.name}",
        warning=failed,
    )


def _scale_down(situation: Situation, moves: Moves) -> bool:
    wanted = ordinals_of(situation.stateful)
    condemned = sorted((n for n in situation.pods if n not in wanted), reverse=True)
    unhealthy = [number for number in condemned if not situation.healthy(situation.pods[number])]
    for number in condemned:
        pod = situation.pods[number]
        if situation.in_order and (is_going(pod) or (number in unhealthy and number != unhealthy[-1])):
            return False
        if not is_going(pod):
            moves.delete.append(pod)
            if situation.in_order:
                return False
    return True


def _roll(situation: Situation, moves: Moves) -> bool:
    strategy = situation.stateful.spec.update_strategy
    if strategy.get("type", "RollingUpdate") != "RollingUpdate":
        return False
    rolling: dict[str, Any] = strategy.get("rollingUpdate") or {}
    ordinals = ordinals_of(situation.stateful)
    at_once = max_unavailable(rolling.get("maxUnavailable"), len(ordinals))
    first = start_of(situation.stateful) + int(rolling.get("partition") or 0)
    numbers = [ordinal for ordinal in reversed(ordinals) if ordinal >= first]
    doomed = {pod.metadata.name for pod in moves.delete}
    if at_once == 1:
        _roll_next(situation, numbers, doomed, moves)
    else:
        missing = sum(not situation.healthy(situation.pods.get(ordinal)) for ordinal in ordinals)
        _roll_some(situation, numbers, at_once - missing, moves)
    return True


def _roll_next(situation: Situation, numbers: list[int], doomed: set[str], moves: Moves) -> None:
    """The highest that is of an older template, once all above it are available."""
    for number in numbers:
        pod = situation.pods.get(number)
        if pod is None or pod.metadata.name in doomed:
            return
        if is_old(situation, pod) and not is_going(pod):
            moves.delete.append(pod)
            return
        if not situation.healthy(pod):
            return


def _roll_some(situation: Situation, numbers: list[int], spare: int, moves: Moves) -> None:
    for number in numbers:
        pod = situation.pods.get(number)
        if spare <= 0:
            return
        if pod is not None and is_old(situation, pod) and not is_going(pod) and not is_finished(pod):
            moves.delete.append(pod)
            spare -= 1


def is_old(situation: Situation, pod: Pod) -> bool:
    return pod.metadata.labels.get(POD_REVISION) != situation.update_revision


def max_unavailable(value: int | str | None, replicas: int) -> int:
    """A number or a percentage, rounded down; at least one, else nothing would ever be rolled."""
    if isinstance(value, str):
        return max(1, int(value.removesuffix("%")) * replicas // 100)
    return max(1, 1 if value is None else value)
