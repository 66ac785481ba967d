"""What runs on a data directory, as its supervisor last wrote it down, for the other commands to read."""

import time

import msgspec

from windlass.cli import process
from windlass.cli.datadir import DataDir, is_held, write_atomically


class ComponentState(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    state: str  # starting, running, restarting, stopping, stopped
    pid: int = 0
    born: int = 0  # process.birth, so that a pid used again is not taken for it
    started: float = 0.0
    restarts: int = 0

    @property
    def is_alive(self) -> bool:
        return process.is_alive(self.pid, self.born)


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    pid: int
    born: int
    version: str
    phase: str  # starting, ready, stopping
    url: str
    started: float
    ready_after: float = 0.0
    components: tuple[ComponentState, ...] = ()

    @property
    def uptime(self) -> float:
        return max(0.0, time.time() - self.started)

    @property
    def is_alive(self) -> bool:
        return process.is_alive(self.pid, self.born)


def save(data: DataDir, state: RunState) -> None:
    write_atomically(data.state, msgspec.json.encode(state), mode=0o600, durable=False)


def load(data: DataDir) -> RunState | None:
    """What the file says, whether or not it is still so."""
    try:
        return msgspec.json.decode(data.state.read_bytes(), type=RunState)
    except (OSError, msgspec.MsgspecError):
        return None


def running(data: DataDir) -> RunState | None:
    """What runs now; None when nothing holds the data directory."""
    if not is_held(data):
        return None
    return load(data) or RunState(pid=0, born=0, version="", phase="starting", url="", started=time.time())


def forget(data: DataDir) -> None:
    data.state.unlink(missing_ok=True)
