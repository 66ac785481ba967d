"""docs/cli.md says what click says: every command, every option, its sentence, its variable."""

import re

import click
import pytest

from windlass.cli.main import COMMANDS, cli

from .pages import ROOT

REFERENCE = (ROOT / "docs" / "cli.md").read_text()
CONTEXT = click.Context(cli)


def section(name: str) -> str:
    match = re.search(rf"^## windlass {name}\n(.*?)(?=^## |\Z)", REFERENCE, re.M | re.S)
    assert match, f"docs/cli.md has no section '## windlass {name}'"
    return match[1]


def options(name: str) -> list[click.Option]:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    return [one for one in command.params if isinstance(one, click.Option) and not one.hidden]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_described_in_its_own_words(name: str) -> None:
    text = " ".join(section(name).split())
    common = " ".join(section("up").split())
    for option in options(name):
        described = text if option.opts[-1] not in ("--data-dir", "--debug") else common
        assert f"`{option.opts[-1]}" in described, option.opts
        assert " ".join((option.help or "").split()).replace("|", "\\|") in described, option.opts


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_describes_no_option_that_is_not_there(name: str) -> None:
    documented = set(re.findall(r"^\| `(--[a-z-]+)", section(name), re.M))

    assert documented <= {opt for option in options(name) for opt in option.opts}


def test_the_list_of_commands_is_whole_and_each_says_the_same_as_its_own_help() -> None:
    assert re.findall(r"^## windlass ([\w-]+)$", REFERENCE, re.M) == list(COMMANDS)
    for name, listed in COMMANDS.items():
        command = cli.get_command(CONTEXT, name)
        assert command is not None
        assert (command.help or "").splitlines()[0] == listed.help
