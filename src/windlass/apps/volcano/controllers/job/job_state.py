"""All that one reconcile of a Job has before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.apis.wellknown import TASK_SPEC_ANNOTATION
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job.commands import commands_of
from windlass.apps.volcano.controllers.job.tasks import Task, group_name, tasks_of
from windlass.apps.volcano.kinds.batch import Job, JobStatus
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Object, PartialObjectMetadata
from windlass.kube.objects import without_nulls
from windlass.kube.view import untyped

POD_GROUPS = untyped(KINDS.of(PodGroup))
"""As JSON, where a field with its default differs from one that is absent."""

FINISHED_PODS = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Member:
    """A pod of the job, at its place."""

    pod: Pod
    task: str
    index: int
    version: int

    @property
    def name(self) -> str:
        return self.pod.metadata.name

    @property
    def phase(self) -> str:
        return self.pod.status.phase or "Pending"

    @property
    def leaving(self) -> bool:
        return self.pod.metadata.deletion_timestamp is not None

    @property
    def marked(self) -> bool:
        """Whether the controller itself takes it away."""
        return self.pod.metadata.annotations.get(names.OUT_OF_SYNC) == "true"

    @property
    def ended(self) -> bool:
        return self.phase in FINISHED_PODS


@dataclass(frozen=True, slots=True, kw_only=True)
class VolcanoJobState:
    job: Job
    tasks: Sequence[Task]
    members: Sequence[Member]
    group: PodGroup | None
    commands: Sequence[Command]
    observed: Observed

    @property
    def now(self) -> datetime:
        return self.observed.now

    @property
    def status(self) -> JobStatus:
        return self.job.status

    @property
    def phase(self) -> str:
        return self.job.status.state.phase or ""

    @property
    def by_name(self) -> Mapping[str, Member]:
        return {member.name: member for member in self.members}

    def of_task(self, task: Task) -> list[Member]:
        """Those at a place that the task has."""
        return [member for member in self.members if member.task == task.name and member.index < task.replicas]

    def task(self, name: str) -> Task | None:
        return next((task for task in self.tasks if task.name == name), None)

    def has_place(self, member: Member) -> bool:
        task = self.task(member.task)
        return task is not None and member.index < task.replicas

    def is_current(self, member: Member) -> bool:
        """Whether it was made since the job as a whole was killed last."""
        return member.version >= self.status.version

    def owns(self, obj: Object | PartialObjectMetadata | None) -> bool:
        owner = obj.metadata.controller if obj is not None else None
        return owner is not None and owner.uid == self.job.metadata.uid


def observe(job: Job, observed: Observed) -> VolcanoJobState:
    found = [member for pod in observed.owned(Pod) if (member := _member(pod)) is not None]
    group = observed.one(POD_GROUPS, group_name(job))
    return VolcanoJobState(
        job=job,
        tasks=tasks_of(job),
        members=sorted(found, key=lambda member: (member.task, member.index)),
        group=msgspec.convert(without_nulls(group), PodGroup) if group is not None else None,
        commands=commands_of(job, observed.all(Command)),
        observed=observed,
    )


def _member(pod: Pod) -> Member | None:
    annotations = pod.metadata.annotations
    task = annotations.get(TASK_SPEC_ANNOTATION)
    index = annotations.get(names.TASK_INDEX) or pod.metadata.name.rpartition("-")[2]
    version = annotations.get(names.JOB_VERSION, "")
    if not task or not index.isdecimal():
        return None
    return Member(pod, task, int(index), int(version) if version.isdecimal() else 0)
