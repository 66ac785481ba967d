"""Places of members that a gang has lost, kept for those that take their part.

Otherwise another job takes the place, both wait for ever, and nothing heals that. A pod that stands in for the lost
one has the room in the snapshot, so nobody else is given it; while the gang has its turn, or a job of higher priority
has, it is lifted. Pure: the time is given.
"""

from collections.abc import Iterator

import numpy as np

from windlass.scheduler.model.cluster import Cluster, Hold
from windlass.scheduler.model.columns import TOLERANCE, Vector
from windlass.scheduler.model.gang_tasks import LostTask
from windlass.scheduler.model.jobs import READY, Job, Status
from windlass.scheduler.placing.placer import Placer

GONE = (Status.FAILED, Status.UNKNOWN)
HOLD_WEIGHT = 1e6
"""Outweighs all that nodes are rated by."""


# --- when a member is lost


def lost(cluster: Cluster, placer: Placer, lost: LostTask, until: float) -> None:
    """Keep the place of a task that has lost its node, if its gang needs one."""
    job, task = lost.job, lost.task
    if cluster.jobs.get(job.uid) is not job or job.phase == "Completed" or not lost.is_missed:
        return
    if not lost.was_complete and not any(hold.job is job for hold in _all(cluster)):
        return  # it was never complete
    hold = Hold(job, task.role, task.pod.like(task.pod.key.name, f"hold-{task.uid}"), task.node, until)
    if _may_have(cluster, placer, hold):
        cluster.hold(hold)
    else:
        _hold_elsewhere(cluster, placer, hold)


def recall(cluster: Cluster, placer: Placer, job: Job, until: float) -> None:
    """It had lost members before this process was: places for as many, where those were that are still known."""
    known = sorted(job.tasks.values(), key=lambda task: (task.status not in GONE, task.status is not Status.PENDING))
    for number, role in enumerate(_lacking(job)):
        task = next((task for task in known if role is None or task.role == role), known[0])
        if task.status in GONE or task.status is Status.PENDING:
            known = [other for other in known if other is not task] or known
        node = task.node if task.status in GONE else ""
        pod = task.pod.like(task.pod.key.name, f"hold-{number}-{job.uid}")
        hold = Hold(job, task.role if role is None else role, pod, node, until)
        if _may_have(cluster, placer, hold) and _is_free(cluster, hold):
            cluster.hold(hold)
        else:
            _hold_elsewhere(cluster, placer, hold)


def _lacking(job: Job) -> list[str | None]:
    """The roles of the members that a gang needs and has not; None where any will do."""
    least = job.min_tasks if job.needs_roles else {}
    roles = [role for role, number in least.items() for _ in range(number - job.role_number(role, READY))]
    return [*roles, *[None] * (job.min_member - job.ready - len(roles))]


def _all(cluster: Cluster) -> Iterator[Hold]:
    yield from cluster.holds.values()
    yield from cluster.lifted.values()
    yield from cluster.sought


def _may_have(cluster: Cluster, placer: Placer, hold: Hold) -> bool:
    """Its node is there, and would take the pod."""
    number = cluster.snapshot.table.index.get(hold.node)
    return number is not None and bool(placer.allowed(placer.shapes.of(hold.pod))[number])


def _hold_elsewhere(cluster: Cluster, placer: Placer, hold: Hold) -> None:
    """On any node with room; where there is none it is sought again when a cycle begins."""
    nodes = placer.fill([hold.pod])
    if nodes:
        hold.node = nodes[0]
        cluster.hold(hold)
    else:
        cluster.sought.append(hold)


# --- before a cycle


def renew(cluster: Cluster, placer: Placer, now: float) -> list[str]:
    """Give up what has lasted long enough or is needed no more; answers the nodes that have room by that."""
    freed: list[str] = []
    for uid, hold in list(cluster.holds.items()):
        over = _is_over(cluster, hold, now)
        if over or not _may_have(cluster, placer, hold):
            cluster.unhold(hold.job, (uid,))
            freed.append(hold.node)
            if not over:
                _hold_elsewhere(cluster, placer, hold)
    sought, cluster.sought = cluster.sought, []
    for hold in sought:
        if not _is_over(cluster, hold, now):
            _hold_elsewhere(cluster, placer, hold)
    return freed


def _is_over(cluster: Cluster, hold: Hold, now: float) -> bool:
    job = hold.job
    if now >= hold.until or cluster.jobs.get(job.uid) is not job:
        return True
    return job.phase == "Completed" or job.running == 0 or job.has_enough(READY)


# --- in a cycle


def kept_for(cluster: Cluster, job: Job) -> int:
    """How many places are kept for a job."""
    return sum(hold.job is job for known in (cluster.holds, cluster.lifted) for hold in known.values())


def lift(cluster: Cluster, job: Job) -> None:
    """It is the job's turn: what is kept for it, or for less important ones, is there for it."""
    for uid, hold in list(cluster.holds.items()):
        if hold.job is job or hold.job.priority < job.priority:
            cluster.unhold(hold.job, (uid,))
            cluster.lifted[uid] = hold


def preferences(cluster: Cluster, job: Job) -> Vector | None:
    """Rates of nodes while it is the job's turn: rather its own places, rather not those of others."""
    if not cluster.lifted:
        return None
    table = cluster.snapshot.table
    found = np.zeros(len(table))
    for hold in cluster.lifted.values():
        number = table.index.get(hold.node)
        if number is not None:
            found[number] += HOLD_WEIGHT if hold.job is job else -HOLD_WEIGHT
    return found


def restore(cluster: Cluster, *, final: bool = False) -> None:
    """The turn is over, or (`final`) the cycle is. What was taken is sought elsewhere."""
    for uid, hold in list(cluster.lifted.items()):
        job = hold.job
        if job.has_enough(READY):
            del cluster.lifted[uid]
        elif not final and (job.counts[Status.ALLOCATED] or job.counts[Status.PIPELINED]):
            continue  # its members have the places for as long as the cycle lasts
        elif _is_free(cluster, hold):
            del cluster.lifted[uid]
            cluster.hold(hold)
        elif final:
            del cluster.lifted[uid]
            cluster.sought.append(hold)


def _is_free(cluster: Cluster, hold: Hold) -> bool:
    """There is still room for it, or will be when those that are ending have ended."""
    table = cluster.snapshot.table
    number = table.index.get(hold.node)
    if number is None:
        return False
    future = table.allocatable[:, number] - table.used[:, number] + table.releasing[:, number]
    free = future - table.promised[:, number] + TOLERANCE
    asked = hold.pod.vector
    return bool((asked[asked > 0] <= free[asked > 0]).all())
