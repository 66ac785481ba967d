"""The `windlass` command: the list of commands, and the handling of unexpected errors.

A command's module is imported when the command is called, so that `windlass --help` loads little more than click.
"""

import os
import traceback
from importlib import import_module

import click

from windlass import __version__
from windlass.apis.commands import Command, in_order
from windlass.apps import commands_of_apps
from windlass.cli.failure import Failure, as_failures
from windlass.cli.settings import DEBUG, SUPERVISED
from windlass.kube.signals import keep_ignored_from_children

PLATFORM_COMMANDS = (
    Command("up", "Start Windlass and keep it running.", "windlass.cli.up"),
    Command("down", "Stop a running Windlass, and its pods.", "windlass.cli.down"),
    Command("status", "Show components, addresses, sizes and the number of objects.", "windlass.cli.status"),
    Command("doctor", "Check what is wrong with this Windlass, and say what to do.", "windlass.cli.doctor.doctor"),
    Command("open", "Open a browser at the gateway, signed in.", "windlass.cli.open"),
    Command("user", "Add, change, remove and list the users of the gateway.", "windlass.cli.user.user"),
    Command("kubeconfig", "Print the path of the kubeconfig, or merge it into yours.", "windlass.cli.kubeconfig"),
    Command("backup", "Write objects, certificates and credentials to one file.", "windlass.cli.backup"),
    Command("restore", "Restore a backup.", "windlass.cli.restore"),
    Command("images", "Show, map, build and prune the environments of images.", "windlass.cli.images"),
    Command("manifests", "Print the manifests that install Windlass on a cluster.", "windlass.cli.manifests"),
    Command(
        "install",
        "Install Windlass on a cluster, or bring an installation up to date.",
        "windlass.cli.cluster.install",
    ),
    Command(
        "uninstall",
        "Remove Windlass from a cluster, whether `windlass install` or kubectl applied it.",
        "windlass.cli.cluster.uninstall",
    ),
    Command("server", "Run only the API server, in the foreground.", "windlass.cli.components.server"),
    Command("manager", "Run only the controllers, in the foreground.", "windlass.cli.components.manager"),
    Command(
        "scheduler",
        "Run only the gang scheduler, next to a cluster's own scheduler.",
        "windlass.cli.components.scheduler",
    ),
    Command("node", "Run only the node agent, in the foreground.", "windlass.cli.components.node"),
    Command("gateway", "Run only the gateway, in the foreground.", "windlass.cli.components.gateway"),
    Command("version", "Print the version.", "windlass.cli.version"),
)
COMMANDS = in_order(PLATFORM_COMMANDS, commands_of_apps())
"""The commands by name, in the order of `--help`; a docs test reads this list too."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return getattr(import_module(COMMANDS[cmd_name].module), cmd_name.replace("-", "_"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(command.name, command.help) for command in COMMANDS.values()])

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
