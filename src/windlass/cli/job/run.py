"""`windlass run`: a script as a distributed training job, its folder with it, its replicas' logs here."""

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

from windlass.cli import screen
from windlass.cli.connection import kubectl_words, namespace_of, own_words, with_client
from windlass.cli.failure import Failure
from windlass.cli.job.folder import FolderTooLarge, pack_folder
from windlass.cli.job.job_screen import Lines
from windlass.cli.option_types import Amount, JobName, WholeNumber
from windlass.cli.settings import ClusterFlags, takes
from windlass.jobs.state.job_state import pod_names, short_name
from windlass.jobs.submit import folder_archive, framework_guess, package_index
from windlass.jobs.submit.framework_templates import SHAPES, Shape, Size
from windlass.jobs.submit.manifest import Install, Wish, manifests, name_for
from windlass.jobs.submit.packages import Packages, in_words
from windlass.jobs.submit.requirements import Needs, needs_of
from windlass.jobs.submit.submit import Prepared, submit
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
    "--framework", type=click.Choice(list(SHAPES)), help="What it trains with.  [default: what the script imports]"
)
@click.option("--workers", type=WholeNumber(1), default=1, metavar="N", help="Replicas that do the work.  [default: 1]")
@click.option("--ps", type=WholeNumber(0), default=0, metavar="N", help="TensorFlow, MXNet: parameter servers as well.")
@click.option("--gpus", type=WholeNumber(0), default=0, metavar="N", help="GPUs (nvidia.com/gpu) of each worker.")
@click.option(
    "--cpu",
    type=Amount("2", "500m"),
    metavar="AMOUNT",
    help="Processors of each replica, as Kubernetes writes them: 2, 500m.",
)
@click.option("--memory", type=Amount("4Gi", "512Mi"), metavar="AMOUNT", help="Memory of each replica: 4Gi.")
@click.option(
    "--env",
    "requirements",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="requirements.txt that each replica installs with pip before it starts.",
)
@click.option("--no-install", is_flag=True, help="Install nothing: the image has all that the script imports.")
@click.option("--image", metavar="NAME", help="Image of all replicas.  [default: one with the framework]")
@click.option(
    "--name", type=JobName(), metavar="NAME", help="Name of the job.  [default: from the script's, with a random end]"
)
@click.option("-n", "--namespace", metavar="NAME", help="Namespace of the job.  [default: that of the kubeconfig]")
@click.option("--detach", is_flag=True, help="Return when the job is submitted.")
@click.option("--follow", is_flag=True, help="Show what the replicas write until the job ends: what it does anyway.")
@click.option("--dry-run", is_flag=True, help="Submit nothing, print the manifests: ready for kubectl apply.")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", help="With --dry-run: their form.")
@takes(ClusterFlags)
@click.pass_context
def run(ctx: click.Context, settings: ClusterFlags, script: Path, args: tuple[str, ...], **told: Any) -> None:
    """Run a script as a distributed training job.

    SCRIPT and the files of the working folder go into the pods; what follows -- are its ARGS. The framework is guessed
    from what the script imports; packages that it declares or imports are installed. Exits with the exit code of the
    job; Ctrl-C asks whether to stop it or to leave it running.
    """
    if told["detach"] and told["follow"]:
        raise click.UsageError("--detach and --follow are opposites")
    plan = prepare(script, args, dry_run=told["dry_run"], **{key: told[key] for key in PREPARED})
    click.echo(f"{plan.why} Its files: {screen.size(len(plan.archive))} packed.", err=True)
    if told["dry_run"]:
        click.echo(dump(plan.manifests, told["output"]), nl=False)
        return
    if plan.guessed:
        check_packages(script, plan.guessed)
    where = namespace_of(settings, told["namespace"])
    ctx.exit(with_client(settings, lambda client: _submit(client, settings, plan, where, follow=not told["detach"])))


PREPARED = (
    *("framework", "workers", "ps", "gpus", "cpu", "memory", "requirements", "no_install", "image", "name"),
    "namespace",
)


def prepare(script: Path, args: tuple[str, ...], *, dry_run: bool, **told: Any) -> Prepared:
    folder, archive, note = pack(script)
    framework, why = choose(told["framework"], script, folder)
    if told["ps"] and framework not in ("tensorflow", "mxnet"):
        raise click.UsageError(f"--ps: only TensorFlow and MXNet have parameter servers. {why}")
    shipped = {one.name for one in folder_archive.collect(folder)}
    name = told["name"] or name_for(script.name) + ("" if dry_run else f"-{random_end()}")
    needs = what_to_install(script, folder, shipped, SHAPES[framework], **told)
    wish = Wish(
        name=name,
        namespace=told["namespace"] or "",
        script=inside(script, folder, shipped),
        args=args,
        archive=archive,
        size=Size(workers=told["workers"], ps=told["ps"], gpus=told["gpus"]),
        image=told["image"] or "",
        install=needs.install,
        cpu=told["cpu"] or "",
        memory=told["memory"] or "",
    )
    return Prepared(
        name=name,
        why=why + needs.said + note,
        archive=archive,
        manifests=manifests(SHAPES[framework], wish),
        guessed=needs.install.absent,
    )


def what_to_install(script: Path, folder: Path, shipped: set[str], shape: Shape, **told: Any) -> Needs:
    if told["no_install"] and told["requirements"]:
        raise click.UsageError("--env and --no-install are opposites")
    if told["requirements"]:
        return Needs(install=Install(file=inside(told["requirements"], folder, shipped)))
    if told["no_install"]:
        return Needs()
    brought = () if told["image"] else shape.modules
    return needs_of(script.absolute(), folder, brought, lambda file: inside(file, folder, shipped))


def check_packages(script: Path, packages: Packages) -> None:
    """Refuse what the package index does not know, and warn if it cannot be asked."""
    answer = package_index.ask(sorted({package for _, package in packages}))
    if answer.unknown:
        modules = [module for module, package in packages if package in answer.unknown]
        raise Failure(
            f"{script.name} imports {in_words(modules)}, which is neither a file in its folder nor a package that the "
            f"package index has. List the packages that it needs in requirements.txt or --env FILE, or, if the image "
            f"has it, say --no-install"
        )
    if answer.unreachable:
        names = in_words(sorted({package for _, package in packages}))
        click.echo(
            f"warning: the package index cannot be reached from here. If the pods cannot reach it either, and their "
            f"image lacks {names}, the job will fail. An image that has them: windlass images add NAME --package …, "
            f"then --image NAME",
            err=True,
        )


def pack(script: Path) -> tuple[Path, bytes, str]:
    """What goes into the pods, and what to say of it: the folder that one is in, or the script's own.

    The latter if the script lies elsewhere, or below, and the folder that one is in is too large.
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


def inside(file: Path, folder: Path, shipped: set[str]) -> str:
    """Where a file lies in the pods; refuses one that is not shipped."""
    absolute = file.absolute()
    if not absolute.is_relative_to(folder):
        raise Failure(f"{file} lies outside of {folder}, which is what goes into the pods")
    name = absolute.relative_to(folder).as_posix()
    if name not in shipped:
        raise Failure(f"{name} is left out by .gitignore or .windlassignore. Add a line !/{name} to .windlassignore")
    return name


def choose(told: str | None, script: Path, folder: Path) -> tuple[str, str]:
    """The framework, and a sentence that says what it becomes."""
    if told:
        return told, f"{script.name} becomes {with_article(SHAPES[told].kind)}."
    guessed = framework_guess.guess(script.absolute(), folder)
    if guessed is None:
        kind = SHAPES["python"].kind
        return "python", (
            f"{script.name} imports no training framework, so it runs as plain Python, in {with_article(kind)} with "
            f"the variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. To choose a framework: --framework."
        )
    framework, module = guessed
    return framework, f"{script.name} imports {module}, so it becomes {with_article(SHAPES[framework].kind)}."


def with_article(kind: str) -> str:
    """As it is spoken: an MPIJob, a TFJob."""
    return f"{'an' if kind[0] in 'MX' else 'a'} {kind}"


def random_end() -> str:
    return "".join(secrets.choice(SUFFIX) for _ in range(5))


def dump(objects: list[dict[str, Any]], output: str) -> str:
    """As kubectl takes it: documents of YAML, or one List of JSON."""
    if output == "json":
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2) + "\n"
    import yaml

    class Plain(yaml.SafeDumper):
        """Says things twice rather than by anchors, which few people read."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    return yaml.dump_all(objects, Dumper=Plain, sort_keys=False, allow_unicode=True, width=2**31)


async def _submit(client: "Client", settings: ClusterFlags, plan: Prepared, namespace: str, *, follow: bool) -> int:
    from windlass.jobs.state.follow import Follower

    kind, job = await submit(client, plan, namespace)
    click.echo(f"{kind.name.lower()}/{plan.name} submitted to namespace {namespace}.", err=True)
    if not follow:
        _say_how_to_go_on(settings, kind, plan.name, namespace)
        return 0
    names = [short_name(pod, plan.name) for pod in pod_names(job)]
    key = Key(namespace, plan.name)
    following = asyncio.ensure_future(Follower(client, kind, key, Lines(names)).run())
    asked = Interrupt()
    while True:
        await asyncio.wait((following, asked.future()), return_when=asyncio.FIRST_COMPLETED)
        if following.done():
            return following.result()
        match asked.ask():
            case "stop":
                following.cancel()
                await client.delete(kind, key, propagation="Background")
                click.echo(f"{kind.name.lower()}/{plan.name} deleted.", err=True)
                return INTERRUPTED
            case "detach":
                following.cancel()
                _say_how_to_go_on(settings, kind, plan.name, namespace)
                return 0
            case _:
                continue


class Interrupt:
    """Ctrl-C as something to wait for, and the question that it raises."""

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
        """`stop`, `detach` or `go on`. The loop rests meanwhile, so no line runs into the question.

        Where nobody can be asked, Ctrl-C means what it means to every other program; so does a second one.
        """
        self._future = self._loop.create_future()
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return "stop"
        self._loop.remove_signal_handler(signal.SIGINT)
        try:
            answer = prompt(
                "\nStop the job (s), leave it running and detach (d), or go on (c)?",
                type=click.Choice(["s", "d", "c"]), default="c", show_choices=False, err=True,
            )  # fmt: skip
        except click.Abort:
            return "stop"
        finally:
            self._loop.add_signal_handler(signal.SIGINT, self._ring)
        return {"s": "stop", "d": "detach"}.get(answer, "go on")


def _say_how_to_go_on(settings: ClusterFlags, kind: "Kind", name: str, namespace: str) -> None:
    me, where = screen.own_name(), own_words(settings, namespace)
    click.echo(f"Its logs:  {me} logs job/{name} -f{where}", err=True)
    click.echo(f"All jobs:  {me} jobs{where}", err=True)
    click.echo(f"Stop it:   {kubectl_words(settings, namespace)} delete {kind.name.lower()} {name}", err=True)
