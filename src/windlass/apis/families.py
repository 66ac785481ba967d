"""The product families of Windlass: server, webhooks, manager and `windlass manifests` go through this list."""

from windlass.apis.family import Family
from windlass.apis.jobset.family import FAMILY as JOBSET
from windlass.apis.trainer.family import FAMILY as TRAINER
from windlass.apis.training.family import FAMILY as TRAINING
from windlass.apis.volcano.family import FAMILY as VOLCANO
from windlass.kube.json import Object

FAMILIES: tuple[Family, ...] = (TRAINING, VOLCANO, JOBSET, TRAINER)
"""A family comes after those whose kinds its objects are made of."""


def definitions() -> list[Object]:
    """The CustomResourceDefinitions of all families, ready to be created."""
    return [crd for family in FAMILIES for crd in family.definitions()]
