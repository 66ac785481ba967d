"""How fast the scheduler decides by itself: gangs for a whole cluster at once, without servers.

    python -m benchmarks.scheduler.core [--nodes 500 5000 50000]

All jobs are there from the start and everything fits ("mode A"): counted from the first decision to the last. Then, on
the full cluster, cycles in each of which some gangs have ended and as many have come.
"""

import argparse
import resource
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np

from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.simulate.baselines import policy_named
from windlass.scheduler.simulate.traces import FULL_JOBS, FULL_NODES, mode_a
from windlass.scheduler.simulate.workload import JobPlan, PodMaker
from windlass.scheduler.simulate.world import cluster_of, job_of, task_of

SIZES = (500, 5000, 50_000)
CYCLES, CHANGED = 200, 20  # cycles after the rush, and gangs that end and come in each


class Rush:
    """A cluster with all jobs of mode A waiting."""

    def __init__(self, nodes: int, jobs: int) -> None:
        self.scenario, self._maker = mode_a(nodes, jobs), PodMaker()
        self.cluster: Cluster = cluster_of(self.scenario)
        for plan in self.scenario.jobs:
            self.come(plan)

    def come(self, plan: JobPlan) -> None:
        job = job_of(plan)
        self.cluster.put_job(job)
        for index in range(plan.width):
            self.cluster.put_task(job, task_of(plan, index, self._maker))

    def end(self, name: str) -> None:
        job = self.cluster.jobs[name]
        for uid in list(job.tasks):
            self.cluster.drop_task(job, uid)
        self.cluster.drop_job(name)


def place_all(rush: Rush, decider: Decider) -> tuple[int, float, float]:
    """How many pods were placed, and how long that took: by the clock and of the processor."""
    clock, processor, bound = time.perf_counter(), time.process_time(), 0
    for cycle in range(1000):
        placed = sum(len(commit.tasks) for commit in decider.decide(float(cycle)).commits)
        bound += placed
        if not placed:
            break
    return bound, time.perf_counter() - clock, time.process_time() - processor


def cycles(rush: Rush, decider: Decider) -> list[float]:
    """Seconds of processor time of each cycle while gangs come and go."""
    found: list[float] = []
    plans = list(rush.scenario.jobs)
    for cycle in range(min(CYCLES, len(plans) // CHANGED)):
        for plan in plans[cycle * CHANGED : (cycle + 1) * CHANGED]:
            rush.end(plan.name)
            rush.come(replace(plan, name=f"{plan.name}-again", arrival=float(cycle)))
        began = time.process_time()
        decider.decide(2000.0 + cycle)
        found.append(time.process_time() - began)
    return found


def measure(nodes: int, jobs: int, policy: str) -> None:
    rush = Rush(nodes, jobs)
    decider = Decider(rush.cluster, policy_named(policy).conf, wants_words=False)
    wanted = sum(len(job.tasks) for job in rush.cluster.jobs.values())
    bound, clock, processor = place_all(rush, decider)
    later = np.array(cycles(rush, decider)) * 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{nodes:>6} nodes  {jobs:>6} gangs  {bound:>6}/{wanted} pods  {clock:6.2f} s  {bound / clock:6.0f} pods/s  "
        f"(processor {processor:5.2f} s, {bound / processor:6.0f} pods/s, {processor / bound * 1e6:5.1f} µs a pod)  "
        f"later cycles p50 {np.median(later):5.1f} ms p99 {np.percentile(later, 99):5.1f} ms  peak {peak:.0f} MB",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--policy", default="windlass")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for nodes in given.nodes:
        if given.alone:
            measure(nodes, FULL_JOBS * min(nodes, FULL_NODES) // FULL_NODES, given.policy)
        else:  # a process each, so that memory is that of one size alone
            command = [sys.executable, "-m", "benchmarks.scheduler.core", "--alone", "--policy", given.policy]
            subprocess.run([*command, "--nodes", str(nodes)], check=True)


if __name__ == "__main__":
    main()
