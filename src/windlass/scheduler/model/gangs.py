"""The pod groups and the pods of each, as jobs and tasks. Bookkeeping, no I/O.

All of it is rebuilt from the caches. That a group was admitted is also in its phase, so a restart forgets nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.json import Object as Json
from windlass.kube.json import dig
from windlass.kube.kind import Kind
from windlass.kube.objects import key_of, version_of
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gang_tasks import DECIDED, GangChanges, GangTasks, GroupKey
from windlass.scheduler.model.jobs import Job, Status, Task
from windlass.scheduler.model.lone_gangs import LoneGangs
from windlass.scheduler.model.parsing import finished_at, job_of
from windlass.scheduler.model.pod_groups import BY_SCHEDULER, VOLCANO, Mark, PodGroup, mark_of
from windlass.scheduler.model.pod_info import FINISHED, PodInfo


@dataclass(slots=True)
class _Known:
    """A group, and the job that stands for it."""

    group: PodGroup
    job: Job


@dataclass(slots=True)
class Gangs:
    """All groups and their pods. What a change means for others is gathered until `take_changes`.

    `classes` are the PriorityClasses by name: the caller's own mapping, which may change (`priorities_changed`).
    """

    cluster: Cluster
    classes: Mapping[str, PriorityClass] = field(default_factory=dict[str, PriorityClass])
    default_queue: str = "default"
    _known: dict[GroupKey, _Known] = field(default_factory=dict[GroupKey, _Known])
    _members: dict[Mark, dict[str, Pod]] = field(default_factory=dict[Mark, dict[str, Pod]])
    _orphans: dict[str, PodInfo] = field(default_factory=dict[str, PodInfo])
    _aside: dict[GroupKey, str] = field(default_factory=dict[GroupKey, str])
    """Versions of groups that are left out until they change."""
    _tasks: GangTasks = field(init=False)
    _alone: LoneGangs = field(init=False)

    def __post_init__(self) -> None:
        self._tasks = GangTasks(self.cluster)
        self._alone = LoneGangs(self.cluster, self._tasks)

    def take_changes(self) -> GangChanges:
        """What has come together since the last call."""
        changes, self._tasks.changes = self._tasks.changes, GangChanges()
        return changes

    def _changed(self, key: GroupKey) -> None:
        self._tasks.changes.groups[key] = None

    def _is_due(self) -> None:
        self._tasks.changes.is_due = True

    # --- groups

    def put(self, kind: Kind, obj: Json) -> None:
        group = PodGroup.of(kind, obj)
        key = (kind, group.key)
        if self._aside.get(key) == version_of(obj):
            return
        self._aside.pop(key, None)
        old = self._known.get(key)
        if old is not None and old.group.uid != group.uid:
            self.drop(kind, old.group.obj)
            old = None
        if old is not None and old.group.obj.get("spec") == obj.get("spec") and not self._reread(old, group):
            old.group = group
            self._changed(key)
            return
        job = self._job(group)
        if old is not None and old.job.is_admitted and not job.is_admitted and not _asks_again(old, group):
            job.phase = old.job.phase
        self._known[key] = _Known(group, job)
        self.cluster.put_job(job)
        self._gather(group.mark)
        self._changed(key)
        self._is_due()

    def _job(self, group: PodGroup) -> Job:
        name = str(dig(group.obj, "spec", "priorityClassName") or "")
        found = self._class(name)
        policy = (found.preemption_policy if found is not None else "") or "PreemptLowerPriority"
        job = job_of(group, found.value if found is not None else 0, policy)
        if not dig(group.obj, "spec", "queue"):
            job.queue = self.default_queue
        return job

    def _class(self, name: str) -> PriorityClass | None:
        if name:
            return self.classes.get(name)
        return next((found for found in self.classes.values() if found.global_default), None)

    def _reread(self, old: _Known, group: PodGroup) -> bool:
        """Another process admitted it, or changed what plugins read."""
        known = old.group.obj.get("metadata") or {}
        told = group.obj.get("metadata") or {}
        if known.get("annotations") != told.get("annotations") or known.get("labels") != told.get("labels"):
            return True
        return group.kind == VOLCANO and group.phase not in ("", "Pending") and not old.job.is_admitted

    def drop(self, kind: Kind, obj: Json) -> None:
        key = (kind, key_of(obj))
        known = self._known.pop(key, None)
        self._aside.pop(key, None)
        if known is None:
            return
        kept = {hold.node for hold in self.cluster.holds.values() if hold.job.uid == known.job.uid}
        for uid in list(known.job.tasks):
            self._tasks.leave(known.job, uid)
        self.cluster.drop_job(known.job.uid)
        self._gather(known.group.mark)
        self._tasks.changes.freed += kept
        self._is_due()

    def set_aside(self, job: Job) -> None:
        """Leave a job out until its group changes, or one of its pods where it has none."""
        known = self._known.get(job.ref) if job.ref is not None else None
        if known is None:
            self._alone.set_aside(job)
            return
        group = known.group
        self.drop(group.kind, group.obj)
        self._aside[group.kind, group.key] = version_of(group.obj)

    def get(self, key: GroupKey) -> PodGroup | None:
        known = self._known.get(key)
        return known.group if known is not None else None

    def job(self, key: GroupKey) -> Job | None:
        """The job that stands for a group."""
        known = self._known.get(key)
        return known.job if known is not None else None

    def is_admitted(self, key: GroupKey) -> bool:
        job = self.job(key)
        return job is not None and job.is_admitted

    def still_waits(self, key: GroupKey) -> bool:
        """An admitted group lacks pods that have, or are given, nodes; others wait for being admitted."""
        job = self.job(key)
        if job is None or not job.is_admitted:
            return True
        waits = job.pending or job.counts[Status.GATED]
        return bool(waits) and not job.has_enough((*DECIDED, Status.BOUND, Status.RUNNING, Status.SUCCEEDED))

    def priorities_changed(self) -> None:
        """Classes came or went: what groups are worth may have changed."""
        for known in self._known.values():
            job = self._job(known.group)
            if (job.priority, job.preemption_policy) != (known.job.priority, known.job.preemption_policy):
                known.job.priority, known.job.preemption_policy = job.priority, job.preemption_policy
                self._is_due()

    # --- pods

    def see(self, pod: Pod, info: PodInfo | None = None) -> None:
        mark = mark_of(pod)
        if mark is None:
            if pod.spec.scheduler_name == "kube-batch":
                self._alone.see(pod, info)
            elif pod.spec.scheduler_name == "volcano":
                self._may_be_orphan(pod)
            return
        self._members.setdefault(mark, {})[pod.metadata.uid] = pod
        self._place(pod, info)
        if pod.status.phase == "Succeeded" and finished_at(pod):
            self._tasks.done(mark[1], pod)
        self._members_changed(mark)

    def lose(self, pod: Pod) -> None:
        """The pod is gone."""
        self._tasks.forget(pod.metadata.uid)
        if mark_of(pod) is None:
            self._alone.lose(pod)
        self._withdraw(pod, self._tasks.drop)

    def part(self, pod: Pod) -> None:
        """The pod is there, but belongs to another group than this says, or to none."""
        if mark_of(pod) is None:
            self._alone.part(pod)
        self._withdraw(pod, self._tasks.leave)

    def _withdraw(self, pod: Pod, take_out: Callable[[Job, str], None]) -> None:
        mark, uid = mark_of(pod), pod.metadata.uid
        self._orphans.pop(uid, None)
        if mark is None:
            return
        members = self._members.get(mark)
        if members is not None:
            members.pop(uid, None)
            if not members:
                del self._members[mark]
        for known in self._candidates(mark):
            take_out(known.job, uid)
        self._members_changed(mark)

    def not_bound(self, task: Task) -> None:
        """Its place is free again, and it waits if it is still there."""
        self._tasks.take_back(task)

    def _place(self, pod: Pod, info: PodInfo | None = None) -> None:
        """Put a pod into the job that it belongs to now, and no other."""
        mine = self.known_of(pod)
        mark = mark_of(pod)
        for known in self._candidates(mark) if mark is not None else ():
            if known is not mine:
                self._tasks.leave(known.job, pod.metadata.uid)
        if mine is not None:
            self._orphans.pop(pod.metadata.uid, None)
            self._tasks.put(mine.job, pod, info)
        else:
            self._may_be_orphan(pod)

    def _may_be_orphan(self, pod: Pod) -> None:
        """It waits for a group that is not there."""
        self._tasks.without_group(pod)
        if pod.spec.node_name or pod.metadata.deletion_timestamp or pod.status.phase in FINISHED:
            self._orphans.pop(pod.metadata.uid, None)
        else:
            self._orphans[pod.metadata.uid] = PodInfo(pod)
            self._is_due()

    def _gather(self, mark: Mark) -> None:
        for pod in list(self._members.get(mark, {}).values()):
            self._place(pod)

    def node_changed(self, name: str) -> None:
        """It came or went, and with it what its pods hold."""
        for pod in self.cluster.snapshot.pods_on(name):
            mark = mark_of(pod.pod)
            latest = self._members.get(mark, {}).get(pod.uid) if mark is not None else None
            if latest is not None:
                self._place(latest)
            elif mark is None:
                self._alone.node_changed(pod)

    def _members_changed(self, mark: Mark) -> None:
        for known in self._candidates(mark):
            self._changed((known.group.kind, known.group.key))

    def _candidates(self, mark: Mark) -> list[_Known]:
        kinds = BY_SCHEDULER["scheduler-plugins" if mark[0] == "label" else "volcano"]
        found = (self._known.get((kind, mark[1])) for kind in kinds)
        return [known for known in found if known is not None]

    def known_of(self, pod: Pod) -> _Known | None:
        """The group of the kind that its scheduler prefers, else of the other one."""
        mark = mark_of(pod)
        if mark is None:
            return None
        found = (self._known.get((kind, mark[1])) for kind in BY_SCHEDULER[pod.spec.scheduler_name])
        return next((known for known in found if known is not None), None)

    def has_group(self, pod: Pod) -> bool:
        return self.known_of(pod) is not None

    def orphans(self) -> list[PodInfo]:
        """Pods that wait for a group that is not there; not those whose group is set aside."""
        aside = {key for _, key in self._aside}
        found = list(self._orphans.values())
        return [one for one in found if not aside or (mark := mark_of(one.pod)) is None or mark[1] not in aside]

    def members(self, group: PodGroup) -> list[Pod]:
        """Its pods, whatever has become of them; not those that go by a group of the same name of another kind."""
        return [
            pod
            for pod in self._members.get(group.mark, {}).values()
            if (known := self.known_of(pod)) is not None and known.group.uid == group.uid
        ]


def _asks_again(old: _Known, group: PodGroup) -> bool:
    """The group was admitted without minResources; now it has some, and none of its pods exists."""
    return old.group.min_resources is None and group.min_resources is not None and not old.job.tasks
