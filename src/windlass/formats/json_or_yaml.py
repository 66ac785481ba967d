"""Reads a text that is JSON or YAML."""

from typing import Any

import msgspec

from windlass.formats import yaml_reader


def parse(text: str) -> Any:
    """Return what the text describes. Raises ValueError.

    JSON is read without the library for YAML: it takes 1 MB, which an idle process does without.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return yaml_reader.read(text)
