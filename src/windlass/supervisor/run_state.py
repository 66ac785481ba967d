"""What runs on a data directory, as its supervisor last saved it, for other commands to read.

Uses dataclasses and json, since importing msgspec would slow every start.
"""

import json
import time
from dataclasses import asdict, dataclass

from windlass.supervisor import process
from windlass.supervisor.datadir import DataDir, is_held, write_atomically


@dataclass(frozen=True, kw_only=True)
class ComponentState:
    name: str
    state: str  # starting, running, restarting, stopping, stopped
    pid: int = 0
    born: int = 0  # process.birth, so that a pid used again is not taken for it
    started: float = 0.0
    restarts: int = 0

    @property
    def is_alive(self) -> bool:
        return process.is_alive(self.pid, self.born)


@dataclass(frozen=True, kw_only=True)
class RunState:
    pid: int
    born: int
    version: str
    phase: str  # starting, ready, stopping
    url: str
    started: float
    ready_after: float = 0.0
    components: tuple[ComponentState, ...] = ()
    gateway_url: str = ""
    api_listen: str | None = None  # the address that the API server listens on
    gateway_listen: str = ""  # with its scheme; unlike `gateway_url`, which may be that of a proxy

    @property
    def uptime(self) -> float:
        return max(0.0, time.time() - self.started)

    @property
    def is_alive(self) -> bool:
        return process.is_alive(self.pid, self.born)


def save(data: DataDir, state: RunState) -> None:
    write_atomically(data.state, json.dumps(asdict(state)).encode(), mode=0o600, durable=False)


def load(data: DataDir) -> RunState | None:
    """The saved state, which may be outdated."""
    try:
        found = json.loads(data.state.read_bytes())
        components = tuple(ComponentState(**one) for one in found.pop("components"))
        return RunState(**found, components=components)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):  # not there, or of another version
        return None


def running(data: DataDir) -> RunState | None:
    """The current state; None if no process holds the data directory."""
    if not is_held(data):
        return None
    return load(data) or RunState(pid=0, born=0, version="", phase="starting", url="", started=time.time())


def forget(data: DataDir) -> None:
    data.state.unlink(missing_ok=True)
