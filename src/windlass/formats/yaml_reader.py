"""Reads YAML from any author, within limits. The only way in which Windlass reads YAML.

PyYAML's own loaders compose nested values by recursion, in C without a check of the stack: 100,000 brackets end the
process. Here values are built from the parser's events, iteratively, and a text that exceeds a limit is refused where
it does so. Values are those of `yaml.safe_load`, except that a plain `=` is a text, as in Kubernetes.

PyYAML takes 1 MB of memory and is imported at the first text, not with this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec

from windlass.formats.nesting import MAX_DEPTH


class BadYaml(ValueError):
    """The text is no YAML, has a value that YAML does not allow, or exceeds a limit. Lines and columns count from 1."""

    def __init__(self, message: str, problem: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.problem = problem or message
        self.line = line


@dataclass(frozen=True, kw_only=True)
class Limits:
    depth: int = MAX_DEPTH
    """Levels of lists and mappings, with aliases replaced by what they stand for."""

    values: int = 400_000
    """Written keys, texts, numbers, lists and mappings. A usual manifest of 3 MiB has fewer."""

    copied: int = 400_000
    """Values that aliases repeat; 16 characters of a text count as one more value."""

    characters: int = 32 << 20
    number: int = 512
    """Characters of a number."""

    tag_directives: int = 100
    """Lines that begin with `%TAG`. The parser compares each with all others."""


LIMITS = Limits()
OWN_FILE = Limits(values=8_000_000, characters=1 << 30)
"""Limits of a file that the user of a command names: such as the description of a large cluster."""


MAX_PATH = 256
"""Characters of a path in `Notes.lines`: each field has one, and the keys above it may be long."""


@dataclass(kw_only=True)
class Notes:
    """Facts about the text besides its value."""

    has_lines: bool = False
    """Whether `lines` is wanted."""

    repeated: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Line and text of each key that its mapping has already."""

    lines: dict[str, int] = field(default_factory=dict[str, int])
    """The line of each field, such as `jobs[3].duration`; of the whole document under the empty text.

    Paths are cut to MAX_PATH characters.
    """


def read(text: str | bytes, *, dates: bool = True, limits: Limits = LIMITS, notes: Notes | None = None) -> Any:
    """Return the value of the only document; None for an empty text. Raises BadYaml.

    Without `dates`, a plain date stays the text that it is in JSON.
    """
    documents = list(islice(_documents(text, dates, limits, notes), 2))
    if len(documents) > 1:
        raise BadYaml("expected a single document in the stream, but found another document")
    return documents[0] if documents else None


def read_all(text: str | bytes, *, dates: bool = True, limits: Limits = LIMITS) -> list[Any]:
    """Return the values of all documents. Raises BadYaml. The limits are those of all of them together."""
    return list(_documents(text, dates, limits, None))


def as_json(value: Any) -> Any:
    """Return a value as JSON has it: dates, bytes and keys are texts, and nothing is shared. Raises BadYaml."""
    try:
        return msgspec.json.decode(msgspec.json.encode(value))
    except OverflowError as error:
        raise BadYaml("a number of more than 64 bits") from error
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise BadYaml(str(error)) from error


def _documents(text: str | bytes, dates: bool, limits: Limits, notes: Notes | None) -> Iterator[Any]:
    from windlass.formats.yaml_composer import Composer

    return Composer(text, dates=dates, limits=limits, notes=notes).documents()
