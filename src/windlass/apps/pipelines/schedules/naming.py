"""Names and ids of the runs of a schedule, and labels of their Workflows: all follow from the schedule and an index.

So a slot that is started again after a crash is the same run, and a schedule that was deleted and created again has
other runs.
"""

from uuid import UUID, uuid5

from windlass.apps.pipelines.names import (
    SCHEDULE_NAME_LABEL,
    SCHEDULED_AT_LABEL,
    SCHEDULED_INDEX_LABEL,
    SCHEDULED_LABEL,
)

RUNS = UUID("6f0b0c6e-3c1d-5a52-9d0e-6a1d2f0c7b11")
"""The name space of run ids."""
MAX_LABEL_LENGTH = 63
FNV_OFFSET, FNV_PRIME = 0x811C9DC5, 0x01000193


def fnv32a(text: str) -> int:
    """The 32-bit FNV-1a hash."""
    value = FNV_OFFSET
    for byte in text.encode():
        value = (value ^ byte) * FNV_PRIME & 0xFFFFFFFF
    return value


def run_name(schedule: str, recurring_run_id: str, index: int) -> str:
    """`<schedule>-<index>-<hash>`; the name of a schedule that is too long for a label is cut."""
    ending = f"-{index}-{fnv32a(f'{recurring_run_id}/{index}')}"
    return schedule[: MAX_LABEL_LENGTH - len(ending)].rstrip("-.") + ending


def run_id(recurring_run_id: str, name: str) -> str:
    return str(uuid5(RUNS, f"{recurring_run_id}/{name}"))


def schedule_label(schedule: str) -> dict[str, str]:
    """The label by which the Workflows of a schedule are found, though not of it alone if it was created again."""
    if len(schedule) > MAX_LABEL_LENGTH:
        ending = f"-{fnv32a(schedule)}"
        schedule = schedule[: MAX_LABEL_LENGTH - len(ending)].rstrip("-.") + ending
    return {SCHEDULE_NAME_LABEL: schedule}


def workflow_labels(schedule: str, index: int, scheduled_at: float) -> dict[str, str]:
    """The labels of the Workflow of a scheduled run, beside that of the run's id."""
    return {
        SCHEDULED_LABEL: "true",
        **schedule_label(schedule),
        SCHEDULED_AT_LABEL: str(int(scheduled_at)),
        SCHEDULED_INDEX_LABEL: str(index),
    }
