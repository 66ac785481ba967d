"""Why a gang waits, as its PodGroup's conditions say, for the job that owns it: users look at the job first.

The scheduler rewrites its message whenever an amount in it changes. A job repeats it only when something else than an
amount is different, so that a thousand waiting jobs are not written at every cycle.
"""

import re
from dataclasses import dataclass

from windlass.kube.json import Json, dig, dig_list

EVENT_REASON = "PodGroupPending"
"""Volcano's reason for the event on the job."""
_AMOUNT = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:m|[kKMGTPE]i?)?(?![\w-])")


@dataclass(frozen=True, slots=True)
class GangWait:
    """The reason and message of a PodGroup's condition `Unschedulable`."""

    reason: str
    message: str

    def about(self, name: str) -> str:
        """A sentence for the job's own condition."""
        return f"PodGroup {name} waits: {self.reason}: {self.message}"


def gang_wait(group: Json) -> GangWait | None:
    """None where the group (as JSON) does not wait, or does not say why."""
    for condition in dig_list(group, "status", "conditions"):
        if dig(condition, "type") == "Unschedulable" and dig(condition, "status") == "True":
            return GangWait(str(dig(condition, "reason") or "Unschedulable"), str(dig(condition, "message") or ""))
    return None


def says_the_same(one: str, other: str) -> bool:
    """Whether two messages differ in amounts at most."""
    return one == other or _AMOUNT.sub("#", one) == _AMOUNT.sub("#", other)
