"""The definition of a training framework, as data and a few pure functions.

A framework is one module in `frameworks/`, which declares its kind and a `FRAMEWORK`. The engine
(`windlass.apps.training.controllers`) manages pods, services, status, restarts and clean-up for all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from windlass.apis.core_v1 import Pod
from windlass.apps.training.job import Job, Replica
from windlass.apps.training.kinds.common import Replicas, TrainingJob
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.objects import AnyObject

Environment: TypeAlias = Callable[[Job, Replica, int], Sequence[Object]]
"""The environment variables of the pod at an index, as ordered entries of a container's `env`."""


@dataclass(frozen=True, slots=True)
class Leading:
    """The role that determines the state of the job: the job runs when one of its pods runs.

    The job succeeds when `all` pods of the role succeed, when `any` does, or when the `first` (or all) does.
    """

    type: str
    success: Literal["all", "any", "first"] = "all"


def _unchanged(job: Job, replica: Replica, index: int, pod: Object) -> Object:
    return pod


def _nothing_more(job: Job, pods: Sequence[Pod]) -> Sequence[AnyObject]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A training framework. The fields without a default are required."""

    kind: type[TrainingJob]
    specs: str
    """The Python name of the spec field that holds the replicas, such as `tf_replica_specs`."""
    replica_types: tuple[str, ...]
    leading: Callable[[Job], Leading]
    environment: Environment
    container: str
    """The name of the training container."""
    metrics_name: str
    """The value of the metrics label `framework`."""

    own_container: Callable[[TrainingJob], str] = lambda obj: ""
    """The name that a job gives to the training container, where its spec can set one."""
    port_name: str = ""
    port: int = 0
    restart_policy: str = "Never"
    restart_policies: Mapping[str, str] = field(default_factory=dict[str, str])
    """Default restart policies by role."""
    default_replicas: Mapping[str, int] = field(default_factory=dict[str, int])
    """Default number of replicas by role; other roles have one."""
    every_container: bool = True
    """Whether all containers of a pod get the environment, or only the training container."""
    services: bool = True
    """Whether each pod has a headless service with its name."""

    master_type: str = ""
    """The role labelled master, if not the leading role (of leading Workers, only the first)."""
    messages_have_namespace: Callable[[Job], bool] = lambda job: job.framework.leading(job).type == "Worker"
    """Whether messages contain team-a/demo instead of demo."""
    tolerates_failure: Callable[[Job, str], bool] = lambda job, replica_type: False
    """Whether the job continues when a pod of this role has failed permanently."""
    failed_reason: Callable[[Job, Sequence[Pod]], str] = lambda job, pods: f"{job.kind}Failed"
    """The reason of the condition Failed when these pods have failed permanently."""
    runs: Callable[[TrainingJob], bool] = lambda obj: True
    """Whether the engine runs an object of the kind; another controller manages the others."""
    min_member: Callable[[Job], int] = lambda job: job.total
    """The number of pods that must start together, unless the scheduling policy sets it."""
    pod_name: Callable[[Job, str, int], str] = Job.pod_name
    shape: Callable[[Job, Replica, int, Object], Object] = _unchanged
    """Final changes to the pod at an index (plain JSON, a private copy), such as an init container."""
    extras: Callable[[Job, Sequence[Pod]], Sequence[AnyObject]] = _nothing_more
    """Objects that the job owns besides pods and services, applied before the pods are created."""
    extra_kinds: tuple[type, ...] = ()
    """The kinds of `extras`, which are deleted while the job is suspended."""
    holds: Callable[[Job, Replica, Sequence[Pod]], bool] = lambda job, replica, pods: False
    """Whether to delay the creation of pods of this role, for example until others are ready."""

    @property
    def name(self) -> str:
        """The kind, such as TFJob."""
        return self.kind.__name__

    @property
    def operator_name(self) -> str:
        return f"{self.name.lower()}-controller"

    @property
    def specs_field(self) -> str:
        """The JSON name of the spec field that holds the replicas, such as `tfReplicaSpecs`."""
        first, *rest = self.specs.split("_")
        return first + "".join(part.capitalize() for part in rest)

    @property
    def scalable(self) -> bool:
        return KINDS.of(self.kind).scale is not None

    def replica_specs(self, obj: TrainingJob) -> Replicas:
        return getattr(obj.spec, self.specs)

    def is_master(self, job: Job, replica_type: str, index: int) -> bool:
        if self.master_type:
            return replica_type == self.master_type
        leader = self.leading(job).type
        return replica_type == leader and (leader != "Worker" or index == 0)
