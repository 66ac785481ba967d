"""Explains a pod that is placed for itself: by Kubernetes' rules, one by one."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from msgspec import structs

from windlass.apis.assumptions import Assumption
from windlass.apis.reason_text import preemption_text
from windlass.apis.reasons import NodeCause, NoNodes, PreemptionPending, SchedulingGated
from windlass.scheduler.cycle.pod_cycle import NONE, Placed, Unplaced, schedule
from windlass.scheduler.cycle.pod_preemption import NoPreemption, Preemption, preempt
from windlass.scheduler.explain import nodes
from windlass.scheduler.explain.answer import (
    FINISHED,
    RUNNING,
    WAITING,
    Before,
    Ending,
    Explanation,
    Place,
    PodKind,
    Room,
    Start,
)
from windlass.scheduler.explain.jobs import NEAREST
from windlass.scheduler.explain.room import FITS, FULL
from windlass.scheduler.model.columns import named
from windlass.scheduler.model.parsing import seconds_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.simulate.forecast import MAX_ENDS, World

ABOVE_ALL = 2**31  # a priority above all others
NOTHING_IN_THE_WAY = "nothing is in its way: the scheduler gives it node {}"
ALONE = Assumption("NobodyElse")


def explain_pod(
    pod: PodInfo,
    world: World,
    now: float,
    give_up: Callable[[], bool] = lambda: False,
    closed: Mapping[str, NodeCause] = NONE,
) -> Explanation:
    """The world is used up by it. `closed` are nodes that are kept for gangs, and for which."""
    found = Explanation("pod", pod.key.namespace, pod.key.name, WAITING, "")
    status, spec = pod.pod.status, pod.pod.spec
    if status.phase in ("Succeeded", "Failed"):
        return replace(found, state=FINISHED, why=f"it has {status.phase.lower()}")
    if spec.node_name:
        doing = "is ending on" if pod.pod.metadata.deletion_timestamp else "has"
        return replace(found, state=RUNNING, why=f"it {doing} node {spec.node_name}")
    if spec.scheduling_gates:
        gates = tuple(one.name for one in spec.scheduling_gates)
        why = f"it waits for its scheduling gates to be lifted: {' '.join(gates)}"
        return replace(found, why=why, reason=SchedulingGated(gates))
    snapshot = world.cluster.snapshot
    placer = Placer(snapshot)
    decided = schedule(pod, snapshot, placer, closed)
    reason = decided.reason if isinstance(decided, Unplaced) else None
    why = NOTHING_IN_THE_WAY.format(decided.node) if isinstance(decided, Placed) else decided.message
    refused = nodes.refusals(pod, snapshot)
    refused |= {node: (*refused.get(node, ()), words) for node, words in closed.items()}
    free = {node.name: 1 for node in snapshot.nodes if node.name not in refused}
    asks = {name: amount for name, amount in named(pod.vector).items() if name != "pods"}
    return replace(
        found,
        why=why,
        reason=reason,
        place=_place(pod, world),
        amounts=nodes.amounts_of(snapshot.table, pod.vector, pod.vector, nodes.allowed(placer, (pod,))),
        pod_kinds=(PodKind("", 1, asks, tuple(nodes.grouped(refused, free))),),
        room=_room(pod, decided, world),
        start=_start(pod, decided, world, now, give_up, closed),
    )


def _place(pod: PodInfo, world: World) -> Place:
    """The more important first, then the older."""
    waiting = [one for one in world.system.alone.values() if not one.pod.spec.node_name]
    line = sorted(waiting, key=lambda one: (-one.priority, seconds_of(one.pod.metadata.creation_timestamp), one.uid))
    at = next((number for number, one in enumerate(line) if one.uid == pod.uid), 0)
    before = tuple(Before(str(one.key), one.priority) for one in line[max(0, at - NEAREST) : at])
    return Place("", at + 1, len(line), before)


def _room(pod: PodInfo, decided: Placed | Unplaced, world: World) -> Room:
    """The pods that it has evicted; else those that would be evicted if its priority were above all others."""
    if isinstance(decided, Placed):
        return FITS
    snapshot = world.cluster.snapshot
    found = preempt(pod, decided, snapshot) if decided.nodes else NoPreemption(NoNodes())
    if isinstance(found, Preemption):
        return Room(_endings(found), made=True)
    if isinstance(found.reason, NoNodes | PreemptionPending):
        return Room(why=preemption_text(found.reason), reason=found.reason)
    important = PodInfo(structs.replace(pod.pod, spec=structs.replace(pod.pod.spec, preemption_policy="")))
    important.priority = ABOVE_ALL
    wanted = preempt(important, decided, snapshot)
    return Room(_endings(wanted)) if isinstance(wanted, Preemption) else FULL


def _endings(found: Preemption) -> tuple[Ending, ...]:
    return tuple(Ending(str(one.key), "pod", 1, 1, one.priority, nodes=(found.node,)) for one in found.victims)


def _start(
    pod: PodInfo,
    decided: Placed | Unplaced,
    world: World,
    now: float,
    give_up: Callable[[], bool],
    closed: Mapping[str, NodeCause],
) -> Start:
    """When enough of those that run have ended, on nodes that are not kept for others."""
    time = now
    for _ in range(MAX_ENDS):
        if isinstance(decided, Placed):
            assumed = (*world.assumptions, ALONE) if time > now else ()
            return Start(time - now, nodes={decided.node: 1}, assumptions=assumed)
        coming = world.end_next(time) if not give_up() else None
        if coming is None:
            break
        time, decided = coming, schedule(pod, world.cluster.snapshot, closed=closed)
    why = f"not within {(time - now) / 3600:.1f} hours; what ends later was not looked at" if give_up() else ""
    return Start(None, why=why, assumptions=tuple(world.assumptions))
