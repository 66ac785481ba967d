"""The declaration of a command of the program `windlass`, which a help page shows without loading the command."""

from typing import NamedTuple


class Command(NamedTuple):
    """A command; `windlass/apps/<name>/commands/__init__.py` lists those of an app as `COMMANDS`."""

    name: str
    help: str
    """The sentence that the list of commands shows."""
    module: str
    """The module with a click command of the same name; `-` in a name is `_` in code."""
    after: str = ""
    """The command that it follows in the list. Commands of later apps come before those of earlier apps."""


def in_order(platform: tuple[Command, ...], apps: tuple[Command, ...]) -> dict[str, Command]:
    """Return the commands by name, in the order of the list: each command of an app behind the one that it follows."""
    ordered = list(platform)
    for command in apps:
        names = [other.name for other in ordered]
        place = names.index(command.after) + 1 if command.after in names else len(names)
        ordered.insert(place, command)
    return {command.name: command for command in ordered}
