"""Leaves a job or a queue out of further cycles after one has failed over it, until its object changes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

from windlass.apis.core_v1 import Pod
from windlass.kube.api import About
from windlass.kube.faults import Faults
from windlass.kube.kind import KINDS
from windlass.scheduler.live.culprits import culprit
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.jobs import Job, Queue
from windlass.scheduler.model.queues import Queues

PLACE = "gang-scheduler"
PODS = KINDS.of(Pod)


class SetAside:
    """To the core it is as if the object did not exist; what runs of it keeps its nodes."""

    def __init__(self, cluster: Cluster, gangs: Gangs, queues: Queues, faults: Faults) -> None:
        self._cluster, self._gangs, self._queues, self._faults = cluster, gangs, queues, faults

    def after(self, error: BaseException) -> None:
        """Find what the error is about, report it and set it aside; raises the error where that is nothing."""
        found = culprit(error)
        if isinstance(found, Job) and self._cluster.jobs.get(found.uid) is not None:
            for obj, kind in self.objects_of(found):
                self._faults.report(PLACE, error, obj, kind)
            self._gangs.set_aside(found)
        elif isinstance(found, Queue) and (about := self._queues.object(found.name)) is not None:
            kind, obj = about
            if not self._queues.set_aside(kind, obj):
                raise error
            self._faults.report(PLACE, error, obj, kind)
        else:
            raise error

    def contain(self, job: Job) -> AbstractContextManager[object]:
        """A block in which what follows from a decision about the job may raise."""
        found = next(self.objects_of(job), None)
        return self._faults.contain(PLACE, *found) if found is not None else nullcontext()

    def objects_of(self, job: Job) -> Iterator[About]:
        """What stands for a job: its group, or its pods where it has none."""
        group = self._gangs.get(job.ref) if job.ref is not None else None
        if group is not None:
            yield group.obj, group.kind
        else:
            yield from ((task.pod.pod, PODS) for task in job.tasks.values())
