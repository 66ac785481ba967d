"""Series for pages from what was read of logs and event files. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from windlass.apps.training.web.learning.downsampling import chosen_points
from windlass.apps.training.web.learning.log_metrics import LogMetrics, LogSeries
from windlass.apps.training.web.structs.curves import Series
from windlass.apps.training.web.structs.jobs import MetricValue
from windlass.formats.tfevents import ScalarPoint

MAX_POINTS = 1000
"""Of a series in an answer."""
MAX_SERIES = 60
SPARKLINE = 60


def log_series(replica: str, log: LogMetrics) -> list[Series]:
    return [_log_series(replica, one) for one in log.series.values() if one.values]


def _log_series(replica: str, series: LogSeries) -> Series:
    x, steps = series.axis
    kept = chosen_points(steps, series.values, MAX_POINTS)
    has_times = any(series.times)
    return Series(
        name=series.name,
        replica=replica,
        run="",
        source="log",
        x=x,
        steps=tuple(steps[at] for at in kept),
        values=tuple(series.values[at] for at in kept),
        times=tuple(series.times[at] for at in kept) if has_times else (),
        total=series.total,
    )


def event_series(files: Mapping[tuple[str, str], Sequence[ScalarPoint]]) -> list[Series]:
    """Files of a run, by the run and their name, are one: TensorBoard starts a new file when a job restarts."""
    points: defaultdict[tuple[str, str], dict[int, ScalarPoint]] = defaultdict(dict)
    for (run, _), read in sorted(files.items()):
        for point in read:
            points[run, point.tag][point.step] = point
    return [_event_series(run, tag, list(found.values())) for (run, tag), found in points.items()]


def _event_series(run: str, tag: str, points: list[ScalarPoint]) -> Series:
    points = sorted((point for point in points if abs(point.value) < float("inf")), key=lambda point: point.step)
    kept = chosen_points([float(one.step) for one in points], [one.value for one in points], MAX_POINTS)
    return Series(
        name=tag,
        replica="",
        run=run,
        source="tensorboard",
        x="step",
        steps=tuple(float(points[at].step) for at in kept),
        values=tuple(points[at].value for at in kept),
        times=tuple(points[at].wall_time for at in kept),
        total=len(points),
    )


def is_loss(name: str) -> bool:
    return "loss" in name.lower()


def ordered(series: Iterable[Series]) -> tuple[Series, ...]:
    """Losses first, then by name; at most `MAX_SERIES`."""
    found = sorted(series, key=lambda one: (not is_loss(one.name), one.name.lower(), one.run, one.replica))
    return tuple(one for one in found if one.values)[:MAX_SERIES]


def newest_metric(series: Sequence[Series]) -> MetricValue | None:
    """The last value of the first series: a loss, if there is one."""
    first = next((one for one in ordered(series)), None)
    if first is None:
        return None
    step = int(first.steps[-1]) if first.x != "line" else None
    return MetricValue(name=first.name, value=first.values[-1], step=step)


def sparkline(series: Sequence[Series]) -> tuple[str, tuple[float, ...]]:
    """The name of the first series, and at most `SPARKLINE` of its values."""
    first = next((one for one in ordered(series)), None)
    if first is None:
        return "", ()
    kept = chosen_points(first.steps, first.values, SPARKLINE)
    return first.name, tuple(first.values[at] for at in kept)
