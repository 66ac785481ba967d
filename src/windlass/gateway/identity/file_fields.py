"""Fields of a users file, read one by one: each error names the field, and so does a warning of what nobody reads."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

LIMITING = re.compile(r"allow|den(y|ied)|block|exclu|filter|forbid|only|requir|restrict|whitelist|blacklist", re.I)
"""Names of fields that keep people out."""
ALIKE = 0.8
"""How similar a misspelt name is, as difflib counts."""


class BadUsersFile(Exception):
    """The file cannot be used; the message names the entry."""


class Fields:
    """The fields of one mapping in the file, which is at `where`."""

    def __init__(self, values: Mapping[str, Any], where: str, warnings: list[str] | None = None) -> None:
        self._values = values
        self._known: set[str] = set()
        self.where = where
        self.warnings: list[str] = [] if warnings is None else warnings
        """Of these fields and all below them."""

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def text(self, key: str, default: str | None = None) -> str:
        """Without a default the text must be there, and not be empty."""
        value = self._read(key, default)
        if not isinstance(value, str | int) or isinstance(value, bool) or (value == "" and default is None):
            raise self.error(key, "is missing or not a text")
        return str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value: Any = self._read(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in cast(list[Any], value)):
            raise self.error(key, "is not a list of texts")
        return tuple(cast(list[str], value))

    def flag(self, key: str, default: bool = False) -> bool:
        value = self._read(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, "is neither true nor false")
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """One of the choices; the first where the field is missing or empty."""
        value = self.text(key, "") or choices[0]
        if value not in choices:
            raise self.error(key, f"is {value!r}, and must be one of {', '.join(choices)}")
        return value

    def mapping(self, key: str) -> "Fields":
        """The fields below a key; none where it is missing."""
        value: Any = self._read(key) or {}
        if not isinstance(value, dict):
            raise self.error(key, "is not a mapping")
        return Fields(cast(dict[str, Any], value), f"{self.where}.{key}", self.warnings)

    def mappings(self, key: str) -> "list[Fields]":
        value: Any = self._read(key) or []
        if not isinstance(value, list):
            raise self.error(key, "is not a list")
        where = f"{self.where}.{key}" if self.where else key
        found: list[Fields] = []
        for number, entry in enumerate(cast(list[Any], value)):
            if not isinstance(entry, dict):
                raise BadUsersFile(f"{where}[{number}] is not a mapping")
            found.append(Fields(cast(dict[str, Any], entry), f"{where}[{number}]", self.warnings))
        return found

    def ignore(self, *keys: str) -> None:
        """Accept fields that change nothing here."""
        self._known.update(keys)

    def refuse(self, why: str, *keys: str) -> None:
        """Refuse fields of which any value but the empty one asks for what cannot be done."""
        for key in keys:
            if self._read(key):
                raise self.error(key, f"is not supported: {why}")

    def leave_others(self, *limits: str) -> None:
        """Warn of the fields that nobody has read: as in dex they change nothing.

        One that was meant to keep people out is refused, since without it everybody would come in. It has the name of
        a limit, or almost that of a known field of `limits`.
        """
        lower = [limit.lower() for limit in limits]
        for key in self._values:
            if key in self._known:
                continue
            if LIMITING.search(key) or get_close_matches(key.lower(), lower, 1, ALIKE):
                raise self.error(key, "is not supported, and looks like a limit of who may sign in")
            self.warnings.append(str(self.error(key, "is not known and changes nothing")))

    def error(self, key: str, problem: str) -> BadUsersFile:
        return BadUsersFile(f"{self.where}.{key} {problem}" if self.where else f"{key} {problem}")

    def _read(self, key: str, default: Any = None) -> Any:
        self._known.add(key)
        return self._values.get(key, default)
