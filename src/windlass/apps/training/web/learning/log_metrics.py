"""Metrics in lines of logs: `loss=0.42 step=10`, `accuracy: 0.9`, `epoch 1/15 loss 1.71`. Deterministic, no I/O."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

X: TypeAlias = Literal["step", "epoch", "line"]

MAX_LINE = 4096
"""Characters of a line that are looked at, from its end: progress bars rewrite a line many times."""
MAX_SERIES = 40
MAX_POINTS = 20_000
"""Of a series; then every other point is dropped."""
MIN_RISING = 0.8
"""The part of a series in which its counter must rise from point to point to be worth an axis."""
# A pod writes what it likes: quantifiers are possessive, so that no line takes more than linear time.
_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
_NAME = r"[A-Za-z_][\w./@-]{0,63}"
_PART = r"(?:(train|training|val|valid|validation|test|eval)[ ]++)?"
_ASSIGNED = re.compile(rf"(?<![\w./@-]){_PART}['\"]?({_NAME})['\"]?\s*+[=:]\s*+\[?({_NUMBER})(?![\w:])", re.IGNORECASE)
_SPOKEN = re.compile(rf"(?<![\w./@-]){_PART}({_NAME})\s++({_NUMBER})(?![\w:])", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?<![\w./-])(epochs?|steps?|global_step|iter|iters|iteration|batch)\b['\"]?\s*+[=:]?\s*+[\[(#]?\s*+"
    r"(\d{1,15}(?:\.\d{1,9})?)(?![\w.]|:\d|-\d)",
    re.IGNORECASE,
)
STEPS = frozenset({"step", "steps", "global_step", "iter", "iters", "iteration", "batch"})
EPOCHS = frozenset({"epoch", "epochs"})
WORDS = frozenset({
    "loss", "acc", "accuracy", "auc", "error", "err", "perplexity", "ppl", "f1", "precision", "recall", "reward",
    "return", "rmse", "mae", "mse", "map", "bleu", "rouge", "iou", "dice", "lr", "learning_rate", "grad_norm",
    "throughput", "entropy", "kl", "wer", "cer", "score", "logloss", "nll", "elbo", "psnr", "ssim", "fid", "top1",
    "top5",
})  # fmt: skip
"""A name is a metric if one of its words is among these: `val_loss`, `train/accuracy`."""
IGNORED = frozenset({
    "rank", "local_rank", "node_rank", "world_size", "local_world_size", "pid", "port", "seed", "epochs", "steps",
    "size", "batch_size", "num", "workers", "replicas", "index", "level", "line", "time", "timestamp", "version",
    "eta", "exit_code", "code", "status", "nproc", "threads", "gpu", "gpus", "device",
})  # fmt: skip
"""Names that settings and messages have, written `name=number`, and that are no metrics."""


@dataclass(frozen=True, slots=True)
class LineMetrics:
    """What one line says."""

    values: tuple[tuple[str, float], ...] = ()
    step: float | None = None
    epoch: float | None = None


def parse_line(line: str) -> LineMetrics:
    """Metrics of a line in the order in which they stand; a name that comes twice counts with its last value."""
    text = line.rstrip("\r\n").rpartition("\r")[2][-MAX_LINE:]
    if not any(character.isdigit() for character in text):
        return LineMetrics()
    step, epoch = _counters(text)
    values = {name: value for name, value in _values(text) if math.isfinite(value)}
    return LineMetrics(tuple(values.items())[:MAX_SERIES], step, epoch)


def _counters(text: str) -> tuple[float | None, float | None]:
    step: float | None = None
    epoch: float | None = None
    for match in _COUNTED.finditer(text):
        if match[1].lower() in EPOCHS:
            epoch = float(match[2]) if epoch is None else epoch
        elif step is None or match[1].lower() != "batch":
            step = float(match[2])
    return step, epoch


def _values(text: str) -> Iterator[tuple[str, float]]:
    for match in _ASSIGNED.finditer(text):
        is_equation = "=" in match[0]
        if _is_metric(match[2]) or (is_equation and _may_be_metric(match[2])):
            yield _full_name(match), float(match[3])
    for match in _SPOKEN.finditer(text):
        if _is_metric(match[2]):
            yield _full_name(match), float(match[3])


def _full_name(match: re.Match[str]) -> str:
    """`val loss` is `val_loss`."""
    return f"{match[1].lower()}_{match[2]}" if match[1] else match[2]


def _words(name: str) -> set[str]:
    lower = name.lower()
    return {lower, *re.split(r"[_./@-]", lower)}


def _is_metric(name: str) -> bool:
    return not WORDS.isdisjoint(_words(name)) and name.lower() not in (*STEPS, *EPOCHS)


def _may_be_metric(name: str) -> bool:
    lower = name.lower()
    return lower not in STEPS and lower not in EPOCHS and IGNORED.isdisjoint(_words(name)) and not name.isupper()


@dataclass
class LogSeries:
    """Points of one metric."""

    name: str
    x: X
    steps: list[float] = field(default_factory=list[float])
    lines: list[float] = field(default_factory=list[float])
    values: list[float] = field(default_factory=list[float])
    times: list[float] = field(default_factory=list[float])
    total: int = 0

    def add(self, step: float, line: int, value: float, time: float) -> None:
        self.steps.append(step)
        self.lines.append(float(line))
        self.values.append(value)
        self.times.append(time)
        self.total += 1
        if len(self.steps) > MAX_POINTS:
            for points in (self.steps, self.lines, self.values, self.times):
                del points[1:-1:2]

    @property
    def axis(self) -> tuple[X, list[float]]:
        """What the points are drawn over: lines where the counter falls or stays, as that of batches does."""
        rises = sum(after > before for before, after in pairwise(self.steps))
        falls = any(after < before for before, after in pairwise(self.steps))
        if self.x == "line" or falls or rises < MIN_RISING * (len(self.steps) - 1):
            return "line", self.lines
        return self.x, self.steps


@dataclass
class LogMetrics:
    """The series of one log, fed line by line."""

    series: dict[tuple[str, X], LogSeries] = field(default_factory=dict[tuple[str, X], LogSeries])
    lines: int = 0
    _epoch: float | None = None
    """Of a headline such as `Epoch 3/15`, for the lines after it that name no step."""

    def feed(self, line: str, time: float = 0.0) -> None:
        """`time`: when the line was written, in seconds since 1970; 0 if that is not known."""
        self.lines += 1
        metrics = parse_line(line)
        if not metrics.values:
            self._epoch = metrics.epoch if metrics.epoch is not None else self._epoch
            return
        x, at = self._place(metrics)
        for name, value in metrics.values:
            series = self.series.get((name, x))
            if series is None:
                if len(self.series) >= MAX_SERIES:
                    continue
                series = self.series[name, x] = LogSeries(name, x)
            series.add(at, self.lines, value, time)

    def _place(self, found: LineMetrics) -> tuple[X, float]:
        if found.step is not None:
            return "step", found.step
        epoch = found.epoch if found.epoch is not None else self._epoch
        return ("epoch", epoch) if epoch is not None else ("line", float(self.lines))
