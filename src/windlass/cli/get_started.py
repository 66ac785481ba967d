"""`windlass get-started`: a few lines about what is there, and the commands to type next."""

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from windlass.cli import screen
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags, Settings, data_dir_at, takes
from windlass.jobs.state.job_state import Row
from windlass.supervisor import node_facts, run_state

if TYPE_CHECKING:
    from windlass.kube.client import Client


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What decides which commands come next."""

    running: bool
    kubectl: bool
    problems: tuple[str, ...] = ()
    jobs: tuple[Row, ...] = ()
    kubeconfig: str = ""


@dataclass(frozen=True)
class Step:
    """A sentence, and the commands that it leads to."""

    text: str
    commands: tuple[str, ...] = ()


@click.command("get-started")
@takes(Settings)
def get_started(settings: Settings) -> None:
    """Say what to do next on this machine."""
    for number, step in enumerate(steps(gather(settings), screen.own_name()), 1):
        click.echo(f"{number}. {step.text}")
        for command in step.commands:
            click.echo(f"     {click.style(command, bold=True)}")


def gather(settings: Settings) -> Facts:
    data = data_dir_at(settings.data_dir)
    now = run_state.running(data)
    if now is None or now.phase != "ready":
        return Facts(running=False, kubectl=shutil.which("kubectl") is not None)
    return Facts(
        running=True,
        kubectl=shutil.which("kubectl") is not None,
        problems=node_facts.problems(data),
        jobs=_jobs(settings),
        kubeconfig=str(data.kubeconfig),
    )


def _jobs(settings: Settings) -> tuple[Row, ...]:
    from windlass.jobs.errors import JobsError
    from windlass.jobs.state.listing import list_jobs
    from windlass.supervisor.errors import SupervisorError

    async def work(client: "Client") -> list[Row]:
        return await list_jobs(client, "")

    try:
        return tuple(with_client(ClusterFlags(data_dir=settings.data_dir), work))
    except (Failure, JobsError, SupervisorError):
        return ()


def steps(facts: Facts, me: str) -> list[Step]:
    """The guide for this state of things; `me` is how the program is called from here."""
    if not facts.running:
        return [
            Step("See it at work first, if you like: this starts, trains and cleans up by itself.", (f"{me} demo",)),
            Step("Start Windlass. It stays until you stop it.", (f"{me} up --detach",)),
            Step("Then ask again what comes next.", (f"{me} get-started",)),
        ]
    found = [Step(f"Windlass runs, but {screen.one_line(problem)}") for problem in facts.problems]
    if not facts.jobs:
        found.append(Step("Windlass runs. Train a script of yours; its folder goes with it.", _first_run(me)))
        found.append(Step("See what it would submit: a manifest that any cluster takes.", (_dry_run(me),)))
    else:
        found.append(_about_jobs(facts, me))
        found.append(Step("Train a script of yours; its folder goes with it.", _first_run(me)))
    found.append(_with_kubectl(facts))
    found.append(Step("Stop it, when you are done. Objects stay.", (f"{me} down",)))
    return found


def _first_run(me: str) -> tuple[str, ...]:
    return (f"{me} run train.py", f"{me} run --workers 2 train.py -- --epochs 3")


def _dry_run(me: str) -> str:
    return f"{me} run --workers 2 --dry-run train.py"


def _about_jobs(facts: Facts, me: str) -> Step:
    last = facts.jobs[-1]
    living = sum(one.state not in ("Succeeded", "Failed") for one in facts.jobs)
    many = "is 1 training job" if len(facts.jobs) == 1 else f"are {len(facts.jobs)} training jobs"
    where = "" if last.namespace == "default" else f" -n {last.namespace}"
    looks = (f"{me} jobs -A", f"{me} logs job/{last.name}{where}")
    return Step(f"There {many}, {living} of them under way; the last, {last.name}, is {last.state}.", looks)


def _with_kubectl(facts: Facts) -> Step:
    if not facts.kubectl:
        return Step("There is no kubectl on the PATH. With one, all of Kubernetes' commands work here too.")
    return Step("Everything works with kubectl, too.", (f"export KUBECONFIG={facts.kubeconfig}", "kubectl get pods -A"))
