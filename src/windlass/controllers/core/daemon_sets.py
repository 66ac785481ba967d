"""DaemonSet -> one pod on each node that it fits, and a ControllerRevision for each template that it had.

A pod that ended is replaced, but not before it is ten seconds old, so that one that fails at once does not keep the
server busy. (Kubernetes waits ever longer instead, which needs a memory.)
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from windlass.apis.apps_v1 import ControllerRevision, DaemonSet, DaemonSetStatus
from windlass.apis.core_v1 import Node, Pod
from windlass.controllers.core import replica_sets
from windlass.controllers.core.belonging import belonging, letting_go
from windlass.controllers.core.daemon_pods import node_of, pod_for, should_run
from windlass.controllers.core.pod_state import is_available, is_finished, is_ready, next_available_in
from windlass.controllers.core.revisions import POD_REVISION, newest, outdated
from windlass.controllers.core.rollout_arithmetic import scaled
from windlass.kube.controller import ALL_OBJECTS, Controller, Matching, Observed, matches
from windlass.kube.meta import parse_time
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Adopt, Create, Delete, Event, Outcome, Patch, Plan
from windlass.kube.refusals import REPLICA_FAILURE

LEAST_AGE = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Situation:
    """The set, its pods by node, and what each node should have."""

    daemon: DaemonSet
    pods: dict[str, list[Pod]]
    start: dict[str, bool]
    stay: dict[str, bool]
    revision: str
    now: datetime

    def available(self, pod: Pod) -> bool:
        return is_available(pod, self.daemon.spec.min_ready_seconds, self.now)

    def is_new(self, pod: Pod) -> bool:
        return pod.metadata.labels.get(POD_REVISION) == self.revision


@dataclass(slots=True)
class Moves:
    create: list[str] = field(default_factory=list[str])
    delete: list[Pod] = field(default_factory=list[Pod])
    events: list[Event] = field(default_factory=list[Event])


def reconcile(daemon: DaemonSet, observed: Observed) -> Plan:
    spec = daemon.spec
    mine = belonging(daemon, spec.selector, observed.owned(Pod), observed.orphans(Pod))
    history = belonging(daemon, spec.selector, observed.owned(ControllerRevision), observed.orphans(ControllerRevision))
    update = newest(daemon, spec.template, history.ours, daemon.status.collision_count or 0, POD_REVISION)
    situation = _situation(daemon, mine.ours, observed, update.hash)
    status = _status(situation, update.collisions)
    if daemon.metadata.deletion_timestamp is not None:
        return Plan(status=status)
    moves = next_moves(situation)
    hashes = {pod.metadata.labels.get(POD_REVISION) for pod in mine.ours}
    live = {one.metadata.name for one in history.ours if one.metadata.labels.get(POD_REVISION) in hashes}
    return Plan(
        [
            *update.patch,
            *(Patch(pod, letting_go(pod, daemon)) for pod in mine.release),
            *map(Adopt, history.adopt),
            *map(Adopt, mine.adopt),
            *map(Create, update.create),
            *(Create(pod_for(daemon, node, update.hash)) for node in sorted(moves.create)),
            *map(Delete, moves.delete),
            *map(Delete, outdated(history.ours, live | {update.name}, spec.revision_history_limit)),
        ],
        events=moves.events,
        status=status,
        status_if_refused=lambda why: status,
        again_in=_next_check(situation, mine.ours),
    )


def _next_check(situation: Situation, pods: Sequence[Pod]) -> timedelta | None:
    waits = [young_for(pod, situation.now) for pod in pods if is_finished(pod)]
    waits.append(next_available_in(pods, situation.daemon.spec.min_ready_seconds, situation.now))
    return min((wait for wait in waits if wait is not None), default=None)


def _situation(daemon: DaemonSet, pods: Sequence[Pod], observed: Observed, revision: str) -> Situation:
    by_node: dict[str, list[Pod]] = defaultdict(list)
    for pod in sorted(pods, key=lambda pod: (pod.metadata.creation_timestamp or "", pod.metadata.name)):
        by_node[node_of(pod)].append(pod)
    verdicts = {node.metadata.name: should_run(daemon, node) for node in observed.all(Node)}
    start = {name: verdict[0] for name, verdict in verdicts.items()}
    stay = {name: verdict[1] for name, verdict in verdicts.items()}
    return Situation(daemon, dict(by_node), start, stay, revision, observed.now)


# --- what to do


def next_moves(situation: Situation) -> Moves:
    """First give every node what it should have; then roll, as far as may be missing or too many at once."""
    moves = Moves()
    for name, starts in situation.start.items():
        _tend(situation, name, moves, starts=starts)
    for name, pods in situation.pods.items():
        if name not in situation.start:  # pods bound to a node that is gone are the pod collector's to remove
            moves.delete += [pod for pod in pods if not pod.spec.node_name and not _going(pod)]
    if situation.daemon.spec.update_strategy.get("type", "RollingUpdate") == "RollingUpdate":
        _roll(situation, moves)
    return moves


def _tend(situation: Situation, name: str, moves: Moves, *, starts: bool) -> None:
    pods = situation.pods.get(name, [])
    if not pods:
        if starts:
            moves.create.append(name)
        return
    if not situation.stay[name]:
        moves.delete += [pod for pod in pods if not _going(pod)]
        return
    running: list[Pod] = []
    for pod in pods:
        if _going(pod):
            continue
        if is_finished(pod):
            if young_for(pod, situation.now) is None:
                moves.delete.append(pod)
                moves.events.append(_ended(pod, name))
        else:
            running.append(pod)
    _drop_surplus(situation, running, moves)
    surging = _limits(situation)[0] > 0
    if starts and surging and not running and all(map(_going, pods)):  # with a surge nobody waits for the old one
        moves.create.append(name)


def _drop_surplus(situation: Situation, running: list[Pod], moves: Moves) -> None:
    """One pod a node, the oldest; while it surges, one of each template."""
    if _limits(situation)[0] == 0:
        moves.delete += running[1:]
        return
    for alike in ([p for p in running if situation.is_new(p)], [p for p in running if not situation.is_new(p)]):
        moves.delete += alike[1:]


def _ended(pod: Pod, node: str) -> Event:
    if pod.status.phase == "Failed":
        message = f"Found failed daemon pod {pod.metadata.key} on node {node}, will try to kill it"
        return Event(reason="FailedDaemonPod", message=message, warning=True)
    message = f"Found succeeded daemon pod {pod.metadata.key} on node {node}, will try to delete it"
    return Event(reason="SucceededDaemonPod", message=message)


def young_for(pod: Pod, now: datetime) -> timedelta | None:
    """How long until a pod that ended may be replaced; None when it may be now."""
    born = pod.metadata.creation_timestamp
    left = parse_time(born) + LEAST_AGE - now if born else timedelta()
    return left if left > timedelta() else None


def _going(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None


def _limits(situation: Situation) -> tuple[int, int]:
    """maxSurge and maxUnavailable as numbers; one of them is more than nothing where a node is wanted."""
    rolling: dict[str, Any] = situation.daemon.spec.update_strategy.get("rollingUpdate") or {}
    desired = sum(situation.start.values())
    surge = scaled(rolling.get("maxSurge") or 0, desired, up=True)
    missing = scaled(rolling.get("maxUnavailable", 1), desired, up=True)
    return surge, missing if surge or missing or not desired else 1


def _roll(situation: Situation, moves: Moves) -> None:
    surge, missing = _limits(situation)
    doomed = {pod.metadata.name for pod in moves.delete}
    nodes: dict[str, tuple[list[Pod], list[Pod]]] = {}
    for name in sorted(name for name, starts in situation.start.items() if starts):
        staying = [p for p in situation.pods.get(name, []) if not _going(p) and p.metadata.name not in doomed]
        new = [pod for pod in staying if situation.is_new(pod)]
        nodes[name] = new, [pod for pod in staying if not situation.is_new(pod)]
    if surge:
        _roll_by_surge(situation, nodes, surge, moves)
    else:
        _roll_by_removal(situation, nodes, missing, moves)


def _roll_by_removal(
    situation: Situation, nodes: dict[str, tuple[list[Pod], list[Pod]]], missing: int, moves: Moves
) -> None:
    unavailable, candidates = 0, list[Pod]()
    for new, old in nodes.values():
        if bool(new) == bool(old):
            unavailable += 1
        elif new:
            unavailable += not situation.available(new[0])
        elif not situation.available(old[0]):  # it is of no use where it is
            moves.delete.append(old[0])
            unavailable += 1
        else:
            candidates.append(old[0])
    moves.delete += candidates[: max(missing - unavailable, 0)]


def _roll_by_surge(
    situation: Situation, nodes: dict[str, tuple[list[Pod], list[Pod]]], surge: int, moves: Moves
) -> None:
    surging, candidates = 0, list[str]()
    for name, (new, old) in nodes.items():
        if not old:
            continue
        if not new:
            (candidates if situation.available(old[0]) else moves.create).append(name)
        elif situation.available(new[0]):
            moves.delete.append(old[0])
        else:
            surging += 1
    moves.create += candidates[: max(surge - surging, 0)]


# --- status and events


def _status(situation: Situation, collisions: int) -> DaemonSetStatus:
    oldest = {name: pods[0] for name, pods in situation.pods.items() if pods}
    wanted = [name for name, starts in situation.start.items() if starts]
    current = [oldest[name] for name in wanted if name in oldest]
    available = sum(map(situation.available, current))
    misplaced = [name for name in oldest if name in situation.start and not situation.start[name]]
    return DaemonSetStatus(
        current_number_scheduled=len(current),
        number_misscheduled=len(misplaced),
        desired_number_scheduled=len(wanted),
        number_ready=sum(map(is_ready, current)),
        observed_generation=situation.daemon.metadata.generation,
        updated_number_scheduled=sum(map(situation.is_new, current)),
        number_available=available,
        number_unavailable=len(wanted) - available,
        collision_count=collisions or None,
        conditions=situation.daemon.status.conditions,
    )


def event_for(daemon: DaemonSet, outcome: Outcome) -> Event | None:
    return replica_sets.event_for(daemon, outcome) if _is_pod(outcome.obj) else None


def _is_pod(obj: AnyObject) -> bool:
    return obj.get("kind") == "Pod" if isinstance(obj, dict) else isinstance(obj, Pod)


def may_adopt(daemon: DaemonSet, pod: Pod) -> bool:
    return pod.metadata.controller is None and matches(daemon.spec.selector, pod.metadata.labels)


CONTROLLER = Controller(
    "daemonset-controller",
    DaemonSet,
    reconcile,
    owns=[Pod, ControllerRevision],
    watches=[(Node, ALL_OBJECTS), (Pod, Matching(may_adopt))],
    event_for=event_for,
    refusal_condition=REPLICA_FAILURE,
    workers=2,
)
