"""The CustomResourceDefinition of JobSets."""

from windlass.apis.crd import definition
from windlass.apis.crd_descriptions import described
from windlass.apps.jobset.descriptions import DESCRIPTIONS
from windlass.apps.jobset.kinds import JobSet
from windlass.kube.json import Object


def definitions() -> list[Object]:
    """Return the definition, ready to create."""
    made = definition(JobSet)
    for version in made["spec"]["versions"]:
        version["schema"] = {"openAPIV3Schema": described(version["schema"]["openAPIV3Schema"], DESCRIPTIONS)}
    return [made]
