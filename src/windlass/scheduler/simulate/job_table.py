"""Jobs as a CSV table: a line a job."""

import csv
import io
from collections.abc import Mapping

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.scheduler.simulate.amounts import parse_amount, parse_length
from windlass.scheduler.simulate.workload import DEFAULT_QUEUE, JobPlan, Role
from windlass.scheduler.simulate.yaml_positions import BadDescription

_JOB_COLUMNS = ("name", "arrival", "width", "duration", "minMember", "queue", "priority", "user", "estimate")


def read_csv(name: str, text: str) -> list[JobPlan]:
    """A line a job. Columns: name, arrival, width, duration … (see docs/simulate.md); any other names a resource."""
    rows = csv.DictReader(io.StringIO(text))
    columns = [column.strip() for column in rows.fieldnames or []]
    rows.fieldnames = columns
    if "duration" not in columns:
        raise BadDescription(f"{name}:1: there is no column duration; there are {', '.join(columns) or 'none'}")
    resources = [column for column in columns if column not in _JOB_COLUMNS]
    jobs: list[JobPlan] = []
    for row in rows:
        jobs.append(_row(f"{name}:{rows.line_num}", len(jobs), row, resources))
    return sorted(jobs, key=lambda job: job.arrival)


def _row(where: str, number: int, row: Mapping[str, str | None], resources: list[str]) -> JobPlan:
    def cell(column: str) -> str:
        return (row.get(column) or "").strip()

    def whole(column: str, default: int) -> int:
        try:
            return int(cell(column)) if cell(column) else default
        except ValueError as error:
            raise BadDescription(f"{where}: {column}: {cell(column)!r} is no whole number") from error

    def length(column: str) -> float:
        try:
            return parse_length(cell(column) or 0)
        except ValueError as error:
            raise BadDescription(f"{where}: {column}: {error}") from error

    def amount(name: str, column: str) -> dict[str, float]:
        try:
            return {name: parse_amount(name, cell(column))}
        except ValueError as error:
            raise BadDescription(f"{where}: {column}: {error}") from error

    asks: dict[str, float] = {}
    for column in resources:
        if cell(column):
            asks |= amount(NVIDIA_GPU if column == "gpu" else column, column)
    width = whole("width", 1)
    least = whole("minMember", width)
    if width < 1 or not 0 <= least <= width or length("duration") <= 0:
        raise BadDescription(f"{where}: width and duration must be more than 0, and minMember no more than width")
    name = cell("name") or f"job{number}"
    return JobPlan(
        name, length("arrival"), length("duration"), (Role("worker", width, asks),), max(1, least),
        cell("queue") or DEFAULT_QUEUE, whole("priority", 0), cell("user") or name,
        length("estimate") if cell("estimate") else None,
    )  # fmt: skip
