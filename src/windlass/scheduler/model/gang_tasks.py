"""What a pod is to the job of its group: a task, from when it is seen until it leaves. Bookkeeping, no I/O."""

from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.kube.meta import Key
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.jobs import Job, Status, Task
from windlass.scheduler.model.parsing import status_of, task_of
from windlass.scheduler.model.pod_info import PodInfo, claim_keys_of

DECIDED = (Status.ALLOCATED, Status.BINDING)
HOLDING = (Status.BINDING, Status.BOUND, Status.RUNNING)
TOLD_LATER = (Status.PENDING, Status.BOUND, Status.RUNNING)
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
    _between: dict[str, Task] = field(default_factory=dict[str, Task])
    """Tasks that are being bound and whose group is not there, by uid: they keep their nodes."""

    def put(self, job: Job, pod: Pod, info: PodInfo | None) -> None:
        """A pod of the job is there, or has changed."""
        uid, snapshot = pod.metadata.uid, self.cluster.snapshot
        if uid in self._between:
            self.cluster.put_task(job, self._between.pop(uid))
        old, new = job.tasks.get(uid), task_of(pod, info)
        if old is not None and old.status in DECIDED and new is not None and new.status is Status.PENDING:
            return  # its binding is under way
        if new is None:
            self.drop(job, uid)
            return
        if new.node and snapshot.node(new.node) is None and new.status in HOLDING:
            new.status = Status.UNKNOWN  # its node is lost
        there = snapshot.node_of(uid)
        if there is not None and new.status in TOLD_LATER and snapshot.is_ending(uid):
            new.status, new.node = Status.RELEASING, there.name  # it was told to terminate, and has not heard yet
        same = old is not None and (old.status, old.node, old.role) == (new.status, new.node, new.role)
        if same and old is not None and old.pod.requests == new.pod.requests:
            old.pod.pod = pod
            return
        self._leaves(job, old, new)
        self.cluster.put_task(job, new)
        self.woken()

    def drop(self, job: Job, uid: str) -> None:
        """The pod is gone, or goes without ever having had a node."""
        old = job.tasks.get(uid)
        if old is None:
            return
        self._leaves(job, old, None)
        self.cluster.drop_task(job, uid)
        self.woken()

    def leave(self, job: Job, uid: str) -> None:
        """The pod belongs to another group, or to none, or its group is gone; it stays on its node."""
        old = self.cluster.leave(job, uid)
        if old is None:
            return
        if old.status in DECIDED:
            self._between[uid] = old
        self.woken()

    def without_group(self, pod: Pod) -> None:
        """It belongs to no group that is there; one that goes without having been bound has no place any more."""
        if status_of(pod) is None:
            self._between.pop(pod.metadata.uid, None)
            self.cluster.snapshot.forget(pod.metadata.uid, claim_keys_of(pod))

    def take_back(self, task: Task) -> None:
        """It could not be bound: its place and the volumes promised to it are free, and it waits again."""
        uid = task.uid
        if self._between.get(uid) is task:
            del self._between[uid]
        elif task.job.tasks.get(uid) is task and task.status in DECIDED:
            self.cluster.move(task, Status.PENDING)
        else:
            return  # the pod is bound after all, or gone
        self.cluster.snapshot.forget(uid, task.pod.claim_keys)

    def done(self, group: Key, pod: Pod) -> None:
        """It has succeeded; of each pod that is told once."""
        if pod.metadata.uid not in self._done:
            self._done.add(pod.metadata.uid)
            self.ended(group, pod)

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._done.discard(uid)
        self._between.pop(uid, None)

    def _leaves(self, job: Job, old: Task | None, new: Task | None) -> None:
        """Tell who keeps places that a task has lost its own, and who learns how long tasks take that it is done."""
        held = old is not None and old.status in HOLDING
        if held and old is not None and (new is None or new.status in LOST):
            self.lost(job, old)
        elif held and new is not None and new.status is Status.SUCCEEDED:
            self.done(Key(job.namespace, job.name), new.pod.pod)
