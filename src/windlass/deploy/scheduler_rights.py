"""What the scheduler may do on a cluster: look at what decisions depend on, bind, evict, and say so. Decides only."""

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
from windlass.deploy.manager_rights import LOOKED_AT, Rights, as_rules
from windlass.kube.kind import KINDS

Object: TypeAlias = dict[str, Any]

SEEN: Mapping[type, tuple[str, ...]] = {
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
"""What is watched, and what else is done with it: claims are bound before their pods, and pods may have to go."""
REST: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("storage.k8s.io", "storageclasses"): LOOKED_AT,
    ("apiextensions.k8s.io", "customresourcedefinitions"): LOOKED_AT,  # queues and groups may come to be served
    ("metrics.k8s.io", "nodes"): ("list",),
    ("", "pods/binding"): ("create",),
    ("", "pods/status"): ("patch",),
    ("", "events"): ("create", "patch"),
    ("scheduling.volcano.sh", "queues/status"): ("patch",),
    ("scheduling.incubator.k8s.io", "podgroups/status"): ("patch",),
    ("scheduling.x-k8s.io", "podgroups/status"): ("patch",),
}
CONFIGURATION = "volcano-scheduler-configmap"


def scheduler_rules() -> list[Object]:
    """The rules of the ClusterRole."""
    rights: Rights = defaultdict(set)
    for struct, more in SEEN.items():
        kind = KINDS.of(struct)
        rights[kind.group, kind.plural] |= {*LOOKED_AT, *more}
    for what, verbs in REST.items():
        rights[what] |= {*verbs}
    configuration = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [CONFIGURATION]}
    return [*as_rules(rights), {**configuration, "verbs": list(LOOKED_AT)}]
