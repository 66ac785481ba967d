"""YAML with lines: so that an error names the file, the line and the field."""

import re
from typing import Any, TypeVar

import msgspec
import yaml

T = TypeVar("T")
_AT = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


class BadDescription(ValueError):
    """What is described cannot be simulated; the text says where and why."""


class Located:
    """A YAML document: its value, and the line of each field."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        try:
            tree = yaml.compose(text, Loader=yaml.SafeLoader)
            self.value: Any = yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
            raise BadDescription(f"{name}:{line}: it is not YAML: {error.problem}") from error
        except yaml.YAMLError as error:
            raise BadDescription(f"{name}: it is not YAML: {error}") from error
        self._lines: dict[str, int] = {}
        try:
            if tree is not None:
                self._note(tree, "")
        except RecursionError as error:
            raise BadDescription(f"{name}: it contains itself (an alias within its own anchor)") from error

    def _note(self, node: yaml.Node, path: str) -> None:
        self._lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                where = f"{path}.{key.value}" if path else str(key.value)
                self._note(value, where)
                self._lines[where] = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode):
            for at, value in enumerate(node.value):
                self._note(value, f"{path}[{at}]")

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
