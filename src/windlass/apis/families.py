"""The product families of Windlass. Server, webhooks, manager and `windlass manifests` iterate over this list."""

from windlass.apis.family import Family
from windlass.apis.istio.family import FAMILY as ISTIO
from windlass.apis.jobset.family import FAMILY as JOBSET
from windlass.apis.notebooks.family import FAMILY as NOTEBOOKS
from windlass.apis.pipelines.family import FAMILY as PIPELINES
from windlass.apis.profiles.family import FAMILY as PROFILES
from windlass.apis.pvcviewers.family import FAMILY as PVCVIEWERS
from windlass.apis.snapshots.family import FAMILY as SNAPSHOTS
from windlass.apis.tensorboards.family import FAMILY as TENSORBOARDS
from windlass.apis.trainer.family import FAMILY as TRAINER
from windlass.apis.training.family import FAMILY as TRAINING
from windlass.apis.volcano.family import FAMILY as VOLCANO
from windlass.kube.json import Object

FAMILIES: tuple[Family, ...] = (
    TRAINING,
    VOLCANO,
    JOBSET,
    TRAINER,
    ISTIO,
    NOTEBOOKS,
    TENSORBOARDS,
    PVCVIEWERS,
    SNAPSHOTS,
    PIPELINES,
    PROFILES,
)
"""Families in dependency order: each comes after the families whose kinds its objects consist of."""


def definitions() -> list[Object]:
    """Return the CustomResourceDefinitions of all families, ready to create."""
    return [crd for family in FAMILIES for crd in family.definitions()]
