"""Scalars of the event files below the folder of a volume, read without leaving the folder."""

import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from windlass.apps.training.web.learning.curve_rows import event_series
from windlass.apps.training.web.structs.curves import Series
from windlass.formats.tfevents import DamagedFile, ScalarPoint, is_events_file, read_scalars
from windlass.formats.volume_files import open_file

MAX_DEPTH = 8
MAX_ENTRIES = 20_000
"""Folders and files that are looked at."""
MAX_FILES = 64
MAX_READ = 32 << 20
"""Bytes of one pass; the next one continues there."""
MAX_KEPT_POINTS = 200_000
"""Of all files of a volume."""


@dataclass(frozen=True)
class EventFile:
    run: str
    """The path of its folder below the volume; `.` for the volume itself."""
    name: str
    modified: float


@dataclass
class FilePoints:
    """What was read of one file so far."""

    offset: int = 0
    points: list[ScalarPoint] = field(default_factory=list[ScalarPoint])
    damaged: bool = False


@dataclass
class VolumeCurves:
    """All files of one volume, read incrementally."""

    root: Path
    files: dict[tuple[str, str], FilePoints] = field(default_factory=dict[tuple[str, str], FilePoints])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """Jobs with the same volume are read in threads of their own."""

    def series(self, since: float) -> tuple[list[Series], list[str]]:
        """The curves of files that changed at or after `since`, and notes for people. Blocks."""
        with self._lock:
            notes = self.read(since)
            if any(one.damaged for one in self.files.values()):
                notes.append("An event file is damaged and was read up to the damage")
            return event_series({key: one.points for key, one in self.files.items()}), notes

    def read(self, since: float) -> list[str]:
        """Read what is new in files that changed at or after `since`; answers notes for people. Blocks."""
        notes: list[str] = []
        budget = MAX_READ
        event_files = list(find_event_files(self.root, since, notes))
        for event_file in event_files[:MAX_FILES]:
            if budget <= 0:
                notes.append("There is more to read in the event files: load the curves again")
                break
            budget -= self._read_file(event_file, budget)
        if self._kept >= MAX_KEPT_POINTS:
            notes.append(f"The event files have more than {MAX_KEPT_POINTS} points: the rest is not read")
        if len(event_files) > MAX_FILES:
            notes.append(f"Only {MAX_FILES} of {len(event_files)} event files are read")
        kept = {(one.run, one.name) for one in event_files}
        for key in [key for key in self.files if key not in kept]:
            del self.files[key]
        return notes

    @property
    def _kept(self) -> int:
        return sum(len(one.points) for one in self.files.values())

    def _read_file(self, event_file: EventFile, limit: int) -> int:
        """Answers how many bytes were read."""
        known = self.files.setdefault((event_file.run, event_file.name), FilePoints())
        descriptor = open_file(self.root, f"{event_file.run}/{event_file.name}")
        if descriptor is None or known.damaged or self._kept >= MAX_KEPT_POINTS:
            if descriptor is not None:
                os.close(descriptor)
            return 0
        with os.fdopen(descriptor, "rb") as file:
            if os.fstat(file.fileno()).st_size < known.offset:
                known.offset, known.points = 0, []  # written again from its start
            before = known.offset
            try:
                points, known.offset = read_scalars(file, before, limit)
            except DamagedFile:
                known.damaged = True
                return 0
            known.points += points[: MAX_KEPT_POINTS - self._kept]
            return known.offset - before


def find_event_files(root: Path, since: float, notes: list[str]) -> Iterator[EventFile]:
    """Event files of the volume, those that changed since. Links are left out."""
    if not root.is_dir():
        return  # a volume has no folder before its first pod
    seen = 0
    for folder, _, files, descriptor in os.fwalk(root, follow_symlinks=False):
        path = Path(folder).relative_to(root)
        seen += 1 + len(files)
        if seen > MAX_ENTRIES:
            notes.append(f"The volume has more than {MAX_ENTRIES} files: not all folders were searched")
            return
        if len(path.parts) > MAX_DEPTH:
            continue
        for name in sorted(files):
            if is_events_file(name) and (changed := _modified(name, descriptor)) is not None and changed >= since:
                yield EventFile(str(path), name, changed)


def _modified(name: str, descriptor: int) -> float | None:
    try:
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
    except OSError:
        return None
    return status.st_mtime if stat.S_ISREG(status.st_mode) else None
