"""What is asked where: a path for each kind of training job, and one for conversion."""

from collections.abc import Mapping
from functools import partial

from windlass.apis.kubeflow_v1alpha1 import ChainerJob
from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.kube.kind import KINDS, Kind
from windlass.webhooks.converting import convert_all
from windlass.webhooks.reviews import Handler, answering
from windlass.webhooks.validating import validate

CONVERT = "/convert"
TRAINING_KINDS: tuple[Kind, ...] = tuple(KINDS.of(one) for one in (*(f.kind for f in FRAMEWORKS), ChainerJob))
"""In the version in which each is stored."""


def validating_path(kind: Kind) -> str:
    return f"/validate-{kind.group.replace('.', '-')}-{kind.version}-{kind.name.lower()}"


HANDLERS: Mapping[str, Handler] = {
    **{
        validating_path(kind): answering("AdmissionReview", ("admission.k8s.io/v1",), partial(validate, kind.name))
        for kind in TRAINING_KINDS
    },
    CONVERT: answering("ConversionReview", ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"), convert_all),
}
