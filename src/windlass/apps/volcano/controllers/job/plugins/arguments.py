"""The arguments of a job plugin, written as on a command line: `--port=2222`, `-port 2222`, `--enabled`."""

import logging
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Value: TypeAlias = str | int | bool
Default: TypeAlias = Value

TRUE, FALSE = ("1", "t", "T", "true", "TRUE", "True"), ("0", "f", "F", "false", "FALSE", "False")

log = logging.getLogger(__name__)


def parse(plugin: str, flags: Mapping[str, Default], arguments: Sequence[str]) -> dict[str, Value]:
    """All flags with their values. One that is unknown or makes no sense is logged and left out."""
    values: dict[str, Value] = dict(flags)
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, text = word.lstrip("-").partition("=")
        if not word.startswith("-") or name not in flags:
            log.warning("ignored an argument of the job plugin %s: %s", plugin, word)
            continue
        if not equals:
            text = "true" if isinstance(flags[name], bool) else rest.pop(0) if rest else ""
        value = _read(flags[name], text)
        if value is None:
            log.warning("ignored an argument of the job plugin %s: %s is no value of --%s", plugin, text, name)
        else:
            values[name] = value
    return values


def _read(default: Default, text: str) -> Value | None:
    if isinstance(default, bool):
        return True if text in TRUE else False if text in FALSE else None
    if isinstance(default, int):
        digits = text.removeprefix("-")
        return int(text) if digits.isascii() and digits.isdecimal() else None
    return text
