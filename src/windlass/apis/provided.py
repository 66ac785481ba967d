"""The CustomResourceDefinitions that Windlass brings: the server makes them at its start."""

from windlass.apis.jobset import crds as jobset
from windlass.apis.trainer import crds as trainer
from windlass.apis.training import crds as training
from windlass.apis.volcano import crds as volcano
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """All of them, ready to be created."""
    return [*training.definitions(), *volcano.definitions(), *jobset.definitions(), *trainer.definitions()]
