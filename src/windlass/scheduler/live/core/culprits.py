"""Finds the job or the queue over which a cycle failed.

Hooks of plug-ins get the job, task or queue in question as an argument, and loops have it in a variable. So the
innermost frame of the traceback that holds one names the object that was looked at when the exception was raised.
Nothing has to be noted down on the way there, which is the path that every placement takes.
"""

from collections.abc import Iterator
from types import FrameType

from windlass.scheduler.model.jobs import Job, Queue, Task


def culprit(error: BaseException) -> Job | Queue | None:
    """What the code that raised was about; None where it was about no single object."""
    for frame in reversed(list(_frames(error))):
        values = list(frame.f_locals.values())
        for value in values:
            if isinstance(value, Task):
                return value.job
            if isinstance(value, Job):
                return value
        found = next((value for value in values if isinstance(value, Queue)), None)
        if found is not None:
            return found
    return None


def _frames(error: BaseException) -> Iterator[FrameType]:
    """The outermost first."""
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next
