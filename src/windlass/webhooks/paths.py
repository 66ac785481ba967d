"""What is asked where: a path for each kind of training job, and one for conversion."""

from collections.abc import Mapping
from functools import partial

from windlass.apis.kubeflow_v1alpha1 import ChainerJob
from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.apis.training.frameworks.mpi import MPIJob
from windlass.kube.kind import KINDS, Kind
from windlass.webhooks.converting import convert_all
from windlass.webhooks.mutating import keep_created_as
from windlass.webhooks.reviews import Handler, answering
from windlass.webhooks.validating import validate

CONVERT = "/convert"
ADMISSION = ("admission.k8s.io/v1",)
CONVERSION = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
TRAINING_KINDS: tuple[Kind, ...] = tuple(KINDS.of(one) for one in (*(f.kind for f in FRAMEWORKS), ChainerJob))
"""In the version in which each is stored."""


MUTATED = KINDS.of(MPIJob)


def validating_path(kind: Kind) -> str:
    return _path("validate", kind)


def mutating_path(kind: Kind) -> str:
    return _path("mutate", kind)


def _path(what: str, kind: Kind) -> str:
    return f"/{what}-{kind.group.replace('.', '-')}-{kind.version}-{kind.name.lower()}"


HANDLERS: Mapping[str, Handler] = {
    **{
        validating_path(kind): answering("AdmissionReview", ADMISSION, partial(validate, kind.name))
        for kind in TRAINING_KINDS
    },
    mutating_path(MUTATED): answering("AdmissionReview", ADMISSION, keep_created_as),
    CONVERT: answering("ConversionReview", CONVERSION, convert_all),
}
