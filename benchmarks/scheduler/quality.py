"""How well the scheduler decides, beside three others, in virtual time.

    python -m benchmarks.scheduler.quality [--nodes 200 --jobs 4000] [--at-once] [--report quality.html]

Days of arrivals at 95 % of the GPUs with pods that die and nodes that fail ("mode B"), or all jobs at once, for the
makespan. The whole cluster of 5,000 nodes takes some minutes; few nodes with many jobs are harder, because all of them
are busy for longer than the longest job. Each policy has a process of its own, so that two cores do two at a time.
"""

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from windlass.apps.training.commands.simulate import print_table
from windlass.scheduler.simulate import traces
from windlass.scheduler.simulate.baselines import POLICIES, policy_named
from windlass.scheduler.simulate.engine import Outcome, Simulation
from windlass.scheduler.simulate.measures import compare, measure
from windlass.scheduler.simulate.report import html
from windlass.scheduler.simulate.workload import Scenario

NODES = traces.FULL_NODES
PERIOD = 10.0  # seconds between cycles


def live_through(scenario: Scenario, policy: str, period: float) -> tuple[Outcome, float]:
    began = time.process_time()
    outcome = Simulation(scenario, policy_named(policy), period=period).run()
    outcome.records.on_sample = None  # it belongs to the simulation, which stays here
    return outcome, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trace", default="mode-b", choices=traces.NAMES)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--jobs", type=int, help="as many a node as 21,649 for 5,000 nodes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--period", type=float, default=PERIOD)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--policy", action="append", help="only this one; repeatable")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    jobs = given.jobs or traces.FULL_JOBS * given.nodes // traces.FULL_NODES
    scenario = traces.scenario(given.trace, given.nodes, jobs, given.seed, at_once=given.at_once)
    names = given.policy or [policy.name for policy in POLICIES]
    with ProcessPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(live_through, *zip(*[(scenario, name, given.period) for name in names], strict=True)))
    outcomes = [outcome for outcome, _ in found]
    measured = compare([measure(outcome) for outcome in outcomes])
    print_table(scenario, measured)
    for name, (outcome, took) in zip(names, found, strict=True):
        print(f"{name}: {outcome.records.cycles} cycles, {outcome.records.binds} binds, {took:.0f} s of processor time")
    if given.report:
        given.report.write_text(html(outcomes, measured))
    if given.json:
        given.json.write_text(json.dumps([one.as_json() for one in measured], indent=2))


if __name__ == "__main__":
    main()
