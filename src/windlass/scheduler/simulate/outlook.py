"""What becomes of everything that waits on a system as it is: which gang starts when and where, and when it ends.

The scheduler decides on as running pods end one by one, as in `forecast`, but for all gangs instead of one. A pod that
is placed for itself counts as a gang of one.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.apis.assumptions import Assumption
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.extender_http import connect_blocking
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.model.jobs import ALLOCATED, Job, Task
from windlass.scheduler.model.observed import Observed, system_of
from windlass.scheduler.model.parsing import seconds_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.simulate.forecast import World, decide_all, learn, world_of
from windlass.scheduler.simulate.job_manifest import Added

DEFAULT_QUEUE = "default"
MAX_STEPS = 2000
"""Times at which something ends that are looked at before giving up."""


@dataclass(frozen=True)
class Stay:
    """Pods of a gang on one node. `end` None: nobody knows when."""

    gang: str
    node: str
    start: float
    end: float | None
    pods: int


@dataclass
class Outlook:
    """`starts` are seconds from now by gang (`namespace/name`), for all that wait; None: not by what is known."""

    starts: dict[str, float | None] = field(default_factory=dict[str, float | None])
    queues: dict[str, str] = field(default_factory=dict[str, str])
    stays: list[Stay] = field(default_factory=list[Stay])
    assumptions: list[Assumption] = field(default_factory=list[Assumption])
    is_complete: bool = True
    """False: it was given up before everything had started or nothing more ended."""


def outlook(
    observed: Observed,
    conf: Conf,
    now: float,
    *,
    added: Added | None = None,
    until: float | None = None,
    give_up: Callable[[], bool] = lambda: False,
) -> Outlook:
    """`added` is a job that is not there yet; `until` is the time after which nothing is of interest."""
    world = world_of(observed, system_of(observed), now)
    if added is not None and added.job.queue in world.cluster.queues:
        world.cluster.put_job(added.job)
        for task in added.tasks:
            world.tasks[task.uid] = task
            world.cluster.put_task(added.job, task)
    _put_lone_pods(world, now)
    decider = Decider(world.cluster, conf, connect=connect_blocking)
    decider.recall_reservations(now)
    learn(decider.estimates, observed, world)
    found = Outlook()
    _add_present(found, world, now)
    waiting = {name_of(job): job for job in world.cluster.jobs.values() if _waits(job)}
    found.starts = dict.fromkeys(waiting)
    found.queues = {name: job.queue for name, job in waiting.items()}
    found.is_complete = _run(found, world, decider, now, until, give_up)
    found.assumptions = world.assumptions
    return found


def _put_lone_pods(world: World, now: float) -> None:
    """Let the pods that wait for themselves be decided on too, as gangs of one. They ask no queue, so they are taken to
    be in one that admits them: the default queue where there is one, else the first without children.
    """
    queue = DEFAULT_QUEUE if DEFAULT_QUEUE in world.cluster.queues else next(iter(world.cluster.queues), None)
    waiting = [info for info in world.system.alone.values() if _waits_alone(info)]
    if queue is None or not waiting:
        return
    world.guess("WithoutGang", queue, len(waiting))
    for info in waiting:
        job = Job(
            info.uid, info.key.namespace, info.key.name, queue=queue, priority=info.priority, min_member=1,
            created=seconds_of(info.pod.metadata.creation_timestamp) or now, phase="Inqueue",
        )  # fmt: skip
        task = Task(info, created=job.created)
        world.tasks[task.uid] = task
        world.cluster.put_job(job)
        world.cluster.put_task(job, task)


def _waits_alone(info: PodInfo) -> bool:
    return not info.pod.spec.node_name and not info.is_ending and not info.pod.spec.scheduling_gates


def name_of(job: Job) -> str:
    return f"{job.namespace}/{job.name}"


def _waits(job: Job) -> bool:
    return bool(job.pending) or (not job.tasks and job.phase in ("Pending", "Inqueue"))


def _run(
    found: Outlook,
    world: World,
    decider: Decider,
    now: float,
    until: float | None,
    give_up: Callable[[], bool],
) -> bool:
    time = now
    decider.wants_words = False
    for _ in range(MAX_STEPS):
        started: list[Decisions] = []
        decide_all(decider, world, None, time, started.append)
        for decisions in started:
            _add_starts(found, world, decisions, time, now)
        if all(after is not None for after in found.starts.values()):
            return True
        if give_up():
            return False
        coming = world.end_next(time)
        if coming is None:
            return True
        if until is not None and coming > until:
            return False
        time = coming
    return False


def _ends(world: World) -> dict[str, float]:
    return {uid: end for end, _, uid in world.ends}


def _add_present(found: Outlook, world: World, now: float) -> None:
    """What runs now, and when it is expected to end."""
    ends = _ends(world)
    for job in world.cluster.jobs.values():
        running = [(task.node, task.uid) for task in job.tasks.values() if task.status in ALLOCATED and task.node]
        _add_stays(found, name_of(job), running, ends, now)
    for info in world.system.alone.values():
        if info.pod.spec.node_name:
            _add_stays(found, str(info.key), [(info.pod.spec.node_name, info.uid)], ends, now)


def _add_starts(found: Outlook, world: World, decisions: Decisions, time: float, now: float) -> None:
    ends = _ends(world) if decisions.commits else {}
    for commit in decisions.commits:
        gang = name_of(commit.job)
        if found.starts.get(gang, 0.0) is None:
            found.starts[gang] = time - now
        _add_stays(found, gang, [(task.node, task.uid) for task in commit.tasks], ends, time)


def _add_stays(found: Outlook, gang: str, placed: list[tuple[str, str]], ends: dict[str, float], start: float) -> None:
    for node, pods in Counter(node for node, _ in placed).items():
        known = [ends.get(uid) for on, uid in placed if on == node]
        last = (
            None if any(end is None for end in known) else max((end for end in known if end is not None), default=None)
        )
        found.stays.append(Stay(gang, node, start, last, pods))
