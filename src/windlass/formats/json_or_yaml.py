"""Reads a text that is JSON or YAML."""

from typing import Any

import msgspec

from windlass.formats import yaml_reader
from windlass.formats.nesting import MAX_DEPTH, TOO_DEEP, is_too_deep


def parse(text: str) -> Any:
    """Return what the text describes. Raises ValueError, also if it is nested too deeply.

    JSON is read without the library for YAML: it takes 1 MB, which an idle process does without.
    """
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return yaml_reader.read(text)
    if text.count("{") + text.count("[") > MAX_DEPTH and is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value
