"""Small real processes to supervise, and a narrator that remembers what it was told."""

import sys
from pathlib import Path

from windlass.supervisor.child import Child, Component
from windlass.supervisor.datadir import DataDir, Lock, acquire_lock

ANSWERS = """
import signal, socket, sys
socket_path, journal, name = sys.argv[1:4]
def note(what):
    with open(journal, "a") as file:
        file.write(f"{name} {what}\\n")
def stop(*_):
    note("stopped")
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
listener = socket.socket(socket.AF_UNIX)
listener.bind(socket_path)
listener.listen()
note("started")
while True:
    caller, _ = listener.accept()
    asked = caller.recv(65536)
    if b"/die" in asked:
        sys.exit(7)
    caller.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    caller.close()
"""
"""A process that is ready at once, writes down its start and stop, and dies when asked for /die."""

STUBBORN = ANSWERS.replace("sys.exit(0)", "return")
"""The same, but SIGTERM does not move it."""

FALLS = "import sys; print('first words'); print('the store is damaged'); sys.exit(4)"


def a_component(data: DataDir, name: str, script: str = ANSWERS) -> Component:
    socket = data.run / f"{name}.sock"
    unlink = f"import pathlib; pathlib.Path({str(socket)!r}).unlink(missing_ok=True)\n"
    return Component(
        name=name,
        argv=(sys.executable, "-c", unlink + script, str(socket), str(journal_of(data)), name),
        log=data.log_of(name),
        probe=socket,
    )


def journal_of(data: DataDir) -> Path:
    return data.root / "journal"


def journal(data: DataDir) -> list[str]:
    return journal_of(data).read_text().splitlines()


def a_data_dir(root: Path) -> DataDir:
    data = DataDir(root / "data")
    data.prepare()
    return data


def a_lock(data: DataDir) -> Lock:
    lock = acquire_lock(data)
    assert lock is not None
    return lock


class Listener:
    """A Narrator for tests."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def started(self, child: Child, seconds: float) -> None:
        self.told.append(f"{child.component.name} started")

    def ready(self, seconds: float) -> None:
        self.told.append("ready")

    def crashed(self, child: Child) -> None:
        self.told.append(f"{child.component.name} fell with {child.exit_code}")

    def stopping(self) -> None:
        self.told.append("stopping")

    def killing(self) -> None:
        self.told.append("killing")

    def stopped(self) -> None:
        self.told.append("stopped")
