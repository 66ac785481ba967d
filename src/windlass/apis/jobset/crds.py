"""The CustomResourceDefinition of JobSets."""

from windlass.apis.crd import definition
from windlass.apis.jobset.descriptions import DESCRIPTIONS
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.apis.training.descriptions import described
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """The one there is, ready to be created."""
    made = definition(JobSet)
    for version in made["spec"]["versions"]:
        version["schema"] = {"openAPIV3Schema": described(version["schema"]["openAPIV3Schema"], DESCRIPTIONS)}
    return [made]
