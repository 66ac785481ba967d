"""The last line of a failed container's message or log, which is where programs name their error."""

import re

MAX_CHARACTERS = 300
_ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


def last_line(text: str) -> str:
    """The last line that says anything, without control characters and cut to a length that conditions may have."""
    for line in reversed(_ESCAPE_SEQUENCE.sub("", text).splitlines()):
        printable = "".join(char if char.isprintable() else " " for char in line)
        if words := " ".join(printable.split()):
            return words if len(words) <= MAX_CHARACTERS else f"{words[: MAX_CHARACTERS - 1]}…"
    return ""
