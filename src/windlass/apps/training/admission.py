"""Admission of training jobs, with the messages of the training operator's webhooks."""

from collections.abc import Sequence

from windlass.apis.admission import UPDATE, Facts, Mutation, Request, Rule, Validation, Verdict, default_path
from windlass.apps.training.conversion import OLD_VERSIONS, STORED, convert, legacy_problems
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.training.frameworks.mpi import MPIJob
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob
from windlass.apps.training.kinds.common import GROUP
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS, VERSION
from windlass.apps.training.validation import problems, warnings
from windlass.kube.errors import Cause, Forbidden, Invalid
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS

VALIDATOR, MUTATOR = f"validator.training-operator.{GROUP}", f"mutator.training-operator.{GROUP}"
_OWN_RULES = (STORED, VERSION)
"""Versions that are validated as they are; older versions are validated after conversion to v1."""


def _validate(request: Request, facts: Facts) -> Verdict:
    """Validate a write, and report all invalid fields at once."""
    if request.keeps_spec:
        return Verdict()
    obj, old = request.obj or {}, request.old
    version = str(obj.get("apiVersion")).rpartition("/")[2]
    if request.kind in OLD_VERSIONS and version not in _OWN_RULES:
        _check_conversion(request, obj, facts)
        obj, old = _as_stored(obj), _as_stored(old) if old is not None else None
    causes = problems(obj, old)
    if causes:
        return Verdict(Forbidden(listed(causes), causes=causes).status())
    return Verdict(warnings=warnings(request.obj or {}))


def _check_conversion(request: Request, obj: Object, facts: Facts) -> None:
    """Check that an object can be converted: old versions accept any fields, but v1 must be able to store them."""
    causes = legacy_problems(obj) or facts.checks.custom_resource(_as_stored(obj))
    if causes:
        raise Invalid.of(request.kind, GROUP, request.name, causes)


def _as_stored(obj: Object) -> Object:
    return convert(obj, f"{GROUP}/{STORED}")


def listed(causes: Sequence[Cause]) -> str:
    """Format one error as it is, and several as a list, as the operator's webhook does."""
    lines = [f"{cause.field}: {cause.message}" for cause in causes]
    return lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"


def _keep_created_as(request: Request, facts: Facts) -> Object:
    """Keep the version at which an MPIJob was created, v1 or v2beta1, whichever version it is updated at.

    A client that replaces all annotations must not hand a running job to another controller.
    """
    obj, old = request.obj or {}, request.old or {}
    version = created_as(old)
    if created_as(obj) == version:
        return obj
    annotations: Object = {**dig_object(obj, "metadata", "annotations"), CREATED_AS: version}
    return {**obj, "metadata": {**dig_object(obj, "metadata"), "annotations": annotations}}


def created_as(obj: Object) -> str:
    """The version at which a job was created; without the annotation, the version of the object itself."""
    version = VERSION if str(obj.get("apiVersion")).endswith(f"/{VERSION}") else STORED
    return str(dig(obj, "metadata", "annotations", CREATED_AS) or version)


def _validation(declared: type) -> Validation:
    kind = KINDS.of(declared)
    return Validation(
        kind=kind,
        name=f"validator.{kind.name.lower()}.training-operator.{GROUP}",
        path=default_path("validate", kind),
        configuration=VALIDATOR,
        versions=tuple(OLD_VERSIONS.get(kind.name, ())),
        validate=_validate,
    )


_MPI = KINDS.of(MPIJob)
RULES: tuple[Rule, ...] = (
    Mutation(
        kind=_MPI,
        name=f"mutator.mpijob.training-operator.{GROUP}",
        path=default_path("mutate", _MPI),
        configuration=MUTATOR,
        operations=(UPDATE,),
        versions=tuple(OLD_VERSIONS["MPIJob"]),
        mutate=_keep_created_as,
    ),
    *(_validation(declared) for declared in (*(framework.kind for framework in FRAMEWORKS), ChainerJob)),
)
