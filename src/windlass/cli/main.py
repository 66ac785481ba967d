"""The `windlass` command: the list of commands, and the handling of unexpected errors.

A command's module is imported when the command is called, so that `windlass --help` only loads click.
"""

import os
import traceback
from importlib import import_module

import click

from windlass import __version__
from windlass.cli.failure import Failure, as_failures
from windlass.cli.settings import DEBUG, SUPERVISED
from windlass.kube.signals import keep_ignored_from_children

COMMANDS: dict[str, str] = {
    "up": "Start Windlass and keep it running.",
    "down": "Stop a running Windlass, and its pods.",
    "status": "Show components, addresses, sizes and the number of objects.",
    "doctor": "Check what is wrong with this Windlass, and say what to do.",
    "open": "Open a browser at the gateway, signed in.",
    "user": "Add, change, remove and list the users of the gateway.",
    "profile": "Create, list, export, delete and restore profiles.",
    "kubeconfig": "Print the path of the kubeconfig, or merge it into yours.",
    "notebook": "Print the address of a notebook's server for an IDE.",
    "ssh": "Open a shell in a notebook's server, or run a command there.",
    "get-started": "Suggest what to do next on this machine.",
    "run": "Run a script as a distributed training job.",
    "jobs": "List training jobs of all kinds.",
    "job": "Suspend, resume and restart a Volcano job or a training job.",
    "queue": "Show, create, open and close queues.",
    "explain": "Explain why a gang or a pod waits, and when it would start.",
    "simulate": "Simulate a workload on a described cluster.",
    "logs": "Show the logs of a job's replicas or of a Windlass component.",
    "demo": "Start a temporary Windlass, train on it and show the progress.",
    "backup": "Write objects, certificates and credentials to one file.",
    "restore": "Restore a backup.",
    "images": "Show, map, build and prune the environments of images.",
    "manifests": "Print the manifests that install Windlass on a cluster.",
    "install": "Install Windlass on a cluster, or bring an installation up to date.",
    "uninstall": "Remove Windlass from a cluster, whether `windlass install` or kubectl applied it.",
    "server": "Run only the API server, in the foreground.",
    "manager": "Run only the controllers, in the foreground.",
    "scheduler": "Run only the gang scheduler, next to a cluster's own scheduler.",
    "node": "Run only the node agent, in the foreground.",
    "gateway": "Run only the gateway, in the foreground.",
    "version": "Print the version.",
}
"""The commands and their descriptions, in the order of `--help`; a docs test reads this list too."""
FOLDERS: dict[str, str] = {
    **dict.fromkeys(("run", "jobs", "job", "logs"), "job"),
    **dict.fromkeys(("server", "manager", "scheduler", "node", "gateway"), "components"),
    **dict.fromkeys(("install", "uninstall"), "cluster"),
    **dict.fromkeys(("notebook", "ssh"), "notebook"),
    **{name: name for name in ("queue", "explain", "simulate", "demo", "user", "profile", "doctor")},
}
"""The package of a command's module, if it has one. A command is a function of the same name as its module."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        folder = f"{FOLDERS[cmd_name]}." if cmd_name in FOLDERS else ""
        return getattr(import_module(f"windlass.cli.{folder}{name}"), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        try:
            with as_failures():
                return super().invoke(ctx)
        except BrokenPipeError:  # `| head` has seen enough, which click takes calmly
            raise
        except (click.ClickException, click.exceptions.Exit, click.Abort) as error:
            if ctx.meta.get(DEBUG) and error.__cause__ is not None:
                traceback.print_exception(error.__cause__)
            raise
        except Exception as error:
            if ctx.meta.get(DEBUG):
                raise
            if ctx.meta.get(SUPERVISED):  # standard error is a log: its reader needs the traceback
                traceback.print_exception(error)
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            hint = "This is a bug in Windlass; add --debug to see the traceback"
            raise Failure(f"{what}. {hint}", exit_code=70) from error  # EX_SOFTWARE


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Shell completion: eval "$(_WINDLASS_COMPLETE=bash_source windlass)" (or zsh_source, fish_source).',
)
@click.version_option(__version__, "-V", "--version", prog_name="windlass", message="%(prog)s %(version)s")
def cli() -> None:
    """Kubeflow as one Python program: a Kubernetes API and an ML platform on this machine, in seconds."""


def main() -> None:
    keep_ignored_from_children()
    cli(prog_name="windlass")
