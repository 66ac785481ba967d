"""`windlass queue`: the command and its screen."""

from windlass.apis.commands import Command

COMMANDS = (
    Command("queue", "Show, create, open and close queues.", "windlass.apps.volcano.commands.queue", after="job"),
)
