"""Commands of apps are listed behind the commands that they follow."""

from importlib import import_module

import click

from windlass.apis.commands import Command, in_order
from windlass.apps import APPS, commands_of_apps


def listed(*commands: tuple[str, str]) -> tuple[Command, ...]:
    return tuple(Command(name, "", "", after) for name, after in commands)


def test_commands_of_an_app_follow_the_command_that_they_name() -> None:
    apps = listed(("run", "up"), ("jobs", "run"))

    assert list(in_order(listed(("up", ""), ("down", "")), apps)) == ["up", "run", "jobs", "down"]


def test_commands_of_later_apps_come_first_behind_the_same_command() -> None:
    assert list(in_order(listed(("up", "")), listed(("run", "up"), ("ssh", "up")))) == ["up", "ssh", "run"]


def test_a_command_behind_an_unknown_one_is_the_last() -> None:
    assert list(in_order(listed(("up", "")), listed(("run", "nowhere")))) == ["up", "run"]


def test_each_command_of_an_app_is_in_its_own_folder() -> None:
    for command in commands_of_apps():
        function = getattr(import_module(command.module), command.name.replace("-", "_"))
        assert isinstance(function, click.Command)
        assert command.module.split(".")[2] in APPS
