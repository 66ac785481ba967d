"""Lives through a scenario with one policy: the scheduler's own decisions, everything else in virtual time.

Jobs arrive, are admitted, get their pods, start when the scheduler says where, end when their work is done. Pods
die and nodes fail as the scenario has it; controllers replace pods that are lost. At most one cycle a `period`, and
only after something changed, or now and then while anything waits.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.extender_http import connect_blocking
from windlass.scheduler.framework.decisions import Commit, Decisions, Eviction
from windlass.scheduler.model.columns import Vector, vector
from windlass.scheduler.model.gang_tasks import LostTask
from windlass.scheduler.model.jobs import Job, Status, Task
from windlass.scheduler.reservations.estimates import Owner
from windlass.scheduler.simulate.baselines import Policy
from windlass.scheduler.simulate.fairness import shares_of
from windlass.scheduler.simulate.records import Bar, Ended, Records
from windlass.scheduler.simulate.running_job import LiveJob, Up
from windlass.scheduler.simulate.workload import DEFAULT_QUEUE, JobPlan, PodMaker, Scenario, node_object
from windlass.scheduler.simulate.world import cluster_of, job_of, task_of

GRACE = 5.0  # seconds that a pod takes to end when it is evicted
REPLACED_AFTER = 2.0  # seconds until a controller has made another pod for one that was lost
RETRY_SECONDS = 30.0  # seconds after which a cycle is due although nothing changed, while jobs wait
BROKEN_TOO_LONG = 360.0  # gangHoldSeconds and gangRecoverySeconds
GIVE_UP = 4 * 3600.0  # seconds in which nothing happened and nothing works: the rest waits for ever
WATCHED_NODES = 32

Progress = Callable[[int, int], None]
"""Called with the number of jobs that have ended, and of all."""
_FIRST, _THEN_DECIDE = 0, 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a scenario under a policy."""

    scenario: Scenario
    policy: Policy
    records: Records
    end: float
    """When the last job was done."""


class Simulation:
    def __init__(self, scenario: Scenario, policy: Policy, *, period: float = 1.0) -> None:
        self._scenario, self._policy, self._period = scenario, policy, period
        self._cluster = cluster_of(scenario, one_queue=policy.one_queue)
        self._decider = Decider(self._cluster, policy.conf, wants_words=False, connect=connect_blocking)
        self._decider.estimates.owner_of = _user_of
        self._maker = PodMaker()
        self._events: list[tuple[float, int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._number = 0
        self._now = 0.0
        self._live: dict[str, LiveJob] = {}
        self._of_pod: dict[str, LiveJob] = {}
        self._broken: dict[str, LiveJob] = {}
        self._to_come = len(scenario.jobs)
        self._moved_at = 0.0
        self._last_cycle = -period
        self._cycle_at: float | None = None
        self._rng = np.random.default_rng([scenario.seed, 3])
        self._kinds = {f"{kind.name}-{number}": kind for kind in scenario.nodes for number in range(kind.count)}
        names = scenario.node_names
        step = max(1, len(names) // WATCHED_NODES)
        self.records = Records(scenario.queues, scenario.capacity, frozenset(names[::step][:WATCHED_NODES]))
        self.records.on_sample = self._find_stuck

    def run(self, progress: Progress | None = None) -> Outcome:
        self._come(0)
        self._foresee_node_failure()
        total, end, told = len(self._scenario.jobs), 0.0, -1
        while self._events and (self._to_come or self._live):
            time, _, _, act, arguments = heapq.heappop(self._events)
            if self._is_over(time):
                break
            self.records.advance(time)
            self._now = time
            act(*arguments)
            done = total - self._to_come - len(self._live)
            if progress is not None and done != told:
                told = done
                progress(done, total)
        end = max((one.end for one in self.records.ended if one.end is not None), default=0.0)
        self._close_the_book()
        return Outcome(self._scenario, self._policy, self.records, end)

    # --- time

    def _at(self, time: float, act: Callable[..., None], *arguments: Any, rank: int = _FIRST) -> None:
        self._number += 1
        heapq.heappush(self._events, (time, rank, self._number, act, arguments))

    def _is_over(self, time: float) -> bool:
        if self._to_come or any(live.is_working for live in self._live.values()):
            return False
        return time - self._moved_at > GIVE_UP

    def _close_the_book(self) -> None:
        for live in self._live.values():
            if live.broken_since is not None:
                self.records.stuck.add(live.plan.name)
            for up in live.up.values():
                self._draw(live, up)
            self._spend(live)
            self._write_down(live)

    # --- jobs come and go

    def _come(self, number: int) -> None:
        jobs = self._scenario.jobs
        while number < len(jobs) and jobs[number].arrival <= self._now:
            self._arrive(jobs[number])
            number += 1
        if number < len(jobs):
            self._at(jobs[number].arrival, self._come, number)

    def _arrive(self, plan: JobPlan) -> None:
        job = job_of(plan, queue=DEFAULT_QUEUE if self._policy.one_queue else None)
        self._live[job.uid] = LiveJob(plan, job, plan.asks, since=self._now)
        self._cluster.put_job(job)
        self.records.wants(plan.queue, plan.asks)
        self._to_come -= 1
        self._moved_at = self._now
        self._wake()

    def _make_pods(self, live: LiveJob) -> None:
        there = set(live.index_of.values())
        for index in range(live.plan.width):
            if index not in there:
                self._make_pod(live, index)

    def _make_pod(self, live: LiveJob, index: int) -> None:
        live.attempts += 1
        attempt = live.attempts if live.attempts > live.plan.width else 0
        task = task_of(live.plan, index, self._maker, attempt=attempt, created=self._now)
        live.index_of[task.uid] = index
        self._of_pod[task.uid] = live
        self._cluster.put_task(live.job, task)

    def _replace(self, live: LiveJob, index: int) -> None:
        """What its controller does about a pod that was lost."""
        if live.plan.name not in self._live or index in live.index_of.values():
            return
        if not live.job.is_admitted:  # its pods are created when it is admitted again
            return
        self._make_pod(live, index)
        self._wake()

    def _finish(self, live: LiveJob) -> None:
        live.end = self._now
        self._decider.estimates.learn(_user_of(live.job), self._now - (live.first_start or self._now))
        for up in list(live.up.values()):
            self._down(live, up)
        self._refresh(live)
        self._cluster.unhold(live.job)
        for uid in list(live.job.tasks):
            self._forget(live, uid)
        self._cluster.drop_job(live.job.uid)
        del self._live[live.plan.name]
        self.records.wants(live.plan.queue, -live.asks)
        self._spend(live)
        self._write_down(live)
        self._moved_at = self._now
        self._wake()

    def _spend(self, live: LiveJob) -> None:
        live.settle(self._now)
        self.records.gpu_seconds += live.gpu_seconds

    def _write_down(self, live: LiveJob) -> None:
        plan = live.plan
        self.records.ended.append(Ended(plan.name, plan.width, plan.queue, plan.arrival, live.first_start, live.end))

    # --- pods start and end

    def _up(self, live: LiveJob, task: Task) -> None:
        self._cluster.move(task, Status.RUNNING)
        task.started = self._now
        live.up[task.uid] = Up(task, live.index_of[task.uid], self._now)
        live.held += task.request
        self.records.uses(live.plan.queue, task.request)

    def _down(self, live: LiveJob, up: Up) -> None:
        """It works no more; whether it is still on its node is another matter."""
        del live.up[up.task.uid]
        live.held -= up.task.request
        self.records.uses(live.plan.queue, -up.task.request)
        self._draw(live, up)

    def _draw(self, live: LiveJob, up: Up) -> None:
        node, plan = up.task.node, live.plan
        if node in self.records.watched:
            part = float(shares_of(up.task.request[None], self._offer(node))[0])
            self.records.bars.append(Bar(node, up.since, self._now, plan.name, plan.width, part))

    def _forget(self, live: LiveJob, uid: str) -> None:
        self._cluster.drop_task(live.job, uid)
        live.index_of.pop(uid, None)
        self._of_pod.pop(uid, None)

    def _refresh(self, live: LiveJob) -> None:
        """Pods of it came or went: work continues at another pace. To be called after `settle`."""
        was = live.held_working
        live.pace()
        live.held_working = live.gpus if live.is_working else 0.0
        self.records.working += live.held_working - was
        if live.is_working and live.first_start is None:
            live.first_start = self._now
        if live.up and not live.is_working:
            live.broken_since = self._now if live.broken_since is None else live.broken_since
            self._broken[live.plan.name] = live
        else:
            live.broken_since = None
            self._broken.pop(live.plan.name, None)
        if live.is_working:
            part, _ = live.next_stop
            self._at(self._now + max(0.0, part - live.done) / live.speed, self._reach, live, live.version)

    def _reach(self, live: LiveJob, version: int) -> None:
        """It has come to a point in its work where a pod dies, or to its end."""
        if version != live.version or live.plan.name not in self._live:
            return
        live.settle(self._now)
        _, index = live.next_stop
        if index is None:
            self._finish(live)
            return
        live.deaths_seen += 1
        self._die(live, [up for up in live.up.values() if up.index == index])

    def _die(self, live: LiveJob, dying: Iterable[Up]) -> None:
        live.settle(self._now)
        for up in list(dying):
            live.was_hurt = True
            self.records.deaths += 1
            self._decider.lost(LostTask.of(live.job, up.task), self._now)
            self._down(live, up)
            self._forget(live, up.task.uid)
            self._at(self._now + REPLACED_AFTER, self._replace, live, up.index)
        self._refresh(live)
        self._wake()

    # --- nodes fail

    def _foresee_node_failure(self) -> None:
        rate = self._scenario.failures.nodes_per_hour
        if rate > 0:
            names = self._scenario.node_names
            after = float(self._rng.exponential(3600 / rate))
            self._at(self._now + after, self._fail, names[int(self._rng.integers(len(names)))])

    def _fail(self, name: str) -> None:
        self._foresee_node_failure()
        node = self._cluster.snapshot.node(name)
        if node is None:
            return
        self.records.node_failures += 1
        hit: dict[str, LiveJob] = {}
        for uid in list(node.pods):
            if uid in self._of_pod:
                hit[self._of_pod[uid].plan.name] = self._of_pod[uid]
        self._cluster.snapshot.remove_node(name)
        for live in hit.values():
            self._die(live, [up for up in live.up.values() if up.task.node == name])
        self.records.offers(-self._offer(name))
        self._at(self._now + self._scenario.failures.node_down, self._return, name)
        self._wake()

    def _return(self, name: str) -> None:
        self._cluster.snapshot.put_node(node_object(self._kinds[name], name))
        self.records.offers(self._offer(name))
        self._wake()

    def _offer(self, name: str) -> Vector:
        return vector(self._kinds[name].offers)

    # --- cycles

    def _wake(self, after: float = 0.0) -> None:
        """A cycle is due."""
        time = max(self._now + after, self._last_cycle + self._period)
        if self._cycle_at is None or time < self._cycle_at:
            self._cycle_at = time
            self._at(time, self._cycle, time, rank=_THEN_DECIDE)

    def _cycle(self, planned: float) -> None:
        if planned != self._cycle_at:
            return
        self._cycle_at, self._last_cycle = None, self._now
        decisions = self._decider.decide(self._now)
        self.records.cycles += 1
        self._carry_out(decisions)
        self.records.waiting = len(self._cluster.waiting)
        if self._cluster.waiting or self._cluster.holds:
            self._wake(RETRY_SECONDS)

    def _carry_out(self, decisions: Decisions) -> None:
        for commit in decisions.commits:
            self._start(commit)
        for job in decisions.admitted:
            live = self._live[job.uid]
            if len(live.index_of) < live.plan.width:
                self._make_pods(live)
                self._wake()
        if decisions.evictions:
            self._evict(decisions.evictions)
        self.records.released += len(decisions.released)

    def _start(self, commit: Commit) -> None:
        live = self._live[commit.job.uid]
        live.settle(self._now)
        for task in commit.tasks:
            self._up(live, task)
        self.records.binds += len(commit.tasks)
        self._moved_at = self._now
        if not live.has_enough and not live.was_hurt:
            self.records.violations += 1
        self._refresh(live)
        if live.is_working:
            commit.job.phase = "Running"
            self._cluster.changed(commit.job)

    def _evict(self, evictions: Iterable[Eviction]) -> None:
        hit: dict[str, LiveJob] = {}
        for eviction in evictions:
            live, uid = self._of_pod[eviction.task.uid], eviction.task.uid
            live.settle(self._now)
            hit[live.plan.name] = live
            live.was_hurt = True
            self.records.evictions += 1
            up = live.up[uid]
            self._down(live, up)
            self.records.wasted += live.lose(up, self._now)
            self._at(self._now + GRACE, self._gone, live, uid)
        for live in hit.values():
            self._refresh(live)
            if not live.up:  # all of it went: it waits to be admitted as at first
                live.job.phase = "Pending"
                self._cluster.changed(live.job)
        self._moved_at = self._now

    def _gone(self, live: LiveJob, uid: str) -> None:
        if live.plan.name not in self._live:
            return
        index = live.index_of[uid]
        self._forget(live, uid)
        if not live.up and not live.job.is_admitted:
            for waiting in [task.uid for task in live.job.pending.values()]:
                self._forget(live, waiting)
        else:
            self._at(self._now + REPLACED_AFTER, self._replace, live, index)
        self._wake()

    # --- gangs that are stuck

    def _find_stuck(self, time: float) -> None:
        for name, live in self._broken.items():
            if live.broken_since is None or time - live.broken_since <= BROKEN_TOO_LONG or name in self.records.stuck:
                continue
            if self._has_room_for_the_rest(live):
                self.records.stuck.add(name)

    def _has_room_for_the_rest(self, live: LiveJob) -> bool:
        placer = self._decider.placer
        wanted: dict[int, tuple[Task, int]] = {}
        for task in live.job.pending.values():
            shape = placer.shapes.of(task.pod)
            wanted[id(shape)] = task, wanted.get(id(shape), (task, 0))[1] + 1
        return all(placer.slots(placer.shapes.of(task.pod)).sum() >= many for task, many in wanted.values())


def _user_of(job: Job) -> Owner:
    """The next job of a user takes as long as those before."""
    plan: JobPlan = job.ref
    return job.namespace, plan.user
