"""Log files: a new one at each start, a few old ones, and a maximum size."""

import shutil
from pathlib import Path

KEEP = 3
LIMIT = 10 * 1024 * 1024


def rotate(path: Path) -> None:
    """Move `x.log` to `x.log.1` and so on unless it is empty; the oldest is deleted."""
    if not path.exists() or path.stat().st_size == 0:
        return
    for number in range(KEEP, 1, -1):
        older, newer = _numbered(path, number), _numbered(path, number - 1)
        if newer.exists():
            newer.replace(older)
    path.replace(_numbered(path, 1))


def trim(path: Path, limit: int = LIMIT) -> None:
    """Rotate a log that is larger than `limit` while its process keeps appending to it."""
    if not path.exists() or path.stat().st_size <= limit:
        return
    for number in range(KEEP, 1, -1):
        newer = _numbered(path, number - 1)
        if newer.exists():
            newer.replace(_numbered(path, number))
    # The process has the file open for appending, so the file must stay and only its content move.
    shutil.copyfile(path, _numbered(path, 1))
    with path.open("r+b") as file:
        file.truncate(0)


def tail(path: Path, lines: int = 10) -> tuple[str, ...]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 64 * 1024))
            text = file.read().decode(errors="replace")
    except OSError:
        return ()
    return tuple(line for line in text.splitlines() if line.strip())[-lines:]


def error_lines(path: Path) -> tuple[str, ...]:
    """The end of the log of a process that exited: from its last `error:` line, if there is one."""
    lines = tail(path)
    starts = [at for at, line in enumerate(lines) if line.startswith("error: ")]
    return lines[starts[-1] :] if starts else lines


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")
