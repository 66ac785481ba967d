"""What a plugin of the scheduler is. The questions that it may answer are in `extension_points`.

Listed by `NAME` in `windlass.scheduler.plugins`; switched and ordered by the configuration (`conf`).
"""

import math
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from windlass.scheduler.framework.session import Session


Timed = Callable[[str, str], AbstractContextManager[None]]
"""Measures how long something takes: of which kind (`action`, `plugin`, `cycle`), and its name."""
_UNTIMED = nullcontext()
LARGEST = sys.float_info.max


def untimed(kind: str, name: str) -> AbstractContextManager[None]:
    return _UNTIMED


class Arguments:
    """A plugin's arguments. Numbers must be written as numbers: one in quotes is not taken, and warned of."""

    def __init__(self, given: Mapping[str, Any], plugin: str = "") -> None:
        self.given, self._plugin = dict(given), plugin
        self.warnings: list[str] = []
        self.asked: set[str] = set()
        """Names that were asked for, given or not."""

    def number(self, name: str, default: float, *, least: float = -math.inf) -> float:
        value = self._get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            self.warnings.append(f"{self._plugin}: {name}: {value!r} is not a number; {default:g} is used")
            return default
        if value < least:
            self.warnings.append(f"{self._plugin}: {name}: {value!r} is less than {least:g}; {default:g} is used")
            return default
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        value = self._get(name, default)
        if not isinstance(value, bool):
            self.warnings.append(f"{self._plugin}: {name}: {value!r} is not true or false; {default} is used")
            return default
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self._get(name, default)
        return value if isinstance(value, str) else str(value)

    def raw(self, name: str) -> Any:
        """As it was written; None where it is not given."""
        return self._get(name, None)

    def starting_with(self, prefix: str) -> dict[str, Any]:
        """Those whose names begin so, by the rest of their names."""
        found = [name for name in self.given if name.startswith(prefix)]
        self.asked.update(found)
        return {name.removeprefix(prefix): self.given[name] for name in found}

    @property
    def unused(self) -> list[str]:
        """What is given and nobody asks for."""
        return [name for name in self.given if name not in self.asked]

    def _get(self, name: str, default: Any) -> Any:
        self.asked.add(name)
        return self.given.get(name, default)


class Plugin:
    """Made once for a configuration, opened each cycle. It has the methods of the extension points that it answers."""

    NAME: ClassVar[str] = ""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments

    def open(self, session: "Session") -> None:
        """A cycle begins: find out what is needed for it. Must cost by queues and waiting jobs, not by running ones."""
