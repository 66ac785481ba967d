"""Virtual time: small jobs that come and go without end, and what becomes of a gang among them."""

import heapq
import random
from collections.abc import Callable

from tests.scheduler.cycle.world import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.model.jobs import Job, Status


class Stream:
    """`estimate` says of a small job how long it is thought to take, from how long it takes."""

    def __init__(
        self,
        conf: Conf,
        *,
        nodes: int = 25,
        gpus: int = 4,
        load: float = 0.95,
        estimate: Callable[[float], float | None] = lambda seconds: seconds,
        seed: int = 7,
    ) -> None:
        self.world, self._estimate, self._random = World(conf), estimate, random.Random(seed)
        self.world.decider = Decider(self.world.cluster, conf, wants_words=False)
        for number in range(nodes):
            self.world.node(f"n{number:02}", gpus=gpus)
        self._rate = load * nodes * gpus / 330
        self._events: list[tuple[float, int, str]] = []
        self._number = 0
        self.lengths: dict[str, float] = {}
        self.started: dict[str, float] = {}
        self.nodes_of: dict[str, str] = {}
        self._at(self.world.now, "")

    def _at(self, time: float, job: str) -> None:
        self._number += 1
        heapq.heappush(self._events, (time, self._number, job))

    def run_until(self, time: float, done: Callable[[Decisions], bool] = lambda decisions: False) -> bool:
        """Goes on to a time, or until a cycle's decisions are what was waited for."""
        world = self.world
        while self._events[0][0] <= time:
            world.now, _, name = heapq.heappop(self._events)
            if name:
                self._end(world.cluster.jobs[name])
            else:
                self._come()
            decisions = world.decider.decide(world.now)
            self._start(decisions)
            if done(decisions):
                return True
        return False

    def _come(self) -> None:
        length = self._random.uniform(60, 600)
        name = f"s{self._number}"
        self.world.job(name, 1, gpus=1, estimate=self._estimate(length), created=self.world.now)
        self.lengths[name] = length
        self._at(self.world.now + self._random.expovariate(self._rate), "")

    def _start(self, decisions: Decisions) -> None:
        for commit in decisions.commits:
            for task in commit.tasks:
                self.world.cluster.move(task, Status.RUNNING)
                task.started = self.world.now
            name = commit.job.name
            self.started[name] = self.world.now
            if name in self.lengths:
                self.nodes_of[name] = commit.tasks[0].node
                self._at(self.world.now + self.lengths[name], name)

    def _end(self, job: Job) -> None:
        for task in list(job.tasks.values()):
            self.world.decider.estimates.ended(job, task, self.world.now)
        self.world.finish(job)
        self.world.cluster.drop_job(job.uid)
