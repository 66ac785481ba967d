"""The CustomResourceDefinitions that training needs: its own kinds, and the gangs and queues of three schedulers."""

from collections.abc import Iterator

from windlass.apis import kubeflow_v2beta1
from windlass.apis import scheduling_coscheduling_v1alpha1 as coscheduling
from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis import scheduling_volcano_v1beta1 as volcano
from windlass.apis.crd import OpenVersion, Version, definition
from windlass.apis.kubeflow_v1alpha1 import ChainerJob
from windlass.apis.training.common import AGE, STATE_AND_AGE
from windlass.apis.training.descriptions import described
from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.kube.json import Object
from windlass.kube.kind import Column

_APPROVED = {"api-approved.kubernetes.io": "unapproved, kube-batch's group is older than the need for approval"}
_GANGS = (volcano.PodGroup, volcano.Queue, coscheduling.PodGroup)
_OTHERS: dict[str, tuple[Version, ...]] = {
    "TFJob": (
        OpenVersion("v1beta2", STATE_AND_AGE),
        OpenVersion("v1beta1", STATE_AND_AGE),
        OpenVersion("v1alpha2", STATE_AND_AGE),
        OpenVersion("v1alpha1", (Column("State", ".status.state"), AGE)),
    ),
    "MPIJob": (kubeflow_v2beta1.MPIJob,),
}
"""Versions besides v1. Those from before it keep what they are given; the conversion knows what they mean."""


def definitions() -> list[Object]:
    """All of them, ready to be created."""
    jobs = [definition(framework.kind, *_OTHERS.get(framework.name, ())) for framework in FRAMEWORKS]
    jobs.append(definition(ChainerJob))
    for version in [version for job in jobs for version in job["spec"]["versions"]]:
        version["schema"] = {"openAPIV3Schema": described(version["schema"]["openAPIV3Schema"])}
    return [*jobs, *(definition(gang) for gang in _GANGS), *_kube_batch()]


def _kube_batch() -> Iterator[Object]:
    for declared in (kube_batch.PodGroup, kube_batch.Queue):
        made = definition(declared)
        yield {**made, "metadata": {**made["metadata"], "annotations": _APPROVED}}
