"""Why a gang waits, as its PodGroup says: the condition Unschedulable, and the reason behind it where that is known.

Windlass' scheduler writes the reason as an annotation beside the condition. The annotation counts only while its words
are those of the condition: another scheduler may have written the condition since, and a user the annotation.
"""

from dataclasses import dataclass
from typing import get_args

from windlass.apis.reason_text import CONDITION_REASONS, Dialect, condition_message, job_message, short_text
from windlass.apis.reasons import REASON_ANNOTATION, GangReason, from_annotation
from windlass.kube.json import Json, dig, dig_list, dig_object

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


@dataclass(frozen=True, slots=True)
class GangWait:
    """The reason and message of a PodGroup's condition Unschedulable; `data` is None for a foreign scheduler's."""

    reason: str
    message: str
    data: GangReason | None = None

    @property
    def job_message(self) -> str:
        """The message for the job that owns the gang."""
        return job_message(self.data) if self.data is not None else self.message

    @property
    def short_text(self) -> str:
        """The text for a table; that of a foreign scheduler is its whole message."""
        return short_text(self.data) if self.data is not None else self.message or self.reason

    def about(self, name: str) -> str:
        """The sentence for the job's own condition and event."""
        return f"PodGroup {name} waits: {self.reason}: {self.job_message}"


def gang_wait(group: Json) -> GangWait | None:
    """None where the PodGroup (as JSON) does not wait, or does not say why."""
    for condition in dig_list(group, "status", "conditions"):
        if dig(condition, "type") == "Unschedulable" and dig(condition, "status") == "True":
            reason, message = str(dig(condition, "reason") or "Unschedulable"), str(dig(condition, "message") or "")
            return GangWait(reason, message, _data(group, reason, message))
    return None


def _data(group: Json, reason: str, message: str) -> GangReason | None:
    data = from_annotation(dig_object(group, "metadata", "annotations").get(REASON_ANNOTATION))
    if data is None or CONDITION_REASONS[type(data)] != reason:
        return None
    return data if any(condition_message(data, dialect) == message for dialect in DIALECTS) else None
