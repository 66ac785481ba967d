"""Commands for lamps."""

from windlass.apis.commands import Command

COMMANDS = (Command("lamps", "Say how bright a lamp may be.", "windlass.apps.lamps.commands.lamps"),)
