"""What a pod is to the job of its group: a task, from when it is seen until it leaves. Bookkeeping, no I/O."""

from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.jobs import READY, Job, Status, Task
from windlass.scheduler.model.parsing import status_of, task_of
from windlass.scheduler.model.pod_info import PodInfo, claim_keys_of

DECIDED = (Status.ALLOCATED, Status.BINDING)
HOLDING = (Status.BINDING, Status.BOUND, Status.RUNNING)
SHOWN_LATER = (Status.PENDING, Status.BOUND, Status.RUNNING)
LOST = (Status.FAILED, Status.RELEASING, Status.UNKNOWN)


GroupKey = tuple[Kind, Key]


@dataclass(frozen=True, slots=True)
class LostTask:
    """A task that has lost its node, though its job is still there.

    `is_missed`: the gang is not complete without it, and other tasks of it run. `was_complete`: the gang was complete
    until then. Both are as of before the loss: of a gang with minMember 3 and four running tasks the first that is
    lost is not missed, the second is.
    """

    job: Job
    task: Task
    is_missed: bool
    was_complete: bool

    @classmethod
    def of(cls, job: Job, task: Task) -> "LostTask":
        """To be called while the task still counts as having its node."""
        return cls(job, task, _is_missed(job, task), job.has_enough(READY))


def _is_missed(job: Job, task: Task) -> bool:
    least = job.min_tasks.get(task.role, 0) if job.needs_roles else 0
    if job.min_member < 2 or job.running <= 1:
        return False
    return job.ready <= job.min_member or (least > 0 and job.role_number(task.role, READY) <= least)


@dataclass(slots=True)
class GangChanges:
    """What changes of groups, pods and nodes mean for others than their own gang."""

    groups: dict[GroupKey, None] = field(default_factory=dict[GroupKey, None])
    """Groups whose status may be another now, in order."""
    is_due: bool = False
    """A cycle may decide something new."""
    lost: list[LostTask] = field(default_factory=list[LostTask])
    ended: list[tuple[Key, Pod]] = field(default_factory=list[tuple[Key, Pod]])
    """Pods that have succeeded, each once, with the name of their group; also those that had before."""
    freed: list[str] = field(default_factory=list[str])
    """Nodes on which a place was kept for a group that is gone."""


@dataclass(slots=True)
class GangTasks:
    """The tasks of all gangs. What that means for others is added to `changes`."""

    cluster: Cluster
    changes: GangChanges = field(default_factory=GangChanges)
    _done: set[str] = field(default_factory=set[str])
    """Uids of pods that are known to have succeeded."""
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
        if there is not None and new.status in SHOWN_LATER and snapshot.is_ending(uid):
            new.status, new.node = (
                Status.RELEASING,
                there.name,
            )  # the API does not show its eviction yet
        same = old is not None and (old.status, old.node, old.role) == (new.status, new.node, new.role)
        if same and old is not None and old.pod.requests == new.pod.requests:
            old.pod.pod = pod
            return
        self._leaves(job, old, new)
        self.cluster.put_task(job, new)
        self.changes.is_due = True

    def drop(self, job: Job, uid: str) -> None:
        """The pod is gone, or goes without ever having had a node."""
        old = job.tasks.get(uid)
        if old is None:
            return
        self._leaves(job, old, None)
        self.cluster.drop_task(job, uid)
        self.changes.is_due = True

    def leave(self, job: Job, uid: str) -> None:
        """The pod belongs to another group, or to none, or its group is gone; it stays on its node."""
        old = self.cluster.leave(job, uid)
        if old is None:
            return
        if old.status in DECIDED:
            self._between[uid] = old
        self.changes.is_due = True

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
        """The pod has succeeded; noted once."""
        if pod.metadata.uid not in self._done:
            self._done.add(pod.metadata.uid)
            self.changes.ended.append((group, pod))

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._done.discard(uid)
        self._between.pop(uid, None)

    def _leaves(self, job: Job, old: Task | None, new: Task | None) -> None:
        """Note that a task has lost its place, or that it has succeeded."""
        held = old is not None and old.status in HOLDING
        if held and old is not None and (new is None or new.status in LOST):
            self.changes.lost.append(LostTask.of(job, old))
        elif held and new is not None and new.status is Status.SUCCEEDED:
            self.done(Key(job.namespace, job.name), new.pod.pod)
