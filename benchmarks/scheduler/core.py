"""How fast the scheduler decides by itself: gangs for a whole cluster at once, without servers.

    python -m benchmarks.scheduler.core [--nodes 500 5000 50000]

All jobs are there from the start and everything fits ("mode A"). Counted from the first decision to the last.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.batch.cycle import Decider
from windlass.scheduler.simulate.baselines import policy_named
from windlass.scheduler.simulate.traces import FULL_JOBS, FULL_NODES, mode_a
from windlass.scheduler.simulate.workload import PodMaker
from windlass.scheduler.simulate.world import cluster_of, job_of, task_of

SIZES = (500, 5000, 50_000)
CYCLE = 500  # jobs that come between two cycles, where not all come at once


def filled(nodes: int, jobs: int) -> tuple[Cluster, list[tuple[str, int]]]:
    scenario = mode_a(nodes, jobs)
    cluster, maker = cluster_of(scenario), PodMaker()
    for plan in scenario.jobs:
        job = job_of(plan)
        cluster.put_job(job)
        for index in range(plan.width):
            cluster.put_task(job, task_of(plan, index, maker))
    return cluster, [(plan.name, plan.width) for plan in scenario.jobs]


def measure(nodes: int, jobs: int, policy: str) -> None:
    cluster, _ = filled(nodes, jobs)
    decider = Decider(cluster, policy_named(policy).conf, wants_words=False)
    wanted = sum(len(job.tasks) for job in cluster.jobs.values())
    began, bound, cycles = time.perf_counter(), 0, list[float]()
    while bound < wanted:
        before = time.perf_counter()
        decisions = decider.decide(float(len(cycles)))
        cycles.append(time.perf_counter() - before)
        placed = sum(len(commit.tasks) for commit in decisions.commits)
        bound += placed
        if not placed:
            break
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{nodes:>6} nodes  {jobs:>6} gangs  {bound:>6}/{wanted} pods  {took:6.2f} s  {bound / took:8.0f} pods/s  "
        f"{took / bound * 1e6:6.1f} µs a pod  cycles p50 {np.median(cycles):.2f} s  peak {peak:.0f} MB",
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
