"""Small drawings as SVG text: lines over time, bars by width, who was on which node."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948")
INK = "var(--ink)"
WIDE, HIGH = 920, 260
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 22, 34
NAMES = 120  # room for the names of nodes
POINTS = 400  # of a line at most
MINUTE, HOUR, DAY = 60, 3600, 86_400
STEPS = (10, MINUTE, 300, 900, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY)
UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s"))
MARKS = (1, 10, MINUTE, 600, HOUR, 6 * HOUR, DAY, 7 * DAY)  # of a logarithmic scale of time


@dataclass(frozen=True)
class Line:
    """A series: its name and points."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    colour: str
    dashed: bool = False


@dataclass(frozen=True)
class Column:
    """A bar: its tooltip, how many seconds it stands for, and what is written above it."""

    words: str
    seconds: float
    colour: str
    above: str = ""


@dataclass(frozen=True)
class Block:
    """The time of a job on a node, of which it has a part."""

    node: str
    start: float
    end: float
    part: float
    who: str
    words: str


def thinned(values: Sequence[float], maximum: int = POINTS) -> list[float]:
    """Means of neighbours, so that no more than `most` are left."""
    step = math.ceil(len(values) / maximum) or 1
    return [sum(values[at : at + step]) / len(values[at : at + step]) for at in range(0, len(values), step)]


def lines(series: Sequence[Line], *, top: float, unit: str, percent: bool = False) -> str:
    """Lines over time, in seconds, from 0 to `top`."""
    end = max((line.xs[-1] for line in series if line.xs), default=1.0) or 1.0
    x, y = _scale(end, LEFT, WIDE - RIGHT), _scale(top or 1.0, HIGH - BOTTOM, TOP)
    parts = [_open(HIGH), _text(LEFT, TOP - 9, unit, "start"), *_time_axis(end, HIGH)]
    for value in ticks(top):
        words = f"{value:.0%}" if percent else f"{value:,.10g}"
        parts.append(_rule(y(value)) + _text(LEFT - 6, y(value) + 4, words, "end"))
    for line in series:
        points = " ".join(f"{x(a):.1f},{y(min(b, top)):.1f}" for a, b in zip(line.xs, line.ys, strict=True))
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="1.6"{dash}>'
            f"<title>{escape(line.name)}</title></polyline>"
        )
    return "".join([*parts, "</svg></div>"])


def bars(groups: Sequence[tuple[str, Sequence[Column]]], unit: str) -> str:
    """Groups of bars on a logarithmic scale of time; what is less than a second is a second."""
    longest = max((one.seconds for _, columns in groups for one in columns), default=1.0)
    y = _scale(math.log10(max(longest, 10.0)), HIGH - BOTTOM, TOP)
    parts = [_open(HIGH), _text(LEFT, TOP - 9, unit, "start")]
    for mark in MARKS:
        if mark <= max(longest, 10.0):
            at = y(math.log10(mark))
            parts.append(_rule(at) + _text(LEFT - 6, at + 4, length(mark), "end"))
    space = (WIDE - LEFT - RIGHT) / max(len(groups), 1)
    for number, (name, columns) in enumerate(groups):
        start, wide = LEFT + number * space + space * 0.1, min(space * 0.8 / max(len(columns), 1), 60)
        start += (space * 0.8 - wide * len(columns)) / 2
        for at, one in enumerate(columns):
            top, left = y(math.log10(max(one.seconds, 1.0))) - 1, start + at * wide
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide * 0.9:.1f}" height="{HIGH - BOTTOM - top:.1f}" '
                f'fill="{one.colour}"><title>{escape(one.words)}</title></rect>'
            )
            parts.append(_text(left + wide * 0.45, top - 3, one.above) if one.above else "")
        parts.append(_text(LEFT + (number + 0.5) * space, HIGH - 12, name))
    return "".join([*parts, "</svg></div>"])


def gantt(rows: Sequence[str], blocks: Sequence[Block], end: float) -> str:
    """A row a node, in which each block is as high as its part of the node."""
    row = min(28, max(16, 320 // max(len(rows), 1)))
    high = TOP + BOTTOM + row * len(rows)
    x, top_of = _scale(end or 1.0, NAMES, WIDE - RIGHT), {name: TOP + row * at for at, name in enumerate(rows)}
    parts = [_open(high), *_time_axis(end, high, NAMES)]
    for name, top in top_of.items():
        shown = name if len(name) <= 18 else f"{name[:8]}…{name[-9:]}"
        track = f'<rect x="{NAMES}" y="{top + 1}" width="{WIDE - RIGHT - NAMES}" height="{row - 2}" class="track"/>'
        parts.append(track + _text(NAMES - 6, top + row / 2 + 4, shown, "end", name))
    for block, low in stacked(blocks):
        top = top_of[block.node] + 1 + (row - 2) * (1 - low - block.part)
        parts.append(
            f'<rect x="{x(block.start):.1f}" y="{top:.1f}" width="{max(x(block.end) - x(block.start), 0.7):.1f}" '
            f'height="{max((row - 2) * block.part, 0.7):.1f}" fill="{colour_of(block.who)}">'
            f"<title>{escape(block.words)}</title></rect>"
        )
    return "".join([*parts, "</svg></div>"])


def stacked(blocks: Sequence[Block]) -> list[tuple[Block, float]]:
    """Each with the lowest place, from 0 to 1, at which nobody else on its node is; else on top of others."""
    there: dict[str, list[tuple[float, Block]]] = {}
    found: list[tuple[Block, float]] = []
    for block in sorted(blocks, key=lambda one: (one.start, -one.part, one.who)):
        beside = sorted(
            ((low, other) for low, other in there.get(block.node, ()) if other.end > block.start),
            key=lambda one: one[0],
        )
        place = 0.0
        for low, other in beside:
            if place + block.part <= low + 1e-6:
                break
            place = max(place, low + other.part)
        place = max(0.0, min(place, 1 - block.part))
        there[block.node] = [*beside, (place, block)]
        found.append((block, place))
    return found


def colour_of(who: str) -> str:
    """The same for the same name, on every machine; names that follow each other are far apart."""
    number = 0
    for letter in who:
        number = (number * 31 + ord(letter)) % 9973
    return f"hsl({number * 137 % 360} {38 + number % 3 * 8}% {48 + number % 4 * 5}%)"


def length(seconds: float) -> str:
    """In the largest unit that it is one of."""
    size, unit = _unit_of(seconds)
    return f"{seconds / size:.3g} {unit}"


def ticks(top: float) -> list[float]:
    """Round numbers from 0 to `top`, five steps at most."""
    if top <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(top / 5))
    step = next(power * part for part in (1, 2, 5, 10) if top / (power * part) <= 5 + 1e-9)
    return [step * at for at in range(int(top / step + 1e-9) + 1)]


# --- axes


def _open(high: int) -> str:
    return f'<div class="chart"><svg viewBox="0 0 {WIDE} {high}" role="img">'


def _scale(top: float, low: float, high: float):
    def place(value: float) -> float:
        return low + (high - low) * value / top

    return place


def _time_axis(end: float, high: int, left: int = LEFT) -> list[str]:
    """All marks in one unit, that of their step."""
    x = _scale(end or 1.0, left, WIDE - RIGHT)
    step = next((step for step in STEPS if end / step <= 9), DAY * math.ceil(end / DAY / 9))
    size, unit = _unit_of(step)
    found: list[str] = []
    for at in range(int(end // step) + 1):
        place = x(step * at)
        anchor = "end" if place > WIDE - 2 * RIGHT else "middle"
        found.append(_text(min(place, WIDE - 2), high - 12, f"{step * at / size:g} {unit}", anchor))
        found.append(f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{TOP}" y2="{high - BOTTOM + 4}" class="rule"/>')
    return found


def _unit_of(seconds: float) -> tuple[int, str]:
    return next((one for one in UNITS if seconds >= one[0]), UNITS[-1])


def _rule(at: float) -> str:
    return f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="rule"/>'


def _text(x: float, y: float, words: str, anchor: str = "middle", title: str = "") -> str:
    told = f"<title>{escape(title)}</title>" if title else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}{told}</text>'
