"""What a forecast of the scheduler takes for granted: codes with counts, for pages in any language."""

from collections.abc import Mapping
from dataclasses import dataclass

WORDS: Mapping[str, tuple[str, str]] = {
    "EndAtDeadline": (
        "1 pod ends at its activeDeadlineSeconds",
        "{0} pods end at their activeDeadlineSeconds",
    ),
    "EndAtEstimate": (
        "1 pod ends when its group's running estimate says",
        "{0} pods end when their group's running estimate says",
    ),
    "EndAtMedian": (
        "1 pod ends after the median time of what ended before it",
        "{0} pods end after the median time of what ended before them",
    ),
    "RunForever": (
        "1 pod is taken to run for ever: nothing is known of how long it takes",
        "{0} pods are taken to run for ever: nothing is known of how long they take",
    ),
    "Terminating": (
        "1 pod is being terminated, and taken to be gone in {1} s",
        "{0} pods are being terminated, and taken to be gone in {1} s",
    ),
    "Preempted": (
        "1 pod is preempted, and taken to terminate at once",
        "{0} pods are preempted, and taken to terminate at once",
    ),
    "WithoutPods": (
        "1 job without pods yet counts with the minResources of its group",
        "{0} jobs without pods yet count with the minResources of their group",
    ),
    "WithoutGang": (
        "1 pod without a gang is taken to wait in queue {1}",
        "{0} pods without a gang are taken to wait in queue {1}",
    ),
    "NobodyElse": (
        "nobody else takes what becomes free",
        "nobody else takes what becomes free",
    ),
}
"""By code: of one and of `{0}`; `{1}` is the subject."""


@dataclass(frozen=True)
class Assumption:
    """A guess that was made `count` times."""

    code: str
    """Of `WORDS`."""
    count: int = 1
    subject: str = ""
    """A queue, or seconds; empty where the words name nothing."""

    def __str__(self) -> str:
        one, several = WORDS[self.code]
        return (one if self.count == 1 else several).format(self.count, self.subject)
