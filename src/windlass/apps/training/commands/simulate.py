"""`windlass simulate`: how a workload would run on a cluster, under one or several scheduling policies."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlass.cli.common_options import OUTPUT
from windlass.cli.failure import Failure
from windlass.cli.option_types import Number, WholeNumber
from windlass.cli.settings import ClusterFlags, takes

if TYPE_CHECKING:
    from windlass.scheduler.framework.conf import Conf
    from windlass.scheduler.simulate.baselines import Policy
    from windlass.scheduler.simulate.engine import Outcome
    from windlass.scheduler.simulate.measures import Measures, Waits
    from windlass.scheduler.simulate.workload import Scenario

POLICIES = ("pod-by-pod", "fifo-gang", "volcano", "windlass")
TRACES = ("mode-a", "mode-b", "alibaba-2023", "philly", "helios", "pai")
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("description", type=FILE, required=False)
@click.option(
    "--trace", type=click.Choice(TRACES), help="Generate a workload from published statistics instead of a DESCRIPTION."
)
@click.option("--nodes", type=WholeNumber(1), metavar="N", help="Number of nodes, for --trace.  [100]")
@click.option("--jobs", type=WholeNumber(1), metavar="N", help="Number of jobs, for --trace.  [4 per node]")
@click.option("--at-once", is_flag=True, help="Submit all jobs of the trace at the start, without failures.")
@click.option("--seed", type=WholeNumber(0), metavar="N", help="Seed of the random numbers.  [0]")
@click.option("--policy", "policies", multiple=True, type=click.Choice(POLICIES), help="Only this policy; repeatable.")
@click.option("--scheduler-conf", type=FILE, metavar="FILE", help="Also compare your own volcano-scheduler.conf.")
@click.option(
    "--period", type=Number(min=0.1), default=1.0, metavar="S", help="Seconds between scheduling cycles.  [1]"
)
@click.option("--from-cluster", is_flag=True, help="Use the nodes, pods, pod groups and queues of a running cluster.")
@click.option(
    "--add", type=FILE, metavar="FILE", help="With --from-cluster: a job's manifest. Prints when it would start."
)
@click.option("--namespace", metavar="NAME", help="Namespace of that job, if its manifest sets none.  [default]")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write plots as HTML.")
@OUTPUT
@takes(ClusterFlags)
def simulate(
    settings: ClusterFlags,
    description: Path | None,
    trace: str | None,
    policies: tuple[str, ...],
    scheduler_conf: Path | None,
    period: float,
    from_cluster: bool,
    add: Path | None,
    namespace: str | None,
    report: Path | None,
    output: str,
    **trace_options: int | None,
) -> None:
    """Simulate a workload on a described cluster.

    The real scheduler decides, in virtual time: jobs arrive, wait, start, lose pods and finish, and policies are
    compared side by side. DESCRIPTION is YAML, or a CSV of jobs. With --from-cluster and --add, prints when a job would
    start on a running cluster.
    """
    if from_cluster or add is not None:
        if not from_cluster or add is None or description is not None or trace is not None or report is not None:
            raise Failure(
                "--from-cluster and --add FILE require each other, and exclude DESCRIPTION, --trace and --report"
            )
        from windlass.apps.training.commands.simulate_cluster import print_forecast

        print_forecast(settings, add, namespace, _read_conf(scheduler_conf), output)
        return
    scenario = _scenario(description, trace, trace_options)
    outcomes = [_simulate(scenario, policy, period, output) for policy in _policies(policies, scheduler_conf)]
    from windlass.scheduler.simulate.measures import compare, measure

    measured = compare([measure(outcome) for outcome in outcomes])
    if report is not None:
        _write_report(report, outcomes, measured)
    if output == "json":
        click.echo(json.dumps([one.as_json() for one in measured], indent=2))
    else:
        print_table(scenario, measured)
        if report is not None:
            click.echo(f"Wrote the report to {report}.")


def _scenario(description: Path | None, trace: str | None, trace_options: "dict[str, int | None]") -> "Scenario":
    from windlass.scheduler.simulate import description as described
    from windlass.scheduler.simulate import traces
    from windlass.scheduler.simulate.yaml_positions import BadDescription

    nodes, jobs, seed = trace_options["nodes"], trace_options["jobs"], trace_options["seed"]
    if (description is None) == (trace is None):
        raise Failure("nothing to simulate: give a DESCRIPTION, or --trace with one of " + ", ".join(TRACES))
    if trace is not None:
        nodes = nodes or described.SMALL
        return traces.scenario(trace, nodes, jobs or 4 * nodes, seed or 0, at_once=bool(trace_options["at_once"]))
    assert description is not None
    if jobs is not None or trace_options["at_once"]:
        raise Failure("--jobs and --at-once require --trace: a DESCRIPTION lists its own jobs")
    try:
        return described.read(description, seed=seed, nodes=nodes)
    except BadDescription as error:
        raise Failure(str(error)) from error


def _policies(names: Sequence[str], conf: Path | None) -> "list[Policy]":
    from windlass.scheduler.simulate import baselines

    found = [baselines.policy_named(name) for name in dict.fromkeys(names or POLICIES)]
    own = _read_conf(conf)
    return found if own is None else [*found, baselines.own(own)]


def _read_conf(path: Path | None) -> "Conf | None":
    from windlass.scheduler.cycle.gang_cycle import read_conf
    from windlass.scheduler.framework.conf import BadConf

    if path is None:
        return None
    try:
        found = read_conf(path.read_text())
    except (BadConf, OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path}: {error}") from error
    for warning in found.warnings:
        click.echo(f"{path}: {warning}", err=True)
    return found


def _simulate(scenario: "Scenario", policy: "Policy", period: float, output: str) -> "Outcome":
    from windlass.scheduler.simulate.engine import Simulation

    simulation = Simulation(scenario, policy, period=period)
    if output == "json" or not sys.stderr.isatty():
        return simulation.run()
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:18}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(policy.title, total=len(scenario.jobs))
        return simulation.run(lambda done, total: bar.update(task, completed=done, total=total))


def _write_report(path: Path, outcomes: "list[Outcome]", measured: "list[Measures]") -> None:
    from windlass.scheduler.simulate.report import html

    try:
        path.write_text(html(outcomes, measured))
    except OSError as error:
        raise Failure(f"the report cannot be written to {path}: {error.strerror}") from error


def print_table(scenario: "Scenario", measured: "Sequence[Measures]") -> None:
    from rich.console import Console
    from rich.table import Table

    from windlass.scheduler.simulate.measures import BARS, meets
    from windlass.scheduler.simulate.report import NONE, shown

    nodes = sum(kind.count for kind in scenario.nodes)
    table = Table(
        title=f"{scenario.name}: {_many(nodes, 'node')}, {_many(len(scenario.jobs), 'job')}", title_justify="left"
    )
    table.add_column("")
    for one in measured:
        table.add_column(one.title, justify="right")
    table.add_column("bar", justify="right", style="dim")
    for field, title, bar, less in BARS:
        cells = [(shown(getattr(one, field)), meets(field, getattr(one, field), bar, less=less)) for one in measured]
        coloured = [text if text == NONE else f"[{'green' if good else 'red'}]{text}[/]" for text, good in cells]
        table.add_row(title, *coloured, f"{'≤' if less else '≥'} {shown(bar)}")
    table.add_section()
    table.add_row("jobs done", *[f"{one.done:,} of {one.jobs:,}" for one in measured], "")
    table.add_row("GPUs held by half gangs", *[f"{one.idle_held:.1%}" for one in measured], "")
    table.add_row("makespan", *[f"{one.makespan / 3600:,.1f} h" for one in measured], "")
    table.add_row("mean wait", *[f"{one.mean_wait:,.0f} s" for one in measured], "")
    for waits in measured[0].waits:
        cells = [next((w for w in one.waits if w.width == waits.width), None) for one in measured]
        table.add_row(f"p95 wait, {waits.pods}", *[_wait_of(w) for w in cells], "")
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _wait_of(waits: "Waits | None") -> str:
    if waits is None:
        return "–"
    never = f"{waits.never:,} never" if waits.never else ""
    return never if waits.never == waits.jobs else ", ".join(filter(None, (f"{waits.p95:,.0f} s", never)))
