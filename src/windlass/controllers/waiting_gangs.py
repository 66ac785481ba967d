"""Gangs that wait, for the jobs that own them: users look at the job first."""

import re

EVENT_REASON = "PodGroupPending"
"""Volcano's reason for the event on the job."""
_AMOUNT = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:m|[kKMGTPE]i?)?(?![\w-])")


def says_the_same(one: str, other: str) -> bool:
    """Whether two messages of other programs differ in amounts at most.

    A job repeats what an API server, a kubelet or a foreign scheduler says, of which there is no data. It is written
    only when something other than an amount has changed, so that a thousand waiting jobs are not written every second.
    """
    return one == other or _AMOUNT.sub("#", one) == _AMOUNT.sub("#", other)
