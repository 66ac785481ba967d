"""The CustomResourceDefinitions of training jobs."""

from windlass.apis.crd import OpenVersion, Version, definition
from windlass.apis.crd_descriptions import described
from windlass.apis.fields import AGE
from windlass.apps.training.descriptions import DESCRIPTIONS
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.training.kinds import mpi_v2beta1 as kubeflow_v2beta1
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob
from windlass.apps.training.kinds.common import STATE_AND_AGE
from windlass.kube.json import Object
from windlass.kube.kind import Column

_OTHERS: dict[str, tuple[Version, ...]] = {
    "TFJob": (
        OpenVersion("v1beta2", STATE_AND_AGE),
        OpenVersion("v1beta1", STATE_AND_AGE),
        OpenVersion("v1alpha2", STATE_AND_AGE),
        OpenVersion("v1alpha1", (Column("State", ".status.state"), AGE)),
    ),
    "MPIJob": (kubeflow_v2beta1.MPIJob,),
}
"""Versions besides v1. Versions older than v1 preserve all fields; the conversion interprets them."""

_DESCRIPTIONS = DESCRIPTIONS | {framework.specs_field: "Pods of the job, by replica type." for framework in FRAMEWORKS}


def definitions() -> list[Object]:
    """Return all definitions, ready to create."""
    jobs = [definition(framework.kind, *_OTHERS.get(framework.name, ())) for framework in FRAMEWORKS]
    jobs.append(definition(ChainerJob))
    for version in [version for job in jobs for version in job["spec"]["versions"]]:
        version["schema"] = {"openAPIV3Schema": described(version["schema"]["openAPIV3Schema"], _DESCRIPTIONS)}
    return jobs
