"""Pod groups of the three kinds that are in use, and which of them a pod belongs to. Pure.

| schedulerName | a pod names its group by | the group is a PodGroup of |
|---|---|---|
| volcano | annotation scheduling.k8s.io/group-name | scheduling.volcano.sh, else scheduling.incubator.k8s.io |
| kube-batch | the same | scheduling.incubator.k8s.io, else scheduling.volcano.sh |
| scheduler-plugins, scheduler-plugins-scheduler | label scheduling.x-k8s.io/pod-group | scheduling.x-k8s.io |
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from windlass.apis import scheduling_coscheduling_v1alpha1, scheduling_kube_batch_v1alpha1, scheduling_volcano_v1beta1
from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION, TASK_SPEC_ANNOTATION
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of, uid_of
from windlass.scheduler.model.amounts import A_GANG, amounts_of

DEFAULT = "default-scheduler"
VOLCANO = KINDS.of(scheduling_volcano_v1beta1.PodGroup)
KUBE_BATCH = KINDS.of(scheduling_kube_batch_v1alpha1.PodGroup)
COSCHEDULING = KINDS.of(scheduling_coscheduling_v1alpha1.PodGroup)
GROUP_KINDS = (VOLCANO, KUBE_BATCH, COSCHEDULING)
COMPONENTS = {VOLCANO: "volcano", KUBE_BATCH: "kube-batch", COSCHEDULING: "scheduler-plugins"}
"""Who events about a group come from."""

BY_SCHEDULER: Mapping[str, tuple[Kind, ...]] = {
    "volcano": (VOLCANO, KUBE_BATCH),
    "kube-batch": (KUBE_BATCH, VOLCANO),
    "scheduler-plugins": (COSCHEDULING,),
    "scheduler-plugins-scheduler": (COSCHEDULING,),
}
SERVED = frozenset((DEFAULT, *BY_SCHEDULER))
"""The scheduler names whose pods are placed."""

GROUP_LABEL = scheduling_coscheduling_v1alpha1.LABEL

OF_QUOTAS = ("requests.", "limits.", "count/")
"""How names of resources begin that only quotas count."""

Mark: TypeAlias = tuple[Literal["annotation", "label"], Key]
"""How a pod names its group. One of another namespace cannot be named."""


def mark_of(pod: Pod) -> Mark | None:
    """None: the pod is placed for itself."""
    kinds = BY_SCHEDULER.get(pod.spec.scheduler_name)
    if kinds is None:
        return None
    if kinds == (COSCHEDULING,):
        name = pod.metadata.labels.get(GROUP_LABEL)
        return ("label", Key(pod.metadata.namespace, name)) if name else None
    name = pod.metadata.annotations.get(POD_GROUP_NAME_ANNOTATION)
    return ("annotation", Key(pod.metadata.namespace, name)) if name else None


def is_alone(pod: Pod) -> bool:
    """It is placed for itself, by Kubernetes' rules. Pods of volcano and kube-batch always are of some group."""
    kinds = BY_SCHEDULER.get(pod.spec.scheduler_name)
    return kinds is None or (kinds == (COSCHEDULING,) and GROUP_LABEL not in pod.metadata.labels)


def role_of(pod: Pod) -> str:
    """Return the role of a pod in its gang, which may have a minimum of its own (`minTaskMember`)."""
    return pod.metadata.annotations.get(TASK_SPEC_ANNOTATION) or pod.metadata.labels.get(TASK_SPEC_ANNOTATION, "")


def mark_for(kind: Kind, key: Key) -> Mark:
    return ("label" if kind == COSCHEDULING else "annotation", key)


def group_of_one(kind: Kind, pod: Pod, owner: str) -> "PodGroup":
    """The group of pods that name none and have the same owner: each is placed for itself."""
    metadata: Json = {
        "name": scheduling_volcano_v1beta1.generated_group_name(owner),
        "namespace": pod.metadata.namespace,
        "uid": f"alone-{owner}",
        "creationTimestamp": pod.metadata.creation_timestamp,
    }
    return PodGroup.of(kind, {"metadata": metadata, "spec": {"minMember": 1}})


@dataclass(frozen=True, slots=True)
class PodGroup:
    """A PodGroup, as far as placing its pods goes. `min_resources` None: nothing is asked for in advance."""

    kind: Kind
    obj: Json
    min_member: int
    min_resources: dict[str, int] | None
    min_tasks: dict[str, int]
    """The least of each role; of no account where `min_member` is less than all of them together, as in Volcano."""

    @classmethod
    def of(cls, kind: Kind, obj: Json) -> "PodGroup":
        asked = dig(obj, "spec", "minResources")
        least = int(dig(obj, "spec", "minMember") or 0)
        roles = {str(role): int(number) for role, number in dig_object(obj, "spec", "minTaskMember").items()}
        return cls(
            kind,
            obj,
            min_member=least,
            min_tasks=roles if sum(roles.values()) <= least else {},
            min_resources=_amounts(dig_object(obj, "spec", "minResources")) if asked is not None else None,
        )

    @property
    def key(self) -> Key:
        return key_of(self.obj)

    @property
    def uid(self) -> str:
        return uid_of(self.obj)

    @property
    def mark(self) -> Mark:
        return mark_for(self.kind, self.key)

    @property
    def status(self) -> Json:
        return dig_object(self.obj, "status")

    @property
    def phase(self) -> str:
        return str(self.status.get("phase") or "")


def _amounts(listed: Mapping[str, str | int | float]) -> dict[str, int]:
    """What nodes offer, of a list that may also name quotas (`requests.cpu`, `limits.memory`, `count/pods`)."""
    of_nodes = {name: amount for name, amount in listed.items() if not name.startswith(OF_QUOTAS)}
    return amounts_of(of_nodes, A_GANG)
