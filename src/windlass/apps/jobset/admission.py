"""Admission of JobSets, with the messages of upstream's webhook."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from windlass.apis.admission import Facts, Mutation, Request, Rule, Validation, Verdict, default_path, refused
from windlass.apis.cause_texts import aggregated, formatted
from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.apps.jobset.claim_validation import ClaimOf
from windlass.apps.jobset.claims import template_with_volumes
from windlass.apps.jobset.defaults import with_defaults
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.jobset.updates import update_problems
from windlass.apps.jobset.validation import creation_problems
from windlass.kube.errors import Cause
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.kind import KINDS

TemplateCheck: TypeAlias = Callable[[str, Object], list[Cause]]
"""Validates a Job template; the first argument is the name of its field."""


def problems(
    jobset: Object,
    old: Object | None = None,
    *,
    claim: ClaimOf = lambda name: None,
    template: TemplateCheck = lambda where, template: [],
) -> list[str]:
    """Why a JobSet may not be created, or changed from `old`. `claim` finds claims of its namespace by name.

    An object that was accepted earlier can always be labelled and deleted.
    """
    if old is not None:
        return update_problems(jobset, old) if jobset.get("spec") != old.get("spec") else []
    try:
        typed = msgspec.convert(jobset, JobSet)
    except msgspec.ValidationError as error:  # the schema has refused it already, where there is one
        return [str(error)]
    return [*creation_problems(typed, claim), *formatted(_templates(jobset, template))]


def warnings(jobset: Object) -> list[str]:
    """Return the fields that are accepted and have no effect."""
    return [
        f"spec.replicatedJobs[{at}].template.spec.suspend: has no effect, spec.suspend applies to all Jobs"
        for at, job in enumerate(dig_list(jobset, "spec", "replicatedJobs"))
        if dig(job, "template", "spec", "suspend") is not None
    ]


def _templates(jobset: Object, check: TemplateCheck) -> list[Cause]:
    """Validate each template as its Jobs will have it: with the volumes of the claims that they share."""
    name = str(dig(jobset, "metadata", "name") or "")
    policies = dig_list(jobset, "spec", "volumeClaimPolicies")
    claims = [template for policy in policies for template in dig_list(policy, "templates")]
    causes: list[Cause] = []
    for at, job in enumerate(dig_list(jobset, "spec", "replicatedJobs")):
        template = template_with_volumes(job["template"], name, claims)
        causes += check(f"spec.replicatedJobs[{at}].template", template)
    return causes


def _mutate(request: Request, facts: Facts) -> Object:
    return with_defaults(request.obj or {})


def _validate(request: Request, facts: Facts) -> Verdict:
    obj, old = request.obj or {}, request.old
    messages = problems(
        obj,
        old,
        claim=lambda name: facts.get(PersistentVolumeClaim, name, request.namespace),
        template=facts.checks.job_template,
    )
    if old is not None:
        return refused(aggregated(messages))
    return refused("\n".join(messages), warnings(obj))


_KIND = KINDS.of(JobSet)
RULES: tuple[Rule, ...] = (
    Mutation(
        kind=_KIND,
        name="mjobset.kb.io",
        path=default_path("mutate", _KIND),
        configuration="defaulter.trainer.kubeflow.org",
        mutate=_mutate,
    ),
    Validation(
        kind=_KIND,
        name="vjobset.kb.io",
        path=default_path("validate", _KIND),
        configuration="validator.trainer.kubeflow.org",
        validate=_validate,
    ),
)
