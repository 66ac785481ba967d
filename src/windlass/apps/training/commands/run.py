"""`windlass run`: run a script as a distributed training job, with its folder, and follow its logs."""

import asyncio
import json
import secrets
import signal
import string
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.apps.training.commands.folder import FolderTooLarge, pack_folder
from windlass.apps.training.commands.job_screen import LineReporter
from windlass.apps.training.jobs.state.job_state import pod_names, short_name
from windlass.apps.training.jobs.submit import folder_archive, framework_guess, package_index
from windlass.apps.training.jobs.submit.framework_templates import FRAMEWORK_TEMPLATES, FrameworkTemplate, Size
from windlass.apps.training.jobs.submit.manifest import Install, RunRequest, manifests, name_for
from windlass.apps.training.jobs.submit.packages import Packages, join_names
from windlass.apps.training.jobs.submit.requirements import InstallPlan, plan_install
from windlass.apps.training.jobs.submit.submit import PreparedJob, submit
from windlass.cli import screen
from windlass.cli.connection import kubectl_command, namespace_of, windlass_flags, with_client
from windlass.cli.failure import Failure
from windlass.cli.option_types import Amount, JobName, WholeNumber
from windlass.cli.settings import ClusterFlags, takes
from windlass.formats import yaml_writer
from windlass.kube.meta import Key
from windlass.kube.signals import on_signals

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.kube.kind import Kind

INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended
SUFFIX = string.ascii_lowercase + string.digits


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--framework",
    type=click.Choice(list(FRAMEWORK_TEMPLATES)),
    help="Training framework.  [default: from the script's imports]",
)
@click.option("--workers", type=WholeNumber(1), default=1, metavar="N", help="Number of workers.  [default: 1]")
@click.option(
    "--ps", type=WholeNumber(0), default=0, metavar="N", help="Number of parameter servers (TensorFlow, MXNet)."
)
@click.option("--gpus", type=WholeNumber(0), default=0, metavar="N", help="GPUs (nvidia.com/gpu) per worker.")
@click.option(
    "--cpu",
    type=Amount("2", "500m"),
    metavar="AMOUNT",
    help="CPU limit per replica, as a Kubernetes quantity: 2, 500m.",
)
@click.option("--memory", type=Amount("4Gi", "512Mi"), metavar="AMOUNT", help="Memory limit per replica: 4Gi.")
@click.option(
    "--env",
    "requirements",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="requirements.txt that each replica installs with pip before it starts.",
)
@click.option("--no-install", is_flag=True, help="Install nothing: the image has everything that the script imports.")
@click.option("--image", metavar="NAME", help="Image of all replicas.  [default: one with the framework]")
@click.option(
    "--name", type=JobName(), metavar="NAME", help="Name of the job.  [default: the script's name with a random suffix]"
)
@click.option("-n", "--namespace", metavar="NAME", help="Namespace of the job.  [default: that of the kubeconfig]")
@click.option("--detach", is_flag=True, help="Return when the job is submitted.")
@click.option("--follow", is_flag=True, help="Follow the replicas' logs until the job ends (the default).")
@click.option("--dry-run", is_flag=True, help="Print the manifests for kubectl apply, and submit nothing.")
@click.option(
    "-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", help="Output format with --dry-run."
)
@takes(ClusterFlags)
@click.pass_context
def run(ctx: click.Context, settings: ClusterFlags, script: Path, args: tuple[str, ...], **options: Any) -> None:
    """Run a script as a distributed training job.

    SCRIPT and the files of the working folder are sent to the pods; what follows -- are its ARGS. The framework is
    detected from the script's imports; packages that it declares or imports are installed. Exits with the exit code of
    the job; Ctrl-C asks whether to stop it or to leave it running.
    """
    if options["detach"] and options["follow"]:
        raise click.UsageError("--detach and --follow are mutually exclusive")
    plan = prepare(script, args, dry_run=options["dry_run"], **{key: options[key] for key in PREPARED})
    click.echo(f"{plan.why} Its files: {screen.size(len(plan.archive))} packed.", err=True)
    if options["dry_run"]:
        click.echo(dump(plan.manifests, options["output"]), nl=False)
        return
    if plan.guessed:
        check_packages(script, plan.guessed)
    where = namespace_of(settings, options["namespace"])
    ctx.exit(with_client(settings, lambda client: _submit(client, settings, plan, where, follow=not options["detach"])))


PREPARED = (
    *("framework", "workers", "ps", "gpus", "cpu", "memory", "requirements", "no_install", "image", "name"),
    "namespace",
)


def prepare(script: Path, args: tuple[str, ...], *, dry_run: bool, **options: Any) -> PreparedJob:
    folder, archive, note = pack_files(script)
    framework, why = choose_framework(options["framework"], script, folder)
    if options["ps"] and framework not in ("tensorflow", "mxnet"):
        raise click.UsageError(f"--ps: only TensorFlow and MXNet have parameter servers. {why}")
    shipped = {one.name for one in folder_archive.collect(folder)}
    name = options["name"] or name_for(script.name) + ("" if dry_run else f"-{random_suffix()}")
    plan = install_plan(script, folder, shipped, FRAMEWORK_TEMPLATES[framework], **options)
    request = RunRequest(
        name=name,
        namespace=options["namespace"] or "",
        script=path_in_archive(script, folder, shipped),
        args=args,
        archive=archive,
        size=Size(workers=options["workers"], ps=options["ps"], gpus=options["gpus"]),
        image=options["image"] or "",
        install=plan.install,
        cpu=options["cpu"] or "",
        memory=options["memory"] or "",
    )
    return PreparedJob(
        name=name,
        why=why + plan.message + note,
        archive=archive,
        manifests=manifests(FRAMEWORK_TEMPLATES[framework], request),
        guessed=plan.install.absent,
    )


def install_plan(
    script: Path, folder: Path, shipped: set[str], template: FrameworkTemplate, **options: Any
) -> InstallPlan:
    if options["no_install"] and options["requirements"]:
        raise click.UsageError("--env and --no-install are mutually exclusive")
    if options["requirements"]:
        return InstallPlan(install=Install(file=path_in_archive(options["requirements"], folder, shipped)))
    if options["no_install"]:
        return InstallPlan()
    preinstalled = () if options["image"] else template.modules
    return plan_install(script.absolute(), folder, preinstalled, lambda file: path_in_archive(file, folder, shipped))


def check_packages(script: Path, packages: Packages) -> None:
    """Raise a Failure for packages that the index does not have, and warn if it cannot be reached."""
    answer = package_index.check(sorted({package for _, package in packages}))
    if answer.unknown:
        modules = [module for module, package in packages if package in answer.unknown]
        raise Failure(
            f"{script.name} imports {join_names(modules)}, which is neither a file in its folder nor a package in the "
            f"package index. List the packages that it needs in requirements.txt or --env FILE, or, if the image has "
            f"it, use --no-install"
        )
    if answer.unreachable:
        names = join_names(sorted({package for _, package in packages}))
        click.echo(
            f"warning: the package index cannot be reached from here. If the pods cannot reach it either, and their "
            f"image lacks {names}, the job will fail. An image that has them: windlass images add NAME --package …, "
            f"then --image NAME",
            err=True,
        )


def pack_files(script: Path) -> tuple[Path, bytes, str]:
    """The folder that is sent to the pods, its archive, and a note for the user.

    That is the current folder, or the script's own folder if it is elsewhere or the current one is too large.
    """
    here, own = Path.cwd(), script.absolute().parent
    if own == here or not own.is_relative_to(here):
        return own, pack_folder(own), ""
    try:
        return here, pack_folder(here), ""
    except Failure as error:
        packed = pack_folder(own)
        why = error.problem if isinstance(error, FolderTooLarge) else error.message
        return own, packed, f" Only {own.relative_to(here)} goes into the pods: {why}."


def path_in_archive(file: Path, folder: Path, shipped: set[str]) -> str:
    """The path of a file inside the pods. Raises a Failure if it is not sent."""
    absolute = file.absolute()
    if not absolute.is_relative_to(folder):
        raise Failure(f"{file} is outside {folder}, the folder that is sent to the pods")
    name = absolute.relative_to(folder).as_posix()
    if name not in shipped:
        raise Failure(f"{name} is left out by .gitignore or .windlassignore. Add a line !/{name} to .windlassignore")
    return name


def choose_framework(chosen: str | None, script: Path, folder: Path) -> tuple[str, str]:
    """The framework, and a sentence that explains which kind of job that gives."""
    if chosen:
        return chosen, f"{script.name} becomes {with_article(FRAMEWORK_TEMPLATES[chosen].kind)}."
    guessed = framework_guess.guess(script.absolute(), folder)
    if guessed is None:
        kind = FRAMEWORK_TEMPLATES["python"].kind
        return "python", (
            f"{script.name} imports no training framework, so it runs as plain Python, in {with_article(kind)} with "
            f"the variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. To choose a framework: --framework."
        )
    framework, module = guessed
    return (
        framework,
        f"{script.name} imports {module}, so it becomes {with_article(FRAMEWORK_TEMPLATES[framework].kind)}.",
    )


def with_article(kind: str) -> str:
    """The kind with its article: an MPIJob, a TFJob."""
    return f"{'an' if kind[0] in 'MX' else 'a'} {kind}"


def random_suffix() -> str:
    return "".join(secrets.choice(SUFFIX) for _ in range(5))


def dump(objects: list[dict[str, Any]], output: str) -> str:
    """Format objects for kubectl: YAML documents, or one List in JSON."""
    if output == "json":
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2) + "\n"
    return yaml_writer.write_manifests(objects, explicit_start=False)


async def _submit(client: "Client", settings: ClusterFlags, plan: PreparedJob, namespace: str, *, follow: bool) -> int:
    from windlass.apps.training.jobs.state.follow import Follower

    kind, job = await submit(client, plan, namespace)
    click.echo(f"{kind.name.lower()}/{plan.name} submitted to namespace {namespace}.", err=True)
    if not follow:
        _print_next_commands(settings, kind, plan.name, namespace)
        return 0
    names = [short_name(pod, plan.name) for pod in pod_names(job)]
    key = Key(namespace, plan.name)
    following = asyncio.ensure_future(Follower(client, kind, key, LineReporter(names)).run())
    interrupt = Interrupt()
    while True:
        await asyncio.wait((following, interrupt.future()), return_when=asyncio.FIRST_COMPLETED)
        if following.done():
            return following.result()
        match interrupt.ask():
            case "stop":
                following.cancel()
                await client.delete(kind, key, propagation="Background")
                click.echo(f"{kind.name.lower()}/{plan.name} deleted.", err=True)
                return INTERRUPTED
            case "detach":
                following.cancel()
                _print_next_commands(settings, kind, plan.name, namespace)
                return 0
            case _:
                continue


class Interrupt:
    """Ctrl-C as a future, and the question that follows it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[None] = self._loop.create_future()
        on_signals(self._loop, [signal.SIGINT], self._ring)

    def _ring(self) -> None:
        if not self._future.done():
            self._future.set_result(None)

    def future(self) -> asyncio.Future[None]:
        return self._future

    def ask(self, prompt: Callable[..., str] = click.prompt) -> str:
        """Return `stop`, `detach` or `continue`. Blocks the event loop, so that no log line mixes with the question.

        Without a terminal, and for a second Ctrl-C, the answer is `stop`.
        """
        self._future = self._loop.create_future()
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return "stop"
        self._loop.remove_signal_handler(signal.SIGINT)
        try:
            answer = prompt(
                "\nStop the job (s), leave it running and detach (d), or continue (c)?",
                type=click.Choice(["s", "d", "c"]), default="c", show_choices=False, err=True,
            )  # fmt: skip
        except click.Abort:
            return "stop"
        finally:
            self._loop.add_signal_handler(signal.SIGINT, self._ring)
        return {"s": "stop", "d": "detach"}.get(answer, "continue")


def _print_next_commands(settings: ClusterFlags, kind: "Kind", name: str, namespace: str) -> None:
    program, where = screen.program_name(), windlass_flags(settings, namespace)
    click.echo(f"Its logs:  {program} logs job/{name} -f{where}", err=True)
    click.echo(f"All jobs:  {program} jobs{where}", err=True)
    click.echo(f"Stop it:   {kubectl_command(settings, namespace)} delete {kind.name.lower()} {name}", err=True)
