"""Admission of training jobs, runtimes and JobSets: AdmissionReviews answered at upstream's paths, in its words."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from windlass.apis.jobset import admission as job_sets
from windlass.apis.jobset.admission import TemplateCheck
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.apis.trainer import admission
from windlass.apis.trainer_v1alpha1 import GROUP, ClusterTrainingRuntime, TrainingRuntime, TrainJob
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, dig, encode, is_object
from windlass.kube.kind import KINDS, Kind
from windlass.webhooks.asked import Role
from windlass.webhooks.paths import mutating_path, validating_path

Need: TypeAlias = Literal["", "runtime", "claims"]
OPERATIONS = ("CREATE", "UPDATE")


@dataclass(frozen=True)
class Facts:
    """What was asked for before: about a job its runtime and JobSet, about a JobSet the claims that are there."""

    now: datetime
    template: TemplateCheck
    trainer: admission.Known = field(default_factory=admission.Known)
    claims: Mapping[str, Object] = field(default_factory=dict[str, Object])


Decide: TypeAlias = Callable[[str, Object, Object | None, Facts], Object]
"""From a kind, an object and what it replaces to the `response` of a review, but for the uid."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """One webhook: what it is asked about and where, what it must know, and how it decides."""

    kind: Kind
    role: Role
    name: str
    needs: Need
    decide: Decide

    @property
    def path(self) -> str:
        return mutating_path(self.kind) if self.role == "mutate" else validating_path(self.kind)

    def answer(self, request: Object, facts: Facts) -> Object:
        obj, old = request.get("object"), request.get("oldObject")
        if request.get("operation") not in OPERATIONS:
            return {"allowed": True}
        if not is_object(obj) or obj.get("kind") != self.kind.name:
            wrong = BadRequest(f"a {self.kind.name} is checked here, not a {dig(obj, 'kind')}")
            return {"allowed": False, "status": wrong.status()}
        return self.decide(self.kind.name, obj, old if is_object(old) else None, facts)


def _fill_in(kind: str, obj: Object, old: Object | None, facts: Facts) -> Object:
    return _patched(obj, admission.filled(kind, obj, old, facts.now))


def _fill_in_job_set(kind: str, obj: Object, old: Object | None, facts: Facts) -> Object:
    return _patched(obj, job_sets.filled(obj))


def _patched(obj: Object, made: Object) -> Object:
    """With a patch where something is filled in, which is in the spec alone."""
    if made.get("spec") == obj.get("spec"):
        return {"allowed": True}
    patch = [{"op": "add", "path": "/spec", "value": made["spec"]}]
    return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(encode(patch)).decode()}


def _check(kind: str, obj: Object, old: Object | None, facts: Facts) -> Object:
    found = admission.problem(kind, obj, old, facts.trainer)
    return _judged(found, admission.warnings(kind, obj, old, facts.trainer))


def _check_job_set(kind: str, obj: Object, old: Object | None, facts: Facts) -> Object:
    found = job_sets.problems(obj, old, claim=facts.claims.get, template=facts.template)
    told = job_sets.warnings(obj) if old is None else []
    return _judged(job_sets.refusal(found, of_update=old is not None), told)


def _judged(found: str, warnings: list[str]) -> Object:
    if found:
        return {"allowed": False, "status": {"message": found, "reason": "Forbidden", "code": 403}}
    return {"allowed": True, **({"warnings": warnings} if warnings else {})}


def asked_claims(request: Object) -> list[str]:
    """The claims that a decision about a JobSet depends on, by name."""
    obj, old, names = request.get("object"), request.get("oldObject"), list[str]()
    if is_object(obj):
        job_sets.problems(obj, old if is_object(old) else None, claim=names.append)
    return names


def _of_trainer(struct: type, needs: Need = "") -> Review:
    kind = KINDS.of(struct)
    return Review(kind=kind, role="validate", name=admission.webhook(kind.name), needs=needs, decide=_check)


_JOB, _JOB_SET = KINDS.of(TrainJob), KINDS.of(JobSet)
REVIEWS = (
    Review(kind=_JOB, role="mutate", name=f"defaulter.trainjob.{GROUP}", needs="", decide=_fill_in),
    _of_trainer(TrainJob, "runtime"),
    _of_trainer(TrainingRuntime),
    _of_trainer(ClusterTrainingRuntime),
    Review(kind=_JOB_SET, role="mutate", name="mjobset.kb.io", needs="", decide=_fill_in_job_set),
    Review(kind=_JOB_SET, role="validate", name=job_sets.WEBHOOK, needs="claims", decide=_check_job_set),
)
