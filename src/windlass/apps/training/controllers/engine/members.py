"""The pods of a job, each at its place, and what each has come to.

A pod is judged by the container that trains: a sidecar that keeps running, or fails, changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from windlass.apis.core_v1 import ContainerStatus, Pod, Service
from windlass.apps.training.job import Job, Replica, main_container
from windlass.kube.controller import Observed
from windlass.kube.json import Object, dig_list, dig_object

State: TypeAlias = Literal["waiting", "running", "succeeded", "failed"]
Place: TypeAlias = tuple[str, int]
"""Replica type and index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """The pod at one place of a job."""

    replica: Replica
    index: int
    pod: Pod
    state: State
    container: str
    """The one that trains."""

    @property
    def name(self) -> str:
        return self.pod.metadata.name

    @property
    def uid(self) -> str:
        return self.pod.metadata.uid

    @property
    def deleting(self) -> bool:
        return self.pod.metadata.deletion_timestamp is not None

    @property
    def end(self) -> Object:
        """How its container ended: `exitCode`, `reason`, `message`; empty while it has not, or was never started."""
        return ending(self.pod, self.container)

    @property
    def restarts(self) -> int:
        """How often its containers were started again in place."""
        status = self.pod.status
        return sum(one.restart_count for one in (*status.init_container_statuses, *status.container_statuses))


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """All that a job has. `surplus`: pods that have no place any more. `taken`: names that others' objects hold."""

    members: Mapping[Place, Member]
    surplus: Sequence[Pod]
    services: Mapping[str, Service]
    taken: Sequence[str]

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members.values())

    def of(self, replica_type: str) -> list[Member]:
        return [member for member in self if member.replica.type == replica_type]

    @property
    def pods(self) -> list[Pod]:
        return [*(member.pod for member in self), *self.surplus]


def places(job: Job) -> dict[str, Place]:
    """Which place each name is for."""
    return {
        job.framework.pod_name(job, replica.type, index): (replica.type, index)
        for replica in job.replicas.values()
        for index in range(replica.count)
    }


def roster_of(job: Job, observed: Observed) -> Roster:
    wanted = places(job)
    members: dict[Place, Member] = {}
    surplus: list[Pod] = []
    for pod in observed.owned(Pod):
        place = wanted.get(pod.metadata.name)
        if place is None:
            surplus.append(pod)
        else:
            members[place] = member_of(job, place, pod)
    ordered = {place: members[place] for place in wanted.values() if place in members}
    services = {service.metadata.name: service for service in observed.owned(Service)} if job.framework.services else {}
    taken = [
        name
        for name, place in wanted.items()
        if (place not in members and observed.one(Pod, name) is not None)
        or (job.framework.services and name not in services and observed.one(Service, name) is not None)
    ]
    return Roster(members=ordered, surplus=surplus, services=services, taken=taken)


def member_of(job: Job, place: Place, pod: Pod) -> Member:
    replica = job.replicas[place[0]]
    container = training_container(job, replica)
    return Member(
        replica=replica, index=place[1], pod=pod, container=container, state=state_of(pod, container, replica)
    )


def training_container(job: Job, replica: Replica) -> str:
    containers = dig_list(replica.template, "spec", "containers")
    return str(containers[main_container(job.framework, replica.template)].get("name") or "") if containers else ""


def state_of(pod: Pod, container: str, replica: Replica) -> State:
    phase, end = pod.status.phase, ending(pod, container)
    if end and phase in ("Running", "Failed") and not pod.status.reason:
        code, policy = end.get("exitCode"), replica.restart_policy
        if code == 0 and policy != "Always":
            return "succeeded"
        if phase == "Running" and code and policy in ("Never", "ExitCode"):
            return "failed"
    match phase:
        case "Succeeded":
            return "succeeded"
        case "Failed":
            return "failed"
        case "Running":
            return "running" if pod.metadata.deletion_timestamp is None else "failed"
        case _:
            return "waiting"


def ending(pod: Pod, container: str) -> Object:
    status = _status(pod, container)
    return dig_object(status.state, "terminated") if status is not None else {}


def _status(pod: Pod, container: str) -> ContainerStatus | None:
    return next((one for one in pod.status.container_statuses if one.name == container), None)
