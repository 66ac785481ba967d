"""Admission of training jobs: the answer to an AdmissionReview, in the words of the training operator's webhooks."""

from collections.abc import Sequence

from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import OLD_VERSIONS, legacy_problems
from windlass.apis.training.validation import problems, warnings
from windlass.kube.errors import ApiError, BadRequest, Cause, Forbidden, Invalid
from windlass.kube.json import Object, dig, is_object
from windlass.webhooks.stored import as_stored, misfit

OPERATIONS = ("CREATE", "UPDATE")
OWN_RULES = ("v1", "v2beta1")
"""Versions that are checked as they are; those before them as the v1 object that they become."""


def validate(kind: str, request: Object) -> Object:
    """Whether a job of `kind` may be written as the request says; every bad field is named at once."""
    if request.get("operation") not in OPERATIONS:
        return {"allowed": True}
    obj, old = request.get("object"), request.get("oldObject")
    try:
        if not is_object(obj) or obj.get("kind") != kind:
            raise BadRequest(f"a {kind} is checked here, not a {dig(obj, 'kind')}")
        refuse_bad(obj, old if is_object(old) else None)
    except ApiError as error:
        return {"allowed": False, "status": error.status()}
    told = warnings(obj)
    return {"allowed": True, "warnings": told} if told else {"allowed": True}


def refuse_bad(obj: Object, old: Object | None) -> None:
    """Raises what a client should be told of a job that cannot run; `old` is what it replaces."""
    if old is not None and obj.get("spec") == old.get("spec"):
        return
    version = str(obj.get("apiVersion")).rpartition("/")[2]
    if obj["kind"] in OLD_VERSIONS and version not in OWN_RULES:
        obj, old = _raised(obj, version), as_stored(old) if old is not None else None
    found = problems(obj, old)
    if found:
        raise Forbidden(listed(found), causes=found)


def listed(found: Sequence[Cause]) -> str:
    told = [f"{cause.field}: {cause.message}" for cause in found]
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def _raised(obj: Object, version: str) -> Object:
    """An old version keeps whatever it is given; what v1 could not hold must not get that far."""
    kind, name = str(obj["kind"]), str(dig(obj, "metadata", "name") or "")
    found = legacy_problems(obj)
    if found:
        raise Invalid.of(kind, GROUP, name, found)
    becomes = as_stored(obj)
    wrong = misfit(becomes)
    if wrong:
        raise BadRequest(f'{kind} in version "{version}" cannot be handled as a {kind} in version "v1": {wrong}')
    return becomes
