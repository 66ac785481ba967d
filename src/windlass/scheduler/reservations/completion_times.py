"""When those that run will end, as arrays: so that it can be asked what will be free at which time."""

import math
from collections.abc import Iterable

import numpy as np

from windlass.scheduler.framework.decisions import Commit
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.columns import WIDTH, Mask, Rows, Vector
from windlass.scheduler.model.jobs import ALLOCATED, Job, Status, Task
from windlass.scheduler.model.parsing import seconds_of
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.reservations.estimates import Estimates, said_of

SCAN_AGAIN = 900.0  # seconds after which all jobs are read again: other schedulers may have started some
READS = 1000.0  # tasks that are read in a second of the time that is scheduled for
NOTED = 100_000  # commits that are remembered before it is cheaper to look at all jobs


class Running:
    """Tasks that have a node, at one moment. `ends` is infinite where nothing is known."""

    def __init__(self, tasks: list[Task], ends: Vector, rows: Rows, kinds: Rows, requests: Vector) -> None:
        order = np.argsort(ends, kind="stable")
        self.ends, self.rows = ends[order], rows[order]
        """In the order of their ends."""
        self.known = int(np.isfinite(ends).sum())
        """How many have one that is known: these are the first."""
        self._kinds, self._requests = kinds[order], requests
        self._tasks, self._order = tasks, order

    def amounts(self, column: int) -> Vector:
        """What each asks for of a resource."""
        return self._requests[self._kinds, column]

    def total(self, those: Rows) -> Vector:
        """What those ask for together."""
        counts = np.bincount(self._kinds[those], minlength=len(self._requests))
        return counts @ self._requests

    def of_queue(self, name: str) -> Mask:
        return np.array([self._tasks[number].job.queue == name for number in self._order], dtype=np.bool_)


def _of_no_gang(pod: PodInfo, node: str) -> Task:
    """A pod that says itself when it ends, as a task of a job that is in no queue."""
    task = Task(pod, status=Status.RUNNING, node=node, started=seconds_of(pod.pod.status.start_time))
    task.job = Job(pod.uid, pod.key.namespace, pod.key.name, queue="", estimate=said_of(pod))
    return task


class Ends:
    """Kept up to date by what cycles decide; looks at all jobs only when first asked, and seldom again."""

    def __init__(self, cluster: Cluster, estimates: Estimates) -> None:
        self._cluster, self._estimates = cluster, estimates
        self._scanned: float | None = None
        self._noted: list[tuple[float, Commit]] = []
        self._slots: dict[str, int] = {}
        self._tasks: list[Task] = []
        self._times: list[tuple[float, float, float]] = []
        """Of each task: its start, how long it is expected to take, how long it may."""
        self._kinds: list[int] = []
        self._kind_of: dict[bytes, int] = {}
        self._requests: list[Vector] = []
        self._last: Running | None = None
        self._last_at, self._last_version = 0.0, -1

    def note(self, commits: Iterable[Commit], now: float) -> None:
        if self._scanned is None:
            return
        self._noted += [(now, commit) for commit in commits]
        if len(self._noted) > NOTED:
            self._scanned = None

    def read(self, now: float) -> Running:
        """The more there are the longer an answer has to do."""
        version = self._cluster.snapshot.table.version
        if self._last is not None and self._last_version == version and now - self._last_at < len(self._tasks) / READS:
            return self._last
        if self._scanned is None or now - self._scanned > SCAN_AGAIN:
            self._scan(now)
        for at, commit in self._noted:
            for task in commit.tasks:
                self._add(task, at)
        self._noted.clear()
        self._last, self._last_at, self._last_version = self._at(now, self._where()), now, version
        return self._last

    def _scan(self, now: float) -> None:
        for known in (self._noted, self._slots, self._tasks, self._times, self._kinds):
            known.clear()
        self._scanned = now
        ending: set[str] = set()
        for job in self._cluster.jobs.values():
            for task in job.tasks.values():
                if task.status in ALLOCATED:
                    self._add(task, now)
                elif task.node:
                    ending.add(task.uid)
        for node in self._cluster.snapshot.nodes:
            for uid, pod in node.pods.items():
                if not (uid in self._slots or uid in ending or uid in self._cluster.holds) and said_of(pod) is not None:
                    self._add(_of_no_gang(pod, node.name), now)

    def _add(self, task: Task, now: float) -> None:
        expected, most = self._estimates.of(task.job), task.pod.pod.spec.active_deadline_seconds
        times = (task.started or now, math.inf if expected is None else expected, math.inf if most is None else most)
        slot = self._slots.get(task.uid)
        if slot is not None:
            self._tasks[slot], self._times[slot] = task, times
            return
        key = task.request.tobytes()
        kind = self._kind_of.get(key)
        if kind is None:
            kind = self._kind_of[key] = len(self._requests)
            self._requests.append(task.request)
        self._slots[task.uid] = len(self._tasks)
        self._tasks.append(task)
        self._times.append(times)
        self._kinds.append(kind)

    def _where(self) -> Rows:
        """The nodes of those that are still there; forgets the others."""
        node_of, index = self._cluster.snapshot.node_of, self._cluster.snapshot.table.index
        nodes = [node_of(task.pod.uid) for task in self._tasks]
        if None in nodes:
            there = [number for number, node in enumerate(nodes) if node is not None]
            self._tasks = [self._tasks[number] for number in there]
            self._times = [self._times[number] for number in there]
            self._kinds = [self._kinds[number] for number in there]
            self._slots = {task.uid: number for number, task in enumerate(self._tasks)}
        return np.array([index[node.name] for node in nodes if node is not None], dtype=np.intp)

    def _at(self, now: float, rows: Rows) -> Running:
        started, expected, most = np.array(self._times, dtype=np.float64).reshape(-1, 3).T
        ends = started + expected
        late = ends <= now  # what takes longer than was expected may take as long again
        ends[late] = (2 * now - started)[late]
        ends = np.maximum(np.minimum(ends, started + most), now)
        requests = np.array(self._requests) if self._requests else np.zeros((0, WIDTH))
        return Running(self._tasks, ends, rows, np.array(self._kinds, dtype=np.intp), requests)
