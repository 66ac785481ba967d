"""YAML with lines: so that an error names the file, the line and the field."""

import re
from typing import Any, TypeVar

import msgspec

from windlass.formats import yaml_reader

T = TypeVar("T")
_AT = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


class BadDescription(ValueError):
    """What is described cannot be simulated; the text says where and why."""


class Located:
    """A YAML document: its value, and the line of each field."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        notes = yaml_reader.Notes(has_lines=True)
        try:
            self.value: Any = yaml_reader.read(text, limits=yaml_reader.OWN_FILE, notes=notes)
        except yaml_reader.BadYaml as error:
            raise BadDescription(f"{name}:{error.line or 1}: it is not YAML: {error.problem}") from error
        self._lines = notes.lines

    def bad(self, field: str, what: str) -> BadDescription:
        """An error about a field, such as `jobs[3].duration`."""
        line, known = self._lines.get(field), field
        while line is None and known:
            known = known[: max(known.rfind("."), known.rfind("["), 0)]
            line = self._lines.get(known)
        where = f"{field}: " if field else ""
        return BadDescription(f"{self.name}:{line or 1}: {where}{what}")

    def convert(self, type_: type[T]) -> T:
        """Read as what a struct declares."""
        try:
            return msgspec.convert(self.value, type_)
        except msgspec.ValidationError as error:
            found = _AT.search(str(error))
            field = (found.group(1) if found else "").lstrip(".")
            what = _AT.sub("", str(error))
            raise self.bad(field, what[:1].lower() + what[1:]) from error
