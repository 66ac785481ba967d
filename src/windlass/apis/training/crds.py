"""The CustomResourceDefinitions that training needs: its own kinds, and the gangs and queues of three schedulers."""

from collections.abc import Iterator

from windlass.apis import scheduling_coscheduling_v1alpha1 as coscheduling
from windlass.apis import scheduling_kube_batch_v1alpha1 as kube_batch
from windlass.apis import scheduling_volcano_v1beta1 as volcano
from windlass.apis.crd import OpenVersion, definition
from windlass.apis.training.common import AGE, STATE_AND_AGE
from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.kube.json import Object
from windlass.kube.kind import Column

_APPROVED = {"api-approved.kubernetes.io": "unapproved, kube-batch's group is older than the need for approval"}
_GANGS = (volcano.PodGroup, volcano.Queue, coscheduling.PodGroup)
_OLDER: dict[str, tuple[OpenVersion, ...]] = {
    "TFJob": (
        OpenVersion("v1beta2", STATE_AND_AGE),
        OpenVersion("v1beta1", STATE_AND_AGE),
        OpenVersion("v1alpha2", STATE_AND_AGE),
        OpenVersion("v1alpha1", (Column("State", ".status.state"), AGE)),
    )
}
"""Versions from before v1, which keep what they are given, and whose meaning the conversion knows."""


def definitions() -> list[Object]:
    """All of them, ready to be created."""
    return [*_training(), *(definition(gang) for gang in _GANGS), *_kube_batch()]


def _training() -> Iterator[Object]:
    for framework in FRAMEWORKS:
        yield definition(framework.kind, *_OLDER.get(framework.name, ()))


def _kube_batch() -> Iterator[Object]:
    for declared in (kube_batch.PodGroup, kube_batch.Queue):
        made = definition(declared)
        yield {**made, "metadata": {**made["metadata"], "annotations": _APPROVED}}
