"""Leaves a job or a queue out of further cycles after one has failed over it, until its object changes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from types import FrameType

from windlass.apis.core_v1 import Pod
from windlass.kube.api import About
from windlass.kube.kind import KINDS
from windlass.scheduler.live.core.state import State
from windlass.scheduler.model.jobs import Job, Queue, Task

PLACE = "gang-scheduler"
PODS = KINDS.of(Pod)


class SetAside:
    """Cycles continue as if the object did not exist; what runs of it keeps its nodes."""

    def __init__(self, state: State) -> None:
        self._state = state

    def after(self, error: BaseException) -> None:
        """Find what the error is about, report it and set it aside; raises the error where that is nothing."""
        state, found = self._state, culprit(error)
        if isinstance(found, Job) and state.cluster.jobs.get(found.uid) is not None:
            for obj, kind in self._objects_of(found):
                state.faults.report(PLACE, error, obj, kind)
            if found.ref is not None:
                state.group_reports.forget(found.ref)
            state.gangs.set_aside(found)
        elif isinstance(found, Queue) and (about := state.queues.object(found.name)) is not None:
            kind, obj = about
            if not state.queues.set_aside(kind, obj):
                raise error
            state.faults.report(PLACE, error, obj, kind)
        else:
            raise error

    def contain(self, job: Job) -> AbstractContextManager[object]:
        """A block in which what follows from a decision about the job may raise."""
        found = next(self._objects_of(job), None)
        return self._state.faults.contain(PLACE, *found) if found is not None else nullcontext()

    def _objects_of(self, job: Job) -> Iterator[About]:
        """What stands for a job: its group, or its pods where it has none."""
        group = self._state.gangs.get(job.ref) if job.ref is not None else None
        if group is not None:
            yield group.obj, group.kind
        else:
            yield from ((task.pod.pod, PODS) for task in job.tasks.values())


def culprit(error: BaseException) -> Job | Queue | None:
    """The job or the queue over which a cycle failed; None where it was about no single object.

    Methods of plugins get the job, task or queue in question as an argument, and loops have it in a variable. So the
    innermost frame of the traceback that holds one names the object that was read when the exception was raised.
    Nothing has to be noted down on the way there, which is the path that every placement takes.
    """
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
