"""When a job would start on a system as it is, and where: the scheduler decides on, as running pods end one by one.

When they end is a guess, and each guess is named: by their deadline, by what their owner said, by what ended before.
"""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from windlass.apis.core_v1 import Node, Pod
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list
from windlass.kube.kind import Kind
from windlass.kube.objects import key_of
from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.batch.conf import Conf
from windlass.scheduler.batch.cycle import Decider
from windlass.scheduler.batch.decisions import Decisions
from windlass.scheduler.batch.model import ALLOCATED, Job, Queue, Status, Task
from windlass.scheduler.batch.reading import job_of, queue_of, seconds_of, status_of, task_of
from windlass.scheduler.groups import Group, mark_of
from windlass.scheduler.placing.columns import named
from windlass.scheduler.pod_info import PodInfo
from windlass.scheduler.simulate.adding import Added
from windlass.scheduler.simulate.learned import Learned
from windlass.scheduler.simulate.workload import PodMaker

SOON = 60.0  # seconds in which what should have ended already is taken to end
MOST = 20_000  # ends that are looked at before giving up


@dataclass(frozen=True)
class Observed:
    """Objects of a running system."""

    nodes: Sequence[Json] = ()
    pods: Sequence[Json] = ()
    groups: Sequence[tuple[Kind, Json]] = ()
    queues: Sequence[Json] = ()
    priority_classes: Sequence[Json] = ()

    @property
    def priorities(self) -> dict[str, int]:
        """Values of the classes; "" is that of what names none."""
        found = {key_of(one).name: int(one.get("value") or 0) for one in self.priority_classes}
        default = next((one for one in self.priority_classes if one.get("globalDefault")), {})
        return {"": int(default.get("value") or 0), **found}


@dataclass(frozen=True)
class Forecast:
    """`after` is seconds from now; None: not with what is known, and `why` says what is in the way."""

    job: str
    after: float | None
    nodes: dict[str, int]
    """How many of its pods would be on each."""
    why: str
    assumptions: list[str]


@dataclass
class _World:
    """The system as the scheduler knows it, and when whoever runs is expected to end."""

    cluster: Cluster
    learned: Learned
    ends: list[tuple[float, int, str]] = field(default_factory=list[tuple[float, int, str]])
    tasks: dict[str, Task] = field(default_factory=dict[str, Task])
    """By uid, those that are of a job."""
    guesses: Counter[str] = field(default_factory=Counter[str])


def forecast(observed: Observed, added: Added, conf: Conf, now: float) -> Forecast:
    world = _world(observed, now)
    queue = added.job.queue
    if queue not in world.cluster.queues:
        return Forecast(added.job.name, None, {}, f"there is no queue {queue}", [])
    world.cluster.put_job(added.job)
    for task in added.tasks:
        world.cluster.put_task(added.job, task)
    decider = Decider(world.cluster, conf)
    time, why = now, "nothing more ends"
    for _ in range(MOST):
        decisions = _decide(decider, world, added.job, time)
        if any(commit.job is added.job for commit in decisions.commits):
            nodes = Counter(task.node for task in added.job.tasks.values() if task.node)
            return Forecast(added.job.name, time - now, dict(sorted(nodes.items())), "", _told(world))
        trouble = decisions.troubles.get(added.job.uid)
        why = trouble.message if trouble is not None else why
        if not world.ends:
            break
        time = max(time, world.ends[0][0])
        while world.ends and world.ends[0][0] <= time:
            _end(world, heapq.heappop(world.ends)[2])
    return Forecast(added.job.name, None, {}, why, _told(world))


def _decide(decider: Decider, world: _World, added: Job, time: float) -> Decisions:
    """Cycles until nothing more happens. Who is let in has pods; who is bound runs, and ends some day."""
    maker = PodMaker()
    while True:
        decisions = decider.decide(time)
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
            world.cluster.drop_task(eviction.task.job, eviction.task.uid)
        if not decisions or any(commit.job is added for commit in decisions.commits):
            return decisions


def _stand_ins(world: _World, job: Job, maker: PodMaker) -> None:
    """Pods that its controller will make now; all that is known of them is what they ask for together."""
    assert job.min_resources is not None
    world.guesses["jobs without pods yet count with the minResources of their group"] += 1
    many = max(1, job.min_member)
    asks = {name: amount / many for name, amount in named(job.min_resources).items() if name != "pods"}
    for number in range(many):
        uid = f"{job.uid}-{number}"
        task = Task(maker.pod(uid, asks), index=number, created=job.created)
        world.tasks[uid] = task
        world.cluster.put_task(job, task)


def _end(world: _World, uid: str) -> None:
    task = world.tasks.get(uid)
    if task is None:
        world.cluster.snapshot.remove_pod(uid)
    else:
        world.cluster.move(task, Status.SUCCEEDED)


# --- the system as it is


def _world(observed: Observed, now: float) -> _World:
    cluster = Cluster()
    world = _World(cluster, Learned())
    for obj in observed.nodes:
        cluster.snapshot.put_node(msgspec.convert(obj, Node))
    for obj in observed.queues:
        cluster.put_queue(queue_of(obj))
    if "default" not in cluster.queues:
        cluster.put_queue(Queue("default"))
    priorities, jobs = observed.priorities, dict[object, Job]()
    for kind, obj in observed.groups:
        group = Group.of(kind, obj)
        job = job_of(group, priorities.get(str(dig(obj, "spec", "priorityClassName") or ""), priorities[""]))
        cluster.put_job(job)
        jobs[group.mark] = job
    pods = [msgspec.convert(obj, Pod) for obj in observed.pods]
    for pod, obj in zip(pods, observed.pods, strict=True):
        _learn(world.learned, pod, obj)
    for pod in pods:
        _put(world, pod, jobs.get(mark_of(pod)), now)
    return world


def _learn(learned: Learned, pod: Pod, obj: Json) -> None:
    ends = [
        seconds_of(dig(one, "state", "terminated", "finishedAt"))
        for one in dig_list(obj, "status", "containerStatuses")
    ]
    began = seconds_of(pod.status.start_time)
    if pod.status.phase == "Succeeded" and began and ends and max(ends) > began:
        for owner in _owners(pod):
            learned.add(owner, max(ends) - began)


def _owners(pod: Pod) -> list[str]:
    """Whose run times tell of this pod's: its owner's; else all of the namespace."""
    where = pod.metadata.namespace
    return [*[f"{where}/{one.kind}/{one.name}" for one in pod.metadata.owner_references if one.controller], where]


def _put(world: _World, pod: Pod, job: Job | None, now: float) -> None:
    status = status_of(pod)
    if status is None or status in (Status.SUCCEEDED, Status.FAILED):
        return
    info = PodInfo(pod)
    if job is not None:
        task = task_of(pod, info)
        if task is not None:
            world.tasks[info.uid] = task
            world.cluster.put_task(job, task)
            if task.status in ALLOCATED:
                _expect(world, task, now)
            elif task.status is Status.RELEASING:
                heapq.heappush(world.ends, (now + SOON, len(world.ends), info.uid))
    elif pod.spec.node_name:
        world.cluster.snapshot.add_pod(info, pod.spec.node_name)
        _expect_end(world, info, None, seconds_of(pod.status.start_time) or now, now)


def _expect(world: _World, task: Task, now: float) -> None:
    _expect_end(world, task.pod, task.job.estimate, task.started or now, now)


def _expect_end(world: _World, info: PodInfo, estimate: float | None, began: float, now: float) -> None:
    """When a pod that runs ends, by the best that is known."""
    deadline = info.pod.spec.active_deadline_seconds
    learned = next((found for owner in _owners(info.pod) if (found := world.learned.of(owner)) is not None), None)
    for length, words in (
        (deadline, "end at their activeDeadlineSeconds"),
        (estimate, "end when their group's running estimate says"),
        (learned, "end after the median time of what ended before them"),
    ):
        if length is not None:
            world.guesses[f"pods {words}"] += 1
            end = began + length
            heapq.heappush(world.ends, (end if end > now else now + SOON, sum(world.guesses.values()), info.uid))
            return
    world.guesses["pods are taken to run for ever: nothing is known of how long they take"] += 1


def _told(world: _World) -> list[str]:
    return [f"{many} {words}" for words, many in sorted(world.guesses.items())]
