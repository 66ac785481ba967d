"""The table that a run prints: each figure of Windlass, of the bare handler, their ratio, and what is asked for."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reference:
    """A figure of Kubernetes 1.35's API server with etcd, measured elsewhere on a quiet machine of the same class."""

    low: float
    high: float
    wanted: str
    """What Windlass is to reach against it."""


REFERENCES = {
    "create, 1 connection": Reference(330, 380, "≥ 1.5×"),
    "create, 16 connections": Reference(840, 1030, "≥ 1.5× (goal 2.5×)"),
    "get, 16 connections": Reference(2450, 2450, "≥ 1.5×"),
    "list of 15,500 pods": Reference(0.72, 1.13, "≤ 1/3"),
    "memory at 15,500 pods": Reference(1138, 1138, "≤ 1/4"),
    "memory, idle": Reference(261, 261, "≤ 70 MB"),
    "ready, first start": Reference(3.1, 3.1, "≤ 1.5 s"),
}

WANTED_OF_BARE = {
    "create, 16 connections": "≥ 0.45 (goal 0.75)",
    "create, 1 connection": "≥ 0.45 (goal 0.75)",
    "get, 16 connections": "≥ 0.6",
    "get, 1 connection": "≥ 0.6",
}


@dataclass
class Line:
    """One row of the table. `unit` is /s, s, MB …; a rate's ratio says how much faster, any other how much larger."""

    name: str
    unit: str
    windlass: float
    bare: float | None = None
    cpu: float | None = None
    bare_cpu: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table of its own below the one of the figures: a name and two cells a row."""

    title: str
    rows: list[tuple[str, str, str]]

    def text(self) -> str:
        widths = [max(len(row[column]) for row in self.rows) for column in range(3)]
        lines = [
            f"{name:<{widths[0]}}  {first:>{widths[1]}}  {second:>{widths[2]}}" for name, first, second in self.rows
        ]
        return "\n".join([self.title, "─" * max(map(len, lines)), *lines])


@dataclass
class Report:
    """Lines in the order they were measured, printed as each part ends and once more together."""

    lines: list[Line] = field(default_factory=list[Line])
    tables: list[Table] = field(default_factory=list[Table])

    def add(self, line: Line) -> None:
        self.lines.append(line)

    def add_table(self, table: Table) -> None:
        self.tables.append(table)

    def text(self) -> str:
        """Everything that was measured."""
        figures = [self._figures()] if self.lines else []
        return "\n\n".join([*figures, *(table.text() for table in self.tables)])

    def _figures(self) -> str:
        head = [
            "",
            "Windlass",
            "bare",
            "ratio",
            "wanted",
            "CPU/request",
            "bare's",
            "ratio",
            "Kubernetes*",
            "×",
            "wanted",
        ]
        rows = [head, *map(_cells, self.lines)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        printed = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
        notes = [f"{line.name}: {line.note}" for line in self.lines if line.note]
        printed.insert(1, "─" * max(map(len, printed)))
        return "\n".join([*printed, "", *notes])


def _aligned(row: list[str], widths: list[int]) -> list[str]:
    return [
        cell.ljust(width) if column in (0, 4, 10) else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _cells(line: Line) -> list[str]:
    bare = "" if line.bare is None else amount(line.bare, line.unit)
    ratio = "" if not line.bare else f"{line.windlass / line.bare:.2f}"
    cpu = "" if line.cpu is None else f"{line.cpu * 1e6:.0f} µs"
    bare_cpu = "" if line.bare_cpu is None else f"{line.bare_cpu * 1e6:.0f} µs"
    cpu_ratio = f"{line.bare_cpu / line.cpu:.2f}" if line.cpu and line.bare_cpu else ""
    reference = REFERENCES.get(line.name)
    kubernetes = times = wanted = ""
    if reference is not None:
        span = [amount(reference.low, ""), amount(reference.high, "")]
        kubernetes = f"{'-'.join(dict.fromkeys(span))}{_spaced(line.unit)}"
        times = f"{line.windlass * 2 / (reference.low + reference.high):.2f}"
        wanted = reference.wanted
    value = amount(line.windlass, line.unit)
    of_bare = WANTED_OF_BARE.get(line.name, "")
    return [line.name, value, bare, ratio, of_bare, cpu, bare_cpu, cpu_ratio, kubernetes, times, wanted]


def amount(value: float, unit: str) -> str:
    """A figure with as many digits as it deserves."""
    number = f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return number + _spaced(unit)


def _spaced(unit: str) -> str:
    return unit if not unit or unit.startswith("/") else f" {unit}"
