"""Runs below a folder of logs: every folder with event files is one, read further whenever it is asked for."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from windlass.formats.tfevents import DamagedFile, ScalarPoint, is_events_file, read_scalars

MAX_POINTS = 1000
"""Of one curve. One with more keeps every second of its points."""
MAX_CURVES = 10_000
REFRESH_SECONDS = 2.0


class Curve:
    """The points of a tag, thinned out evenly: a chart has no room for more."""

    def __init__(self) -> None:
        self.points: list[ScalarPoint] = []
        self._stride, self._skipped = 1, 0

    def add(self, point: ScalarPoint) -> None:
        self._skipped += 1
        if self._skipped < self._stride and self.points:
            return
        self._skipped = 0
        self.points.append(point)
        if len(self.points) > MAX_POINTS:
            self.points = self.points[::2]
            self._stride *= 2


class Runs:
    """What the event files below a folder contain."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[Path, int] = {}
        self._curves: dict[str, dict[str, Curve]] = {}
        self._damaged: dict[str, str] = {}
        self._read_at = float("-inf")
        self._lock = threading.Lock()

    def tags(self) -> dict[str, list[str]]:
        """The tags of each run, by the run's name: its folder relative to the logs, or `.`."""
        self._refresh()
        return {run: sorted(curves) for run, curves in sorted(self._curves.items())}

    def curve(self, run: str, tag: str) -> list[ScalarPoint] | None:
        self._refresh()
        found = self._curves.get(run, {}).get(tag)
        return list(found.points) if found is not None else None

    def problems(self) -> dict[str, str]:
        """What is wrong with files that cannot be read to their end, by their path relative to the logs."""
        return dict(self._damaged)

    def _refresh(self) -> None:
        with self._lock:
            if time.monotonic() - self._read_at < REFRESH_SECONDS:
                return
            for path in _event_files(self._folder):
                self._read(path)
            self._read_at = time.monotonic()

    def _read(self, path: Path) -> None:
        name = str(path.relative_to(self._folder))
        try:
            points, self._offsets[path] = read_scalars(path, self._offsets.get(path, 0))
        except (DamagedFile, OSError) as error:
            self._damaged[name] = str(error)
            points = []
        curves = self._curves.setdefault(str(Path(name).parent), {})
        for point in points:
            if point.tag in curves or sum(map(len, self._curves.values())) < MAX_CURVES:
                curves.setdefault(point.tag, Curve()).add(point)


def _event_files(folder: Path) -> Iterator[Path]:
    """In the order of their names, which start with the time: a run that was continued has several."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(parent) / name for name in sorted(files) if is_events_file(name))
