"""Commands for the servers of notebooks."""

from windlass.apis.commands import Command

_HERE = "windlass.apps.notebooks.commands"

COMMANDS = (
    Command(
        "notebook", "Print the address of a notebook's server for an IDE.", f"{_HERE}.notebook", after="kubeconfig"
    ),
    Command("ssh", "Open a shell in a notebook's server, or run a command there.", f"{_HERE}.ssh", after="notebook"),
)
