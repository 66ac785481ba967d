"""Facts about processes, from /proc if it exists: identity, memory, and the owner of a port."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
LISTEN = "0A"  # TCP_LISTEN in /proc/net/tcp


def birth(pid: int) -> int:
    """The start time in clock ticks since boot; 0 if it is unknown or the process is gone. Unlike pids, not reused."""
    try:
        after_name = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if after_name[0] == "Z" else int(after_name[19])


def is_alive(pid: int, born: int = 0) -> bool:
    """Whether the process exists. `born` is its `birth`, or 0 to compare only the pid."""
    if pid <= 0:
        return False
    if PROC.joinpath("self").exists():
        now = birth(pid)
        return now != 0 and born in (0, now)
    return _takes_signals(pid)


def send(pid: int, born: int, number: signal.Signals) -> bool:
    """Signal exactly that process; False if it is gone."""
    if not is_alive(pid, born):
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def memory(pid: int) -> int | None:
    """Resident bytes."""
    try:
        pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    except (OSError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float | None:
    """CPU time since the start of the process, of user and system together."""
    try:
        after_name = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return None


def name(pid: int) -> str:
    """A name that the user recognizes: `k3s`, or the module or script of a Python program and its first argument."""
    try:
        short = (PROC / str(pid) / "comm").read_text().strip()
    except OSError:
        return ""
    if not short.startswith("python"):
        return short
    plain = [Path(word).name for word in command_line(pid)[1:] if not word.startswith("-")]
    return " ".join(plain[:2]) or short


def command_line(pid: int) -> list[str]:
    """The program and its arguments; nothing of a process that has ended."""
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().decode(errors="surrogateescape").rstrip("\0").split("\0")
    except OSError:
        return []


def listener(port: int) -> int | None:
    """The pid that listens on a TCP port; None if there is none, or if it belongs to another user."""
    inodes = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    if not inodes:
        return None
    for pid in pids():
        if any(target in inodes for target in _open_files(pid)):
            return pid
    return None


def pids() -> Iterator[int]:
    try:
        yield from [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    except OSError:
        return


def _takes_signals(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _listening_inodes(port: int) -> Iterator[str]:
    for table in ("tcp", "tcp6"):
        try:
            rows = (PROC / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            columns = row.split()
            if columns[3] == LISTEN and int(columns[1].rpartition(":")[2], 16) == port:
                yield columns[9]


def _open_files(pid: int) -> Iterator[str]:
    try:
        entries = list((PROC / str(pid) / "fd").iterdir())
    except OSError:
        return
    for entry in entries:
        try:
            yield str(entry.readlink())
        except OSError:
            continue
