"""`windlass demo`: a temporary Windlass on which two workers train a network on handwritten digits."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.names import FIRST_PROFILE
from windlass.apps.training.commands.demo.demo_environment import BACKENDS, SCRIPTS, Backend, build_first, candidates
from windlass.apps.training.commands.demo.demo_page import JobPage, checked_page, opened_page
from windlass.apps.training.commands.demo.demo_progress import Progress
from windlass.apps.training.commands.demo.demo_screen import Clock, Screen, for_terminal
from windlass.apps.training.commands.folder import pack_folder
from windlass.apps.training.commands.job_screen import table
from windlass.apps.training.jobs.state.follow import Follower
from windlass.apps.training.jobs.state.listing import list_jobs
from windlass.apps.training.jobs.submit.framework_templates import FRAMEWORK_TEMPLATES, Size
from windlass.apps.training.jobs.submit.manifest import RunRequest, manifests
from windlass.apps.training.jobs.submit.submit import PreparedJob, submit
from windlass.cli import screen
from windlass.cli.connection import with_client
from windlass.cli.detach import start_detached
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import UpSettings
from windlass.cli.settings import ClusterFlags, DemoSettings, data_dir_at, takes
from windlass.cli.up import with_gateway
from windlass.gateway.identity.users import FIRST_EMAIL
from windlass.kube import errors
from windlass.kube.json import dig, dig_list
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.supervisor import node_facts, ports
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.stop import stop

if TYPE_CHECKING:
    from windlass.kube.client import Client

NAME, NAMESPACE = "digits", FIRST_PROFILE
GANGS: dict[str, Any] = {"gang_scheduler_name": "volcano"}
"""The flag of the training app with which its pods are scheduled as a gang."""
MIN_ACCURACY = 0.9
"""On the test digits; an untrained network reaches 0.1."""
JOB_TIMEOUT_SECONDS = 600.0  # seconds for the job, however slow the machine is
PROFILE_TIMEOUT_SECONDS = 60.0
POLL_INTERVAL_SECONDS = 0.2


@dataclass(frozen=True)
class Started:
    """The demo's Windlass, and how to sign in."""

    data: DataDir
    gateway_url: str
    password: str | None
    """None on a data dir that has users already."""


@click.command()
@click.option(
    "--framework",
    type=click.Choice([one.name for one in BACKENDS]),
    help="Training framework.  [default: the first of these that can be installed here]",
)
@click.option("--keep", is_flag=True, help="Leave it running, with its data, when the demo is over.")
@takes(DemoSettings)
@click.pass_context
def demo(ctx: click.Context, settings: DemoSettings, framework: str | None, keep: bool) -> None:
    """Start a temporary Windlass, train on it and show the progress.

    Two workers train one network on handwritten digits, as a TFJob; if TensorFlow cannot be installed, with PyTorch or
    NumPy. Uses a temporary data dir and free ports, so it does not affect a running Windlass. In a terminal it opens
    the job on the dashboard and keeps running until Enter is pressed; elsewhere it checks that page, stops and cleans
    up at once.
    """
    chosen = settings.data_dir if ctx.get_parameter_source("data_dir") is ParameterSource.COMMANDLINE else None
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    clock = Clock()
    with running_windlass(chosen, settings, keep=keep) as started:
        data = started.data
        clock.lap("start")
        print_login(started)
        train(started, settings, framework, clock, live=sys.stdout.isatty(), interactive=interactive)
        suggest(data, stays=keep or interactive)
        if keep:
            click.echo(
                f"\nIt keeps running. Stop it: {screen.program_name()} down --data-dir {screen.quoted(data.root)}"
            )
        elif interactive:
            with suppress(click.Abort):  # Ctrl-C means the same
                click.prompt("\nPress Enter to stop and remove it", default="", show_default=False, prompt_suffix=" ")
    if not keep:
        click.echo(
            f"\nStopped and removed. Start your own: {click.style(f'{screen.program_name()} up --detach', bold=True)}"
        )
        click.echo("Next steps: docs/getting-started.md, docs/training-cli.md")


@contextmanager
def running_windlass(chosen: Path | None, settings: DemoSettings, *, keep: bool) -> Iterator[Started]:
    data = data_dir_at(chosen or Path(tempfile.mkdtemp(prefix="windlass-demo-")))
    data.prepare()
    try:
        port = ports.choose_port("127.0.0.1", 0, command="windlass demo")
        up = UpSettings(
            data_dir=data.root,
            port=port,
            runtime=settings.runtime,
            images_dir=settings.images_dir,
            gateway_port=0,
        )
        up = replace(up, **GANGS)
        up, gateway_url, password = with_gateway(up, data)
        start_detached(up, data)
        yield Started(data, gateway_url, password)
    except BaseException as error:
        stop(data, timeout=45)
        if chosen is None:
            _remove_data(data, everything=isinstance(error, KeyboardInterrupt | click.Abort))
        raise
    if not keep:
        stop(data, timeout=45)
        if chosen is None:
            _remove_data(data, everything=True)


def _remove_data(data: DataDir, *, everything: bool) -> None:
    """After a failure, keep the logs, which its message may name, but not the environments, which are large."""
    shutil.rmtree(data.root if everything else data.root / "node", ignore_errors=True)


def print_login(started: Started) -> None:
    click.echo(f"\n  Dashboard   {click.style(started.gateway_url, fg='cyan')}")
    if started.password is not None:
        email = click.style(FIRST_EMAIL, fg="cyan")
        click.echo(f"  Sign in     {email}  {click.style(started.password, bold=True)}")


def runs_plain_processes(data: DataDir) -> bool:
    facts = node_facts.load(data)
    return facts is not None and facts.runtime == "process"


def train(
    started: Started, settings: DemoSettings, framework: str | None, clock: Clock, *, live: bool, interactive: bool
) -> None:
    """Build an environment, train and report the accuracy; raises a Failure if the training failed."""
    data, progress = started.data, Progress()
    with for_terminal(progress, live=live) as shown:
        backend = build_first(
            data,
            candidates(framework),
            settings.images_dir,
            begin=lambda one: shown.step(f"Building the environment of {one.title}: {', '.join(one.packages)}"),
            progress=lambda line: shown.working(line.strip()),
            give_up=lambda one, why: shown.step(f"{one.title} cannot be installed here: {why}"),
        )
        clock.lap("environment")
        single_worker = runs_plain_processes(data)
        if single_worker:
            shown.step("Pods are plain processes here and share the machine's ports and files, so one worker trains.")
        plan = prepare_job(backend, single_worker=single_worker)
        shown.step(f"Submitting {plan.manifests[1]['kind']} {NAME}, with {workers(single_worker)}")
        flags = ClusterFlags(data_dir=data.root)
        page = JobPage(plan.manifests[1]["kind"], NAMESPACE, NAME)
        visited = (opened_page if interactive else checked_page)(data, page, shown)
        timed = Timed(shown, progress, clock)
        code, rows = with_client(flags, lambda client: follow(client, plan, timed, visited))
        clock.lap("training")
    report(progress, clock, code, rows, f"{workers(single_worker)}, with {backend.title}")


def workers(single_worker: bool) -> str:
    return "one worker" if single_worker else "two workers that train one network together"


def prepare_job(backend: Backend, *, single_worker: bool) -> PreparedJob:
    """The job that `windlass run --workers 2 train_tensorflow.py` would make from the demo's scripts."""
    archive = pack_folder(SCRIPTS)
    size = Size(workers=1 if single_worker else 2)
    request = RunRequest(name=NAME, script=backend.script, archive=archive, size=size, image=backend.image)
    made = manifests(FRAMEWORK_TEMPLATES[backend.framework], request)
    return PreparedJob(
        name=NAME, why="", archive=archive, manifests=[made[0], in_place(made[1])] if single_worker else made
    )


def in_place(job: dict[str, Any]) -> dict[str, Any]:
    """The same job for plain processes, which read the scripts in place and have no /workspace."""
    specs = next(value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs"))
    for role in specs.values():
        pod = role["template"]["spec"]
        (main,) = pod["containers"]
        command = [str(SCRIPTS / word) if word.endswith(".py") else word for word in main["command"]]
        role["template"]["spec"] = {"containers": [{"name": main["name"], "image": main["image"], "command": command}]}
    return job


async def follow(
    client: "Client", plan: PreparedJob, shown: "Timed", visited: AbstractAsyncContextManager[None]
) -> tuple[int, list[str]]:
    """The job's exit code, and the table of jobs at its end."""
    await profile_ready(client)
    kind, _ = await submit(client, plan, NAMESPACE)
    try:
        async with asyncio.timeout(JOB_TIMEOUT_SECONDS), visited:
            code = await Follower(client, kind, Key(NAMESPACE, NAME), shown).run()
    except TimeoutError:
        raise Failure(f"the job is not done after {JOB_TIMEOUT_SECONDS:.0f} s") from None
    return code, table(await list_jobs(client, NAMESPACE), namespaces=False)


async def profile_ready(client: "Client") -> None:
    """Wait until the first user's namespace can be used, by the user too."""
    try:
        async with asyncio.timeout(PROFILE_TIMEOUT_SECONDS):
            while True:
                if await _is_ready(client):
                    return
                await asyncio.sleep(POLL_INTERVAL_SECONDS)
    except TimeoutError:
        raise Failure(f"the profile {NAMESPACE} is not ready after {PROFILE_TIMEOUT_SECONDS:.0f} s") from None


async def _is_ready(client: "Client") -> bool:
    try:
        profile = await client.get(KINDS.of(Profile), NAMESPACE)
    except errors.NotFound:
        return False
    conditions = dig_list(profile, "status", "conditions")
    return any(dig(one, "type") == "Ready" and dig(one, "status") == "True" for one in conditions)


class Timed:
    """Forwards everything to the screen, and measures the time until all replicas run."""

    def __init__(self, shown: Screen, progress: Progress, clock: Clock) -> None:
        self._shown, self._progress, self._clock = shown, progress, clock
        self.step, self.working, self.line, self.note = shown.step, shown.working, shown.line, shown.note

    def running(self, text: str) -> None:
        """Leave the text out: `seen` says that the replicas run, with how long it took."""

    def update(self, job: dict[str, Any] | None, pods: list[dict[str, Any]]) -> None:
        self._shown.update(job, pods)
        total = self._progress.total
        if "replicas" not in self._clock.phases and self._progress.ready == total > 0:
            took = self._clock.lap("replicas")
            self._shown.working(f"gang of {total}: all replicas run after {took:.1f} s")


def report(progress: Progress, clock: Clock, code: int, rows: list[str], by: str) -> None:
    click.echo()
    for line in rows:
        click.echo(f"  {line}")
    if code != 0 or progress.accuracy is None:
        raise Failure(f"the job {NAME} did not succeed (exit code {code}): the last lines of its replicas are above")
    click.echo(
        f"\n{click.style(f'{progress.accuracy:.1%}', fg='green', bold=True)} of unseen digits are recognized, "
        f"trained by {by}."
    )
    words = {"start": "Windlass", "environment": "environment", "replicas": "replicas", "training": "training"}
    phases = ", ".join(f"{words[name]} {seconds:.1f} s" for name, seconds in clock.phases.items())
    click.echo(f"It took {sum(clock.phases.values()):.0f} s: {phases}.")
    if progress.accuracy < MIN_ACCURACY:
        raise Failure(f"an accuracy of {progress.accuracy:.1%} is lower than expected")


def suggest(data: DataDir, *, stays: bool) -> None:
    program, where = screen.program_name(), screen.quoted(data.root)
    click.echo("\nNext, in a folder with a training script:")
    click.echo(f"  {program} run --workers 2 --dry-run train.py   # print the manifest, for any cluster")
    click.echo(f"  {program} run --workers 2 train.py             # train here, with all logs in this terminal")
    if stays:
        click.echo("On this Windlass, while it runs:")
        click.echo(f"  {program} open --data-dir {where}   # the dashboard, signed in")
        click.echo(f"  {program} logs job/{NAME} -n {NAMESPACE} --data-dir {where}")
        click.echo(f"  kubectl --kubeconfig {screen.quoted(data.kubeconfig)} get all -n {NAMESPACE}")
