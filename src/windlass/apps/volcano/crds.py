"""The CustomResourceDefinitions of PodGroups and queues of three schedulers, and of Volcano's jobs."""

from collections.abc import Iterator

from windlass.apis import scheduling_coscheduling_v1alpha1 as coscheduling
from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis import scheduling_volcano_v1beta1 as scheduling
from windlass.apis.crd import definition
from windlass.apis.crd_descriptions import described
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.apps.volcano.descriptions import DESCRIPTIONS
from windlass.apps.volcano.kinds import batch, flow
from windlass.apps.volcano.kinds.bus import Command
from windlass.apps.volcano.kinds.nodeinfo import Numatopology
from windlass.kube.json import Object

_APPROVED = {"api-approved.kubernetes.io": "unapproved, kube-batch's group is older than the need for approval"}
_DECLARED = (
    scheduling.PodGroup,
    scheduling.Queue,
    batch.Job,
    batch.CronJob,
    Command,
    flow.JobFlow,
    flow.JobTemplate,
    HyperNode,
    Numatopology,
    coscheduling.PodGroup,
)


def definitions() -> list[Object]:
    """Return all definitions, ready to create."""
    made = [*(definition(declared) for declared in _DECLARED), *_kube_batch()]
    for version in [version for one in made for version in one["spec"]["versions"]]:
        version["schema"] = {"openAPIV3Schema": described(version["schema"]["openAPIV3Schema"], DESCRIPTIONS)}
    return made


def _kube_batch() -> Iterator[Object]:
    for declared in (kube_batch.PodGroup, kube_batch.Queue):
        made = definition(declared)
        yield {**made, "metadata": {**made["metadata"], "annotations": _APPROVED}}
