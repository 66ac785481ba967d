"""Small drawings as SVG text: lines over time, bars by width, who was on which node."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948")
WIDE, HIGH = 920, 260
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 14, 34
POINTS = 400  # of a line at most


@dataclass(frozen=True)
class Line:
    """A series: its name and points."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    colour: str
    dashed: bool = False


def thinned(values: Sequence[float], most: int = POINTS) -> list[float]:
    """Means of neighbours, so that no more than `most` are left."""
    step = math.ceil(len(values) / most) or 1
    return [sum(values[at : at + step]) / len(values[at : at + step]) for at in range(0, len(values), step)]


def lines(series: Sequence[Line], *, top: float, percent: bool = False, high: int = HIGH) -> str:
    """Lines over time, in seconds, from 0 to `top`."""
    end = max((line.xs[-1] for line in series if line.xs), default=1.0) or 1.0
    x, y = _scale(end, LEFT, WIDE - RIGHT), _scale(top or 1.0, high - BOTTOM, TOP)
    parts = [_open(high), *_time_axis(end, high), *_value_axis(top, high, percent=percent)]
    for line in series:
        points = " ".join(f"{x(a):.1f},{y(min(b, top)):.1f}" for a, b in zip(line.xs, line.ys, strict=True))
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="1.6"{dash}>'
            f"<title>{escape(line.name)}</title></polyline>"
        )
    return "".join([*parts, "</svg>"])


def bars(groups: Sequence[tuple[str, Sequence[tuple[str, float, str]]]], unit: str = "s") -> str:
    """Groups of bars on a logarithmic scale: each bar has a name, a value and a colour."""
    top = max((value for _, bars_ in groups for _, value, _ in bars_), default=1.0)
    decades = max(1, math.ceil(math.log10(max(top, 10.0))))
    bottom, room = HIGH - BOTTOM, HIGH - BOTTOM - TOP
    parts = [_open(HIGH)]
    for decade in range(decades + 1):
        at = bottom - room * decade / decades
        parts.append(_rule(at) + _text(LEFT - 6, at + 4, _length(10.0**decade), "end"))
    space = (WIDE - LEFT - RIGHT) / max(len(groups), 1)
    for number, (name, bars_) in enumerate(groups):
        start, wide = LEFT + number * space + space * 0.1, space * 0.8 / max(len(bars_), 1)
        for at, (label, value, colour) in enumerate(bars_):
            high = room * min(1.0, math.log10(max(value, 1.0)) / decades)
            parts.append(
                f'<rect x="{start + at * wide:.1f}" y="{bottom - high:.1f}" width="{wide * 0.9:.1f}" '
                f'height="{high:.1f}" fill="{colour}"><title>{escape(label)}: {value:,.0f} {unit}</title></rect>'
            )
        parts.append(_text(start + space * 0.4, HIGH - 12, name))
    return "".join([*parts, "</svg>"])


def gantt(rows: Sequence[str], blocks: Sequence[tuple[str, float, float, str]], end: float) -> str:
    """A row a node: each block is a node, when it began and ended, and its words. Overlapping ones share the row."""
    high = TOP + BOTTOM + 16 * max(len(rows), 1)
    x, number = _scale(end or 1.0, LEFT + 50, WIDE - RIGHT), {name: at for at, name in enumerate(rows)}
    parts = [_open(high)]
    for name, at in number.items():
        parts.append(_text(LEFT + 44, TOP + 16 * at + 12, name, "end"))
    for node, start, stop, words in blocks:
        top = TOP + 16 * number[node]
        parts.append(
            f'<rect x="{x(start):.1f}" y="{top + 1}" width="{max(x(stop) - x(start), 0.7):.1f}" height="13" '
            f'fill="{colour_of(words)}" fill-opacity=".55"><title>{escape(words)}</title></rect>'
        )
    return "".join([*parts, *_time_axis(end, high, LEFT + 50), "</svg>"])


def colour_of(words: str) -> str:
    """The same for the same words, on every machine."""
    return COLOURS[sum(ord(letter) * at for at, letter in enumerate(words.split(" ")[0], 1)) % len(COLOURS)]


# --- axes


def _open(high: int) -> str:
    return f'<svg viewBox="0 0 {WIDE} {high}" role="img" preserveAspectRatio="xMidYMid meet">'


def _scale(top: float, low: float, high: float):
    def place(value: float) -> float:
        return low + (high - low) * value / top

    return place


def _time_axis(end: float, high: int, left: int = LEFT) -> list[str]:
    x = _scale(end or 1.0, left, WIDE - RIGHT)
    step = next((step for step in (60, 300, 900, 3600, 7200, 21_600, 43_200, 86_400) if end / step <= 9), 604_800)
    marks = [step * at for at in range(int(end // step) + 1)]
    return [_text(x(mark), high - 12, _length(mark)) for mark in marks]


def _value_axis(top: float, high: int, *, percent: bool) -> list[str]:
    found: list[str] = []
    for part in range(5):
        at = high - BOTTOM - (high - BOTTOM - TOP) * part / 4
        value = top * part / 4
        found.append(_rule(at) + _text(LEFT - 6, at + 4, f"{value:.0%}" if percent else f"{value:,.0f}", "end"))
    return found


def _rule(at: float) -> str:
    return f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="rule"/>'


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _length(seconds: float) -> str:
    if seconds >= 86_400:
        return f"{seconds / 86_400:.3g} d"
    if seconds >= 3600:
        return f"{seconds / 3600:.3g} h"
    return f"{seconds / 60:.3g} min" if seconds >= 60 else f"{seconds:.3g} s"
