"""The `windlass` command: which commands there are, and what happens to an error that none of them expected.

A command's module is imported when it is called for, so `windlass --help` costs no more than click.
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
    "status": "Show what runs, where, how big, and which objects there are.",
    "kubeconfig": "Print the path of the kubeconfig, or merge it into yours.",
    "get-started": "Say what to do next on this machine.",
    "run": "Run a script as a distributed training job.",
    "jobs": "Show training jobs of every kind in one table.",
    "job": "Suspend and resume a Volcano job or a training job.",
    "queue": "Show, make, open and close the queues in which gangs wait.",
    "explain": "Say why a gang or a pod waits, and when it would start.",
    "simulate": "Try a workload on a cluster that is only described.",
    "logs": "Show what the replicas of a job wrote, or a part of Windlass.",
    "demo": "Start a throw-away Windlass, train on it and show how that goes.",
    "backup": "Write objects, certificates and credentials to one file.",
    "restore": "Bring a backup back.",
    "images": "Show, map and prune what runs for an image.",
    "manifests": "Print the manifests that install Windlass on a cluster.",
    "server": "Run the API server alone, in the foreground.",
    "manager": "Run the controllers alone, in the foreground.",
    "scheduler": "Run the gang scheduler alone, beside a cluster's own.",
    "node": "Run the node agent alone, in the foreground.",
    "gateway": "Run the gateway alone, in the foreground.",
    "version": "Print the version.",
}
"""What each does, in the order of `--help`; a docs test reads this list too."""
FOLDERS: dict[str, str] = {
    **dict.fromkeys(("run", "jobs", "job", "logs"), "job"),
    **dict.fromkeys(("server", "manager", "scheduler", "node", "gateway"), "components"),
    **{name: name for name in ("queue", "explain", "simulate", "demo")},
}
"""The folder of a command's module, if it has one. A command is the function of its name in the module of its name."""


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
            if ctx.meta.get(SUPERVISED):  # standard error is a log: whoever reads it wants to know where
                traceback.print_exception(error)
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            hint = "This is a fault in Windlass; add --debug to see where"
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
