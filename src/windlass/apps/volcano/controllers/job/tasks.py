"""A Job as its controller reads it: tasks with their defaults, names of pods and hosts, sums over tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.apps.volcano.kinds.batch import DependsOn, Job, LifecyclePolicy, PartitionPolicy, TaskSpec
from windlass.kube.json import Object, dig

DEFAULT_MAX_RETRY = 3
NO_LIMIT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task of a job with everything that its spec leaves open."""

    name: str
    replicas: int
    min_available: int
    max_retry: int
    template: Object
    policies: Sequence[LifecyclePolicy]
    depends_on: DependsOn | None
    partition_policy: PartitionPolicy | None
    topology_policy: str

    def partition(self, index: int) -> str:
        """The partition of the pod at an index; empty where the task has none."""
        policy = self.partition_policy
        return str(index // policy.partition_size) if policy is not None else ""


def tasks_of(job: Job) -> list[Task]:
    return [_task(index, spec) for index, spec in enumerate(job.spec.tasks)]


def _task(index: int, spec: TaskSpec) -> Task:
    return Task(
        name=spec.name or f"default{index}",
        replicas=spec.replicas,
        min_available=spec.replicas if spec.min_available is None else spec.min_available,
        max_retry=spec.max_retry or DEFAULT_MAX_RETRY,
        template=spec.template,
        policies=spec.policies,
        depends_on=spec.depends_on,
        partition_policy=spec.partition_policy,
        topology_policy=spec.topology_policy or "",
    )


def task_named(job: Job, name: str) -> Task | None:
    return next((task for task in tasks_of(job) if task.name == name), None)


def replicas(job: Job) -> int:
    return sum(task.replicas for task in job.spec.tasks)


def min_available(job: Job) -> int:
    return job.spec.min_available or sum(task.min_available for task in tasks_of(job))


def max_retry(job: Job) -> int:
    return job.spec.max_retry or DEFAULT_MAX_RETRY


def pod_name(job: Job, task: str, index: int) -> str:
    return f"{job.metadata.name}-{task}-{index}"


def group_name(job: Job) -> str:
    return f"{job.metadata.name}-{job.metadata.uid}"


def host(job: Job, task: Task, index: int) -> str:
    """What other pods of the job reach a pod by, with the plugin svc."""
    name = str(dig(task.template, "spec", "hostname") or "") or pod_name(job, task.name, index)
    domain = str(dig(task.template, "spec", "subdomain") or "") or job.metadata.name
    return f"{name}.{domain}"


def hosts(job: Job, task: Task) -> list[str]:
    """Of all its pods; those of a template with a host name share that one."""
    shared = dig(task.template, "spec", "hostname")
    return [host(job, task, index) for index in range(min(task.replicas, 1) if shared else task.replicas)]
