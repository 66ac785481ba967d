"""Pods of kube-batch that name no group: each, or all of one owner, are a job of one that no object stands for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gang_tasks import GangTasks
from windlass.scheduler.model.jobs import Job
from windlass.scheduler.model.parsing import job_of
from windlass.scheduler.model.pod_groups import KUBE_BATCH, group_of_one
from windlass.scheduler.model.pod_info import PodInfo


@dataclass(slots=True)
class LoneGangs:
    """Those jobs, by the uid of the pod or of who controls it."""

    cluster: Cluster
    tasks: GangTasks
    _jobs: dict[str, Job] = field(default_factory=dict[str, Job])
    _owners: dict[str, str] = field(default_factory=dict[str, str])
    """By the uid of a pod: under which job it is counted. Who controls a pod may change."""

    def see(self, pod: Pod, info: PodInfo | None) -> None:
        owner, uid = _owner(pod), pod.metadata.uid
        if self._owners.get(uid, owner) != owner:
            self.part(pod)
        job = self._jobs.get(owner)
        if job is None:
            job = self._jobs[owner] = job_of(group_of_one(KUBE_BATCH, pod, owner), pod.spec.priority or 0)
            job.ref = None
            self.cluster.put_job(job)
        self._owners[uid] = owner
        self.tasks.put(job, pod, info)
        self._drop_if_empty(owner)

    def node_changed(self, pod: PodInfo) -> None:
        """The node of a pod came or went."""
        if pod.uid in self._owners:
            self.see(pod.pod, pod)

    def lose(self, pod: Pod) -> None:
        self._take_out(pod, self.tasks.drop)

    def part(self, pod: Pod) -> None:
        """It stays where it is, but belongs to another job."""
        self._take_out(pod, self.tasks.leave)

    def _take_out(self, pod: Pod, take_out: Callable[[Job, str], None]) -> None:
        owner = self._owners.pop(pod.metadata.uid, "")
        job = self._jobs.get(owner)
        if job is not None:
            take_out(job, pod.metadata.uid)
            self._drop_if_empty(owner)

    def _drop_if_empty(self, owner: str) -> None:
        job = self._jobs[owner]
        if not job.tasks:
            del self._jobs[owner]
            self.cluster.drop_job(job.uid)

    def set_aside(self, job: Job) -> None:
        """Leave the job out until one of its pods changes."""
        self._jobs = {owner: other for owner, other in self._jobs.items() if other is not job}
        self.cluster.drop_job(job.uid)


def _owner(pod: Pod) -> str:
    for owner in pod.metadata.owner_references:
        if owner.controller:
            return owner.uid
    return pod.metadata.uid
