"""An MPIJob v2beta1 as its controller sees it: names, defaults, and the same as the engine has it, for its gang."""

from dataclasses import dataclass
from typing import cast

import msgspec

from windlass.apis.wellknown import QUEUE_NAME_ANNOTATION
from windlass.apps.training.framework import Framework, Leading
from windlass.apps.training.job import JOB_NAME, JOB_ROLE, OPERATOR_NAME, Job, Replica
from windlass.apps.training.kinds.common import ReplicaSpec, RunPolicy, SchedulingPolicy, TrainingJob
from windlass.apps.training.kinds.mpi_v2beta1 import MPIJob, MPIJobSpec, is_v2beta1
from windlass.apps.training.options import DEFAULTS, Options
from windlass.kube.json import dig

OPERATOR = "mpi-operator"
MANAGER = "kubeflow.org/mpi-operator"
LAUNCHER, WORKER = "Launcher", "Worker"
RESTART_POLICIES = {LAUNCHER: "OnFailure", WORKER: "Never"}

FRAMEWORK = Framework(
    kind=cast("type[TrainingJob]", MPIJob),  # the engine's reconcile never sees it; only what makes gangs does
    specs="mpi_replica_specs",
    replica_types=(LAUNCHER, WORKER),
    leading=lambda job: Leading(LAUNCHER),
    environment=lambda job, replica, index: (),
    container="",
    metrics_name="mpi",
    min_member=lambda job: job.count(WORKER) + (0 if launches_late(cast(MPIJob, job.obj)) else 1),
)


def launches_late(obj: MPIJob) -> bool:
    """Whether the launcher comes when the workers are ready, and so cannot be one of those that start together."""
    return obj.spec.launcher_creation_policy == "WaitForWorkersReady"


@dataclass(frozen=True, kw_only=True)
class Mpi:
    """One MPIJob. `job` is the engine's view of it."""

    obj: MPIJob
    job: Job

    @property
    def name(self) -> str:
        return self.obj.metadata.name

    @property
    def namespace(self) -> str:
        return self.obj.metadata.namespace

    @property
    def spec(self) -> MPIJobSpec:
        return self.obj.spec

    @property
    def policy(self) -> RunPolicy:
        return self.obj.spec.run_policy

    @property
    def clean_pod_policy(self) -> str:
        return self.policy.clean_pod_policy or self.job.options.clean_pod_policy

    @property
    def subject(self) -> str:
        return f"MPIJob {self.namespace}/{self.name}"

    @property
    def launcher(self) -> str:
        """The name of the launcher's Job, and of its pod's host."""
        return f"{self.name}-launcher"

    @property
    def workers(self) -> list[str]:
        """The names of the workers' pods."""
        return self.job.pod_names(WORKER)

    def restart_policy(self, role: str) -> str:
        replica = self.job.replicas.get(role)
        return replica.restart_policy if replica else RESTART_POLICIES[role]

    def labels(self, role: str) -> dict[str, str]:
        return {OPERATOR_NAME: OPERATOR, JOB_NAME: self.name, JOB_ROLE: role.lower()}

    def host(self, pod: str) -> str:
        domain = self.job.options.cluster_domain
        return f"{pod}.{self.name}.{self.namespace}.svc" + (f".{domain}" if domain else "")


def is_ours(obj: MPIJob) -> bool:
    """Whether it was made as v2beta1, and is not another manager's."""
    return is_v2beta1(obj) and (obj.spec.run_policy.managed_by or MANAGER) == MANAGER


def read(obj: MPIJob, options: Options = DEFAULTS) -> Mpi:
    written = {key.lower(): spec for key, spec in obj.spec.mpi_replica_specs.items()}
    replicas = {
        role: _replica(role, written[role.lower()]) for role in FRAMEWORK.replica_types if role.lower() in written
    }
    policy = msgspec.structs.replace(obj.spec.run_policy, scheduling_policy=_scheduling(obj, replicas))
    seen_by_engine = cast(TrainingJob, obj)
    return Mpi(
        obj=obj, job=Job(framework=FRAMEWORK, obj=seen_by_engine, replicas=replicas, policy=policy, options=options)
    )


def _replica(role: str, spec: ReplicaSpec) -> Replica:
    absent = 1 if role == LAUNCHER else 0
    return Replica(
        type=role,
        count=absent if spec.replicas is None else spec.replicas,
        restart_policy=spec.restart_policy or RESTART_POLICIES[role],
        template=spec.template,
        port=0,
    )


def _scheduling(obj: MPIJob, replicas: dict[str, Replica]) -> SchedulingPolicy:
    """The policy with the queue of the annotation, and the priority of the launcher or else of the workers."""
    policy = obj.spec.run_policy.scheduling_policy or SchedulingPolicy()
    named = [str(dig(one.template, "spec", "priorityClassName") or "") for one in replicas.values()]
    return msgspec.structs.replace(
        policy,
        queue=obj.metadata.annotations.get(QUEUE_NAME_ANNOTATION) or policy.queue,
        priority_class=policy.priority_class or next((name for name in named if name), ""),
        schedule_timeout_seconds=policy.schedule_timeout_seconds or 0,
    )
