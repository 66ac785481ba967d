"""What the scenarios share: the sandbox's bench with the process runtime in it."""

import importlib.util
from collections.abc import Awaitable
from itertools import count
from pathlib import Path
from typing import Any

from windlass.node.runtimes.base import CannotRun
from windlass.node.runtimes.process.runtime import Processes

_spec = importlib.util.spec_from_file_location("sandbox_bench", Path(__file__).parents[1] / "sandbox" / "bench.py")
assert _spec is not None
assert _spec.loader is not None
_sandbox: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_sandbox)

PATH, finish, read_until, until = _sandbox.PATH, _sandbox.finish, _sandbox.read_until, _sandbox.until


class Bench(_sandbox.Bench):
    def __init__(self, data: Path) -> None:
        self.data, self.runtime, self._numbers = data, Processes(data), count(1)


def processes(word: str) -> list[str]:
    """Those with this word among their arguments, zombies aside."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in arguments:
            found.append(folder.name)
    return found


async def refused(work: Awaitable[object]) -> CannotRun:
    """What it was refused with."""
    try:
        await work
    except CannotRun as error:
        return error
    raise AssertionError("it was not refused")
