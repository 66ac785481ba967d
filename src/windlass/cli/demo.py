"""`windlass demo`: a throw-away Windlass, pods that really run on it, and what it looks like from outside.

With kubectl on the PATH the demo types the commands that a user would; without, it asks the API itself.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from windlass.cli import node_facts, ports, screen
from windlass.cli.api import Api
from windlass.cli.credentials import admin_token
from windlass.cli.datadir import DataDir
from windlass.cli.detach import start_detached
from windlass.cli.down import stop
from windlass.cli.failure import Failure
from windlass.cli.settings import DemoSettings, UpSettings, takes

NAMESPACE = "hello"
PATIENCE = 60  # seconds for pods to start; the first of an image waits for its environment


@click.command()
@click.option("--keep", is_flag=True, help="Leave it running, with its data, when the demo is over.")
@takes(DemoSettings)
@click.pass_context
def demo(ctx: click.Context, settings: DemoSettings, keep: bool) -> None:
    """Start a throw-away Windlass, run an example and show it.

    Uses a temporary data dir and a free port, so it meets nothing that runs already. In a terminal it stays up until
    Enter is pressed; elsewhere it stops and cleans up at once.
    """
    chosen = settings.data_dir if ctx.get_parameter_source("data_dir") is ParameterSource.COMMANDLINE else None
    example = find_example()
    with running_windlass(chosen, runtime=settings.runtime, keep=keep) as data:
        say_how_pods_run(data)
        (show_with_kubectl if shutil.which("kubectl") else show_without_kubectl)(data, example)
        click.echo(f"\nkubeconfig: {click.style(str(data.kubeconfig), fg='cyan')}")
        if keep:
            click.echo(f"It runs on. Stop it: {screen.own_name()} down --data-dir {screen.quoted(data.root)}")
        elif sys.stdin.isatty() and sys.stdout.isatty():
            suggest(data)
            with suppress(click.Abort):  # Ctrl-C means the same
                click.prompt("Press Enter to stop and remove it", default="", show_default=False, prompt_suffix=" ")
    if not keep:
        click.echo(f"Stopped and removed. Now your own: {click.style(f'{screen.own_name()} up', bold=True)}")
        click.echo("What to do with it: docs/getting-started.md, docs/pods.md")


def find_example() -> Path:
    """Beside the source in a checkout, inside the package once installed."""
    package = Path(__file__).parents[1]
    for folder in (package / "examples" / "hello", package.parents[1] / "examples" / "hello"):
        if folder.is_dir():
            return folder
    raise Failure("the examples are not installed. Run the demo from a checkout of Windlass")


@contextmanager
def running_windlass(chosen: Path | None, *, runtime: str, keep: bool) -> Iterator[DataDir]:
    data = DataDir(chosen or Path(tempfile.mkdtemp(prefix="windlass-demo-")))
    data.prepare()
    try:
        port = ports.settle("127.0.0.1", 0, command="windlass demo")
        start_detached(UpSettings(data_dir=data.root, port=port, runtime=runtime), data)
        yield data
    except BaseException:
        stop(data, timeout=45)  # but leave the files: a failure may name one of its logs
        raise
    if not keep:
        stop(data, timeout=45)
        if chosen is None:
            shutil.rmtree(data.root, ignore_errors=True)


def say_how_pods_run(data: DataDir) -> None:
    """Only where it is not as one would expect."""
    facts = node_facts.load(data)
    if facts is not None and facts.runtime == "process":
        click.echo("Pods run as plain processes here, not in sandboxes, with less between them: see docs/pods.md.")


def suggest(data: DataDir) -> None:
    click.echo(f"\nTry it in another terminal:  export KUBECONFIG={screen.quoted(data.kubeconfig)}")
    for words in (
        f"get pods -n {NAMESPACE} -o wide",
        f"exec -n {NAMESPACE} -it deployment/points -- bash",
        f"port-forward -n {NAMESPACE} service/points 8080:80",
        f"scale -n {NAMESPACE} deployment/points --replicas 5",
    ):
        click.echo(f"  kubectl {words}")


def show_with_kubectl(data: DataDir, example: Path) -> None:
    def kubectl(*words: str) -> None:
        click.echo(click.style(f"\n$ kubectl {' '.join(words)}", bold=True))
        sys.stdout.flush()
        done = subprocess.run(["kubectl", *words], env={**os.environ, "KUBECONFIG": str(data.kubeconfig)}, check=False)
        if done.returncode != 0:
            raise Failure(f"kubectl ended with {done.returncode}")

    here = ("-n", NAMESPACE)
    kubectl("apply", "-f", _near(example / "points.yaml"))
    kubectl("rollout", "status", "deployment/points", *here, f"--timeout={PATIENCE}s")
    kubectl("get", "pods,services", *here)
    kubectl("apply", "-f", _near(example / "fit.yaml"))
    kubectl("wait", "job/fit", *here, "--for", "condition=complete", f"--timeout={PATIENCE}s")
    kubectl("logs", "job/fit", *here)
    kubectl("get", "jobs,pods", *here)


def show_without_kubectl(data: DataDir, example: Path) -> None:
    click.echo("\nThere is no kubectl on the PATH, so the demo asks the API itself.")
    api = Api(data.socket, admin_token(data))
    pods, jobs = f"/api/v1/namespaces/{NAMESPACE}/pods", f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
    _apply(api, example / "points.yaml")
    api.until(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/points", _is_rolled_out, within=PATIENCE)
    _show(api, pods)
    _show(api, f"/api/v1/namespaces/{NAMESPACE}/services")
    _apply(api, example / "fit.yaml")
    api.until(f"{jobs}/fit", _is_complete, within=PATIENCE)
    (pod,) = api.json(f"{pods}?labelSelector=job-name%3Dfit")["items"]
    log = f"{pods}/{pod['metadata']['name']}/log"
    click.echo(click.style(f"\n$ get {log}", bold=True))
    click.echo(api.text(log), nl=False)
    _show(api, jobs)
    _show(api, pods)


def _apply(api: Api, file: Path) -> None:
    import yaml

    click.echo(click.style(f"\n$ apply {_near(file)}", bold=True))
    for manifest in yaml.safe_load_all(file.read_text()):
        api.apply(manifest, manager="windlass-demo")
        click.echo(f"{manifest['kind'].lower()}/{manifest['metadata']['name']} applied")


def _show(api: Api, path: str) -> None:
    click.echo(click.style(f"\n$ get {path}", bold=True))
    click.echo(render(api.table(path)))


def render(table: Any) -> str:
    """A meta.k8s.io Table as kubectl prints it: columns three spaces apart, without those of low priority."""
    shown = [at for at, column in enumerate(table["columnDefinitions"]) if not column.get("priority")]
    rows = [[table["columnDefinitions"][at]["name"].upper() for at in shown]]
    for row in table["rows"]:
        rows.append(["<none>" if row["cells"][at] is None else str(row["cells"][at]) for at in shown])
    widths = [max(len(row[at]) for row in rows) for at in range(len(shown))]
    lines = ("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines)


def _is_rolled_out(deployment: Any) -> bool:
    return deployment.get("status", {}).get("availableReplicas", 0) == deployment["spec"]["replicas"]


def _is_complete(job: Any) -> bool:
    conditions = job.get("status", {}).get("conditions", [])
    return any(one["type"] == "Complete" and one["status"] == "True" for one in conditions)


def _near(path: Path) -> str:
    """As one would type it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
