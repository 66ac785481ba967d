"""`windlass get-started`: a few lines about the current state, and the commands to run next."""

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from windlass.apis.user_error import UserError
from windlass.apps.training.jobs.state.job_state import Row
from windlass.cli import screen
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags, Settings, data_dir_at, takes
from windlass.supervisor import node_facts, run_state

if TYPE_CHECKING:
    from windlass.kube.client import Client


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The state that decides which commands to suggest."""

    running: bool
    kubectl: bool
    problems: tuple[str, ...] = ()
    jobs: tuple[Row, ...] = ()
    kubeconfig: str = ""


@dataclass(frozen=True)
class Step:
    """A sentence, and the commands that belong to it."""

    text: str
    commands: tuple[str, ...] = ()


@click.command("get-started")
@takes(Settings)
def get_started(settings: Settings) -> None:
    """Suggest what to do next on this machine."""
    for number, step in enumerate(steps(gather(settings), screen.program_name()), 1):
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
    from windlass.apps.training.jobs.state.listing import list_jobs

    async def work(client: "Client") -> list[Row]:
        return await list_jobs(client, "")

    try:
        return tuple(with_client(ClusterFlags(data_dir=settings.data_dir), work))
    except (Failure, UserError):
        return ()


def steps(facts: Facts, program: str) -> list[Step]:
    """The suggestions for this state; `program` is how to call windlass from here."""
    if not facts.running:
        return [
            Step("Watch a demo first, if you like: it starts, trains and cleans up by itself.", (f"{program} demo",)),
            Step("Start Windlass. It runs until you stop it.", (f"{program} up --detach",)),
            Step("Then run this command again.", (f"{program} get-started",)),
        ]
    guide = [Step(f"Windlass is running, but {screen.one_line(problem)}") for problem in facts.problems]
    if not facts.jobs:
        guide.append(
            Step(
                "Windlass is running. Train with your script; the files of its folder are sent with it.",
                _first_run(program),
            )
        )
        guide.append(Step("Preview the manifest, which works on any cluster.", (_dry_run(program),)))
    else:
        guide.append(_about_jobs(facts, program))
        guide.append(Step("Train with your script; the files of its folder are sent with it.", _first_run(program)))
    guide.append(_with_kubectl(facts))
    guide.append(Step("Stop Windlass when you are done. Objects are kept.", (f"{program} down",)))
    return guide


def _first_run(program: str) -> tuple[str, ...]:
    return (f"{program} run train.py", f"{program} run --workers 2 train.py -- --epochs 3")


def _dry_run(program: str) -> str:
    return f"{program} run --workers 2 --dry-run train.py"


def _about_jobs(facts: Facts, program: str) -> Step:
    last = facts.jobs[-1]
    active = sum(one.state not in ("Succeeded", "Failed") for one in facts.jobs)
    many = "is 1 training job" if len(facts.jobs) == 1 else f"are {len(facts.jobs)} training jobs"
    where = "" if last.namespace == "default" else f" -n {last.namespace}"
    commands = (f"{program} jobs -A", f"{program} logs job/{last.name}{where}")
    return Step(f"There {many}, {active} of them active; the latest, {last.name}, is {last.state}.", commands)


def _with_kubectl(facts: Facts) -> Step:
    if not facts.kubectl:
        return Step("kubectl is not on the PATH. Once it is installed, it works with Windlass.")
    return Step("kubectl works as well.", (f"export KUBECONFIG={facts.kubeconfig}", "kubectl get pods -A"))
