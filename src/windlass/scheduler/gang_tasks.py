"""What a pod is to the job of its group: a task, from when it is seen until it leaves. Bookkeeping, no I/O."""

from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.kube.meta import Key
from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.batch.model import Job, Status, Task
from windlass.scheduler.batch.reading import task_of
from windlass.scheduler.pod_info import PodInfo

DECIDED = (Status.ALLOCATED, Status.BINDING)
HOLDING = (Status.BINDING, Status.BOUND, Status.RUNNING)
LOST = (Status.FAILED, Status.RELEASING, Status.UNKNOWN)


@dataclass(slots=True)
class GangTasks:
    """`woken`, `lost` and `ended` hear what those of `Gangs` do."""

    cluster: Cluster
    woken: Callable[[], None]
    lost: Callable[[Job, Task], None]
    ended: Callable[[Key, Pod], None]
    _done: set[str] = field(default_factory=set[str])
    """Uids of pods that `ended` has heard of."""

    def put(self, job: Job, pod: Pod, info: PodInfo | None) -> None:
        """A pod of the job is there, or has changed."""
        uid = pod.metadata.uid
        old, new = job.tasks.get(uid), task_of(pod, info)
        if old is not None and old.status in DECIDED and new is not None and new.status is Status.PENDING:
            return  # its binding is under way
        if new is None:
            self.drop(job, uid)
            return
        if new.node and self.cluster.snapshot.node(new.node) is None and new.status in HOLDING:
            new.status = Status.UNKNOWN  # its node is lost
        if old is not None and old.status is Status.RELEASING and new.status in (Status.BOUND, Status.RUNNING):
            return  # it was told to go, and has not heard yet
        same = old is not None and (old.status, old.node, old.role) == (new.status, new.node, new.role)
        if same and old is not None and old.pod.requests == new.pod.requests:
            old.pod.pod = pod
            return
        self._leaves(job, old, new)
        self.cluster.put_task(job, new)
        self.woken()

    def drop(self, job: Job, uid: str) -> None:
        old = job.tasks.get(uid)
        if old is None:
            return
        self._leaves(job, old, None)
        self.cluster.drop_task(job, uid)
        self.woken()

    def done(self, group: Key, pod: Pod) -> None:
        """It has succeeded; of each pod that is told once."""
        if pod.metadata.uid not in self._done:
            self._done.add(pod.metadata.uid)
            self.ended(group, pod)

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._done.discard(uid)

    def _leaves(self, job: Job, old: Task | None, new: Task | None) -> None:
        """Tell who keeps places that a task has lost its own, and who learns how long tasks take that it is done."""
        held = old is not None and old.status in HOLDING
        if held and old is not None and (new is None or new.status in LOST):
            self.lost(job, old)
        elif held and new is not None and new.status is Status.SUCCEEDED:
            self.done(Key(job.namespace, job.name), new.pod.pod)
