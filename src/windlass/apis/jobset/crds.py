"""The CustomResourceDefinition of JobSets."""

from windlass.apis.crd import definition
from windlass.apis.jobset.descriptions import DESCRIPTIONS
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.apis.training.descriptions import described
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """Return the definition, ready to create."""
    made = definition(JobSet)
    for version in made["spec"]["versions"]:
        version["schema"] = {"openAPIV3Schema": described(version["schema"]["openAPIV3Schema"], DESCRIPTIONS)}
    return [made]
