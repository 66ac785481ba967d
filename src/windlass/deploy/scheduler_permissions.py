"""The RBAC rules of the scheduler on a cluster: read what decisions depend on, bind, evict, and report. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, TypeAlias

from windlass.apis import scheduling_coscheduling_v1alpha1 as coscheduling
from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis import scheduling_volcano_v1beta1 as volcano
from windlass.apis.core_v1 import Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.apis.wellknown import VOLCANO_SCHEDULING_GROUP
from windlass.deploy.manager_permissions import READ_VERBS, Permissions, as_rules
from windlass.kube.kind import KINDS

Object: TypeAlias = dict[str, Any]

WATCHED: Mapping[type, tuple[str, ...]] = {
    Pod: ("get", "delete"),
    PersistentVolumeClaim: ("patch",),
    PersistentVolume: ("patch",),
    Node: (),
    Namespace: (),
    ResourceQuota: (),
    PodDisruptionBudget: (),
    PriorityClass: (),
    HyperNode: (),
    volcano.Queue: ("patch",),  # what is kept for a gang is written there, to be known after a restart
    kube_batch.Queue: ("patch",),
    volcano.PodGroup: ("patch",),  # whose status has no path of its own
    kube_batch.PodGroup: (),
    coscheduling.PodGroup: (),
}
"""What is watched, and further verbs: claims are bound before their pods, and pods may be evicted."""
OTHER_RULES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("storage.k8s.io", "storageclasses"): READ_VERBS,
    ("apiextensions.k8s.io", "customresourcedefinitions"): READ_VERBS,  # queues and groups may come to be served
    ("metrics.k8s.io", "nodes"): ("list",),
    ("", "pods/binding"): ("create",),
    ("", "pods/status"): ("patch",),
    ("", "events"): ("create", "patch"),
    (VOLCANO_SCHEDULING_GROUP, "queues/status"): ("patch",),
    ("scheduling.incubator.k8s.io", "podgroups/status"): ("patch",),
    ("scheduling.x-k8s.io", "podgroups/status"): ("patch",),
}
CONFIGURATION = "volcano-scheduler-configmap"


def scheduler_rules() -> list[Object]:
    """The rules of the ClusterRole."""
    permissions: Permissions = defaultdict(set)
    for struct, more in WATCHED.items():
        kind = KINDS.of(struct)
        permissions[kind.group, kind.plural] |= {*READ_VERBS, *more}
    for what, verbs in OTHER_RULES.items():
        permissions[what] |= {*verbs}
    configuration = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [CONFIGURATION]}
    return [*as_rules(permissions), {**configuration, "verbs": list(READ_VERBS)}]
