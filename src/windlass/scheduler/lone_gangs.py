"""Pods of kube-batch that name no group: each, or all of one owner, are a job of one that no object stands for."""

from dataclasses import dataclass, field

from windlass.apis.core_v1 import Pod
from windlass.scheduler.batch.cluster import Cluster
from windlass.scheduler.batch.model import Job
from windlass.scheduler.batch.reading import job_of
from windlass.scheduler.gang_tasks import GangTasks
from windlass.scheduler.groups import KUBE_BATCH, group_of_one
from windlass.scheduler.pod_info import PodInfo


@dataclass(slots=True)
class LoneGangs:
    """Those jobs, by the uid of the pod or of who controls it."""

    cluster: Cluster
    tasks: GangTasks
    _jobs: dict[str, Job] = field(default_factory=dict[str, Job])

    def see(self, pod: Pod, info: PodInfo | None) -> None:
        owner = _owner(pod)
        job = self._jobs.get(owner)
        if job is None:
            job = self._jobs[owner] = job_of(group_of_one(KUBE_BATCH, pod, owner), pod.spec.priority or 0)
            job.ref = None
            self.cluster.put_job(job)
        self.tasks.put(job, pod, info)

    def lose(self, pod: Pod) -> None:
        owner = _owner(pod)
        job = self._jobs.get(owner)
        if job is None:
            return
        self.tasks.drop(job, pod.metadata.uid)
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
