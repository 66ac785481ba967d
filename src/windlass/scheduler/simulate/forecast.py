"""When a job would start on a system as it is, and where: the scheduler decides on, as running pods end one by one.

When they end is a guess, and each guess is named: by their deadline, by what their owner said, by what ended before.
"""

import heapq
from bisect import insort
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.apis.assumptions import Assumption
from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list
from windlass.kube.objects import key_of, uid_of
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.extender_http import connect_blocking
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import named
from windlass.scheduler.model.jobs import ALLOCATED, Job, Status, Task
from windlass.scheduler.model.observed import Observed, System, system_of
from windlass.scheduler.model.parsing import seconds_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.reservations.estimates import Estimates
from windlass.scheduler.simulate.job_manifest import Added
from windlass.scheduler.simulate.workload import PodMaker

SOON = 60.0  # seconds in which what should have ended already is taken to end
MAX_ENDS = 20_000  # ends that are looked at before giving up


@dataclass(frozen=True)
class Forecast:
    """`after` is seconds from now; None: not with what is known, and `why` says what is in the way."""

    job: str
    after: float | None
    nodes: dict[str, int]
    """How many of its pods would be on each."""
    why: str
    assumptions: list[Assumption]


class Learned:
    """How long jobs of an owner take: the median of those that ended before."""

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def add(self, owner: str, seconds: float) -> None:
        insort(self._known.setdefault(owner, []), seconds)

    def of(self, owner: str) -> float | None:
        """None: nothing is known of the owner."""
        past = self._known.get(owner)
        return past[len(past) // 2] if past else None


@dataclass
class World:
    """A system, and when the tasks on it are expected to end. A forecast changes it."""

    system: System
    learned: Learned = field(default_factory=Learned)
    ends: list[tuple[float, int, str]] = field(default_factory=list[tuple[float, int, str]])
    tasks: dict[str, Task] = field(default_factory=dict[str, Task])
    """By uid, those that are of a job."""
    guesses: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How often each was made: the code and the subject of an assumption."""

    @property
    def cluster(self) -> Cluster:
        return self.system.cluster

    @property
    def assumptions(self) -> list[Assumption]:
        return [Assumption(code, count, subject) for (code, subject), count in sorted(self.guesses.items())]

    def guess(self, code: str, subject: str = "", times: int = 1) -> None:
        self.guesses[code, subject] += times

    def end_next(self, time: float) -> float | None:
        """End the task that is expected to end next; answers when that is, None where there is none."""
        if not self.ends:
            return None
        time = max(time, self.ends[0][0])
        while self.ends and self.ends[0][0] <= time:
            _end(self, heapq.heappop(self.ends)[2])
        return time


def forecast(observed: Observed, added: Added, conf: Conf, now: float) -> Forecast:
    """Of a job that is not there yet."""
    world = world_of(observed, system_of(observed), now)
    queue = added.job.queue
    if queue not in world.cluster.queues:
        return Forecast(added.job.name, None, {}, f"there is no queue {queue}", [])
    world.cluster.put_job(added.job)
    for task in added.tasks:
        world.cluster.put_task(added.job, task)
    return foresee(world, added.job, Decider(world.cluster, conf, connect=connect_blocking), now)


def foresee(
    world: World,
    job: Job,
    decider: Decider,
    now: float,
    on_decisions: Callable[[Decisions], None] = lambda decisions: None,
    give_up: Callable[[], bool] = lambda: False,
) -> Forecast:
    """Of a job that waits. `on_decisions` gets what each cycle decides; `give_up` is asked before each but the first.

    Why others wait is worked out only at first, and for the last of all: that is what takes longest.
    """
    time, why = now, "nothing more ends"
    for _ in range(MAX_ENDS):
        decisions = decide_all(decider, world, job, time, on_decisions)
        if any(commit.job is job for commit in decisions.commits):
            nodes = Counter(task.node for task in job.tasks.values() if task.node)
            return Forecast(job.name, time - now, dict(sorted(nodes.items())), "", world.assumptions)
        trouble = decisions.troubles.get(job.uid)
        why = trouble.message if trouble is not None else why
        if give_up():
            why = f"not within {(time - now) / 3600:.1f} hours; what ends later was not looked at"
            return Forecast(job.name, None, {}, why, world.assumptions)
        coming = world.end_next(time)
        if coming is None:
            break
        time, decider.wants_words = coming, not world.ends
    return Forecast(job.name, None, {}, why, world.assumptions)


def decide_all(
    decider: Decider, world: World, added: Job | None, time: float, on_decisions: Callable[[Decisions], None]
) -> Decisions:
    """Cycles until nothing more happens, or `added` starts. An admitted job has pods; a bound one ends some day."""
    maker = PodMaker()
    while True:
        decisions = decider.decide(time)
        on_decisions(decisions)
        for job in decisions.admitted:
            if not job.tasks and job.min_resources is not None:
                _stand_ins(world, job, maker)
        for commit in decisions.commits:
            for task in commit.tasks:
                world.cluster.move(task, Status.RUNNING)
                task.started = time
                if commit.job is not added:
                    _expect(world, task, time)
        for eviction in decisions.evictions:
            world.guess("Preempted")
            world.cluster.drop_task(eviction.task.job, eviction.task.uid)
            world.tasks.pop(eviction.task.uid, None)
        if not decisions or any(commit.job is added for commit in decisions.commits):
            return decisions


def _stand_ins(world: World, job: Job, maker: PodMaker) -> None:
    """Pods that its controller will make now; all that is known of them is what they ask for together."""
    assert job.min_resources is not None
    world.guess("WithoutPods")
    many = max(1, job.min_member)
    asks = {name: amount / many for name, amount in named(job.min_resources).items() if name != "pods"}
    for number in range(many):
        uid = f"{job.uid}-{number}"
        task = Task(maker.pod(uid, asks), index=number, created=job.created)
        world.tasks[uid] = task
        world.cluster.put_task(job, task)


def _end(world: World, uid: str) -> None:
    task = world.tasks.get(uid)
    if task is None:
        world.cluster.snapshot.remove_pod(uid)
    else:
        world.cluster.move(task, Status.SUCCEEDED)


# --- the system as it is


def world_of(observed: Observed, system: System, now: float) -> World:
    world = World(system)
    for obj in observed.pods:
        _learn(world.learned, system.pods[key_of(obj)], obj)
    for job in system.cluster.jobs.values():
        for task in job.tasks.values():
            world.tasks[task.uid] = task
            if task.status in ALLOCATED:
                _expect(world, task, now)
    for info, _ in system.cluster.snapshot.ending():
        world.guess("Terminating", f"{SOON:.0f}")
        heapq.heappush(world.ends, (now + SOON, len(world.ends), info.uid))
    for info in system.alone.values():
        if info.pod.spec.node_name and not info.is_ending:
            _expect_end(world, info, None, seconds_of(info.pod.status.start_time) or now, now)
    return world


def learn(estimates: Estimates, observed: Observed, world: World) -> None:
    """Teach the scheduler's own estimates what ended before."""
    for obj in observed.pods:
        task = world.tasks.get(uid_of(obj))
        ended = _ended(obj)
        if task is not None and task.status is Status.SUCCEEDED and ended:
            estimates.ended(task.job, task, ended)


def _ended(obj: Json) -> float:
    """When the last container of a pod did; 0 if nobody says."""
    statuses = dig_list(obj, "status", "containerStatuses")
    return max((seconds_of(dig(one, "state", "terminated", "finishedAt")) for one in statuses), default=0.0)


def _learn(learned: Learned, pod: Pod, obj: Json) -> None:
    began, ended = seconds_of(pod.status.start_time), _ended(obj)
    if pod.status.phase == "Succeeded" and began and ended > began:
        for owner in _owners(pod):
            learned.add(owner, ended - began)


def _owners(pod: Pod) -> list[str]:
    """Which run times count for this pod: its owner's; else all of the namespace."""
    where = pod.metadata.namespace
    return [*[f"{where}/{one.kind}/{one.name}" for one in pod.metadata.owner_references if one.controller], where]


def _expect(world: World, task: Task, now: float) -> None:
    _expect_end(world, task.pod, task.job.estimate, task.started or now, now)


def _expect_end(world: World, info: PodInfo, estimate: float | None, began: float, now: float) -> None:
    """When a pod that runs ends, by the best that is known."""
    deadline = info.pod.spec.active_deadline_seconds
    learned = next((found for owner in _owners(info.pod) if (found := world.learned.of(owner)) is not None), None)
    for length, code in ((deadline, "EndAtDeadline"), (estimate, "EndAtEstimate"), (learned, "EndAtMedian")):
        if length is not None:
            world.guess(code)
            end = began + length
            heapq.heappush(world.ends, (end if end > now else now + SOON, sum(world.guesses.values()), info.uid))
            return
    world.guess("RunForever")
