"""All that one reconcile of a job has before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windlass.apps.training.controllers.engine.gang import Gang
from windlass.apps.training.controllers.engine.members import Member, Roster
from windlass.apps.training.controllers.engine.restarts import Restarts
from windlass.apps.training.job import Job
from windlass.apps.training.kinds.common import JobStatus, ReplicaStatus
from windlass.controllers.opaque_kinds import children
from windlass.kube.controller import Observed
from windlass.kube.objects import AnyObject, is_deleting, key_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingState:
    job: Job
    roster: Roster
    restarts: Restarts
    gang: Gang | None
    observed: Observed

    @property
    def now(self) -> datetime:
        return self.observed.now

    @property
    def status(self) -> JobStatus:
        return self.job.obj.status

    def reason(self, type: str) -> str:
        return f"{self.job.kind}{type}"

    def being_replaced(self) -> list[Member]:
        return [member for member in self.roster if member.uid in self.restarts.pods]

    def pod_groups(self) -> Sequence[AnyObject]:
        return self.gang.present(self.job, self.observed) if self.gang is not None else ()

    def extras(self) -> list[AnyObject]:
        """What the framework has had made besides pods and services."""
        kinds: tuple[Any, ...] = self.job.framework.extra_kinds
        return [obj for kind in kinds for obj in children(kind, self.observed) if not is_deleting(obj)]

    def counts(self) -> dict[str, ReplicaStatus]:
        """How many pods of each role run, have succeeded, have failed."""
        return {name: self._count(name) for name in self.job.replicas}

    def _count(self, replica_type: str) -> ReplicaStatus:
        members = self.roster.of(replica_type)
        selector = ""
        if self.job.framework.scalable:
            selector = ",".join(f"{key}={value}" for key, value in sorted(self.job.labels(replica_type).items()))
        return ReplicaStatus(
            active=sum(member.state == "running" for member in members),
            succeeded=sum(member.state == "succeeded" for member in members),
            failed=sum(member.state == "failed" for member in members),
            selector=selector,
        )


def names_of(objects: Sequence[AnyObject]) -> set[str]:
    return {key_of(obj).name for obj in objects}
