"""What makes one framework different from another, as data and a few pure functions.

A framework is one file in `frameworks/`, which declares its kind and a `FRAMEWORK`. The engine
(`windlass.controllers.training`) does the rest: pods, services, status, restarts, clean-up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from windlass.apis.core_v1 import Pod
from windlass.apis.training.common import Replicas, TrainingJob
from windlass.apis.training.job import Job, Replica
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.objects import AnyObject

Environment: TypeAlias = Callable[[Job, Replica, int], Sequence[Object]]
"""The variables of the pod at an index, as entries of a container's `env`, in order."""


@dataclass(frozen=True, slots=True)
class Leading:
    """The role whose pods say how the job fares: it runs when one of them does.

    It succeeds when `all` of them have, when `any` has, or when the `first` (or all) has.
    """

    type: str
    success: Literal["all", "any", "first"] = "all"


def _unchanged(job: Job, replica: Replica, index: int, pod: Object) -> Object:
    return pod


def _nothing_more(job: Job, pods: Sequence[Pod]) -> Sequence[AnyObject]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Framework:
    """One framework. Only the first block must be said."""

    kind: type[TrainingJob]
    specs: str
    """The field of the spec that holds the replicas, as in Python: `tf_replica_specs`."""
    replica_types: tuple[str, ...]
    leading: Callable[[Job], Leading]
    environment: Environment
    container: str
    """The name of the container that trains."""
    metrics_name: str
    """The label `framework` of its metrics."""

    own_container: Callable[[TrainingJob], str] = lambda obj: ""
    """What a job itself calls that container, where it may say so."""
    port_name: str = ""
    port: int = 0
    restart_policy: str = "Never"
    restart_policies: Mapping[str, str] = field(default_factory=dict[str, str])
    """Default policies of single roles."""
    default_replicas: Mapping[str, int] = field(default_factory=dict[str, int])
    """Default numbers of single roles; others have one."""
    every_container: bool = True
    """Whether all containers of a pod get the environment, or only the one that trains."""
    services: bool = True
    """Whether each pod has a headless service of its name."""

    master_type: str = ""
    """The role that is labelled master, where it is not the leading one (of which Workers only the first)."""
    tells_namespace: Callable[[Job], bool] = lambda job: job.framework.leading(job).type == "Worker"
    """Whether messages say team-a/demo instead of demo."""
    forgives: Callable[[Job, str], bool] = lambda job, replica_type: False
    """Whether the job goes on when a pod of this role has failed for good."""
    failed_reason: Callable[[Job, Sequence[Pod]], str] = lambda job, pods: f"{job.kind}Failed"
    """The reason of the condition Failed, when these pods have failed for good."""
    runs: Callable[[TrainingJob], bool] = lambda obj: True
    """Whether an object of the kind is the engine's to run; another controller looks after the others."""
    min_member: Callable[[Job], int] = lambda job: job.total
    """How many pods must start together, where the scheduling policy does not say."""
    pod_name: Callable[[Job, str, int], str] = Job.pod_name
    shape: Callable[[Job, Replica, int, Object], Object] = _unchanged
    """Last changes to the pod at an index (plain JSON, a copy of its own): an init container, say."""
    extras: Callable[[Job, Sequence[Pod]], Sequence[AnyObject]] = _nothing_more
    """What the job owns besides pods and services (by server-side apply), made before the pods."""
    extra_kinds: tuple[type, ...] = ()
    """The kinds of `extras`, which are removed while the job is suspended."""
    holds: Callable[[Job, Replica, Sequence[Pod]], bool] = lambda job, replica, pods: False
    """Whether pods of this role must wait to be made, as for others to be ready."""

    @property
    def name(self) -> str:
        """Its kind: TFJob."""
        return self.kind.__name__

    @property
    def operator_name(self) -> str:
        return f"{self.name.lower()}-controller"

    @property
    def specs_field(self) -> str:
        """The field of the spec that holds the replicas, as on the wire: `tfReplicaSpecs`."""
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


def variable(name: str, value: object) -> Object:
    return {"name": name, "value": str(value)}
