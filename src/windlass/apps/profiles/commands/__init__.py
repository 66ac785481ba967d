"""`windlass profile`: profiles, and the recycle bin of deleted ones."""

from windlass.apis.commands import Command

COMMANDS = (
    Command(
        "profile",
        "Create, list, export, delete and restore profiles.",
        "windlass.apps.profiles.commands.profile",
        after="user",
    ),
)
