"""Reads a text that is JSON or YAML."""

from typing import Any

import msgspec


def parse(text: str) -> Any:
    """Return what the text describes. Raises ValueError.

    JSON is read without the library for YAML: it takes 1 MB, which an idle process does without.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return _parse_yaml(text)


def _parse_yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
