"""What becomes of a JobSet on its way in: filled in, checked, warned of. Pure, in the words of upstream's webhook.

`filled`, `problems` and `warnings` are all that a plug-in or a webhook needs.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from windlass.apis.jobset.claim_validation import ClaimOf
from windlass.apis.jobset.claims import template_with_volumes
from windlass.apis.jobset.defaults import with_defaults
from windlass.apis.jobset.updates import update_problems
from windlass.apis.jobset.validation import creation_problems
from windlass.apis.jobset.wording import aggregated, told
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.kube.errors import Cause
from windlass.kube.json import Object, dig, dig_list

WEBHOOK = "vjobset.kb.io"
"""Who refuses, as upstream's webhook is called."""

TemplateCheck: TypeAlias = Callable[[str, Object], list[Cause]]
"""What is wrong with a Job's template; the first argument is the field that it stands in."""


def filled(jobset: Object) -> Object:
    """With what it leaves out; `jobset` is left alone. Twice is as once."""
    return with_defaults(jobset)


def problems(
    jobset: Object,
    old: Object | None = None,
    *,
    claim: ClaimOf = lambda name: None,
    template: TemplateCheck = lambda where, template: [],
) -> list[str]:
    """Why it may not be made, or changed from `old`. `claim` finds claims of its namespace by their name.

    What was accepted once must not keep an object from being marked or deleted.
    """
    if old is not None:
        return update_problems(jobset, old) if jobset.get("spec") != old.get("spec") else []
    try:
        typed = msgspec.convert(jobset, JobSet)
    except msgspec.ValidationError as error:  # the schema has refused it already, where there is one
        return [str(error)]
    return [*creation_problems(typed, claim), *told(_templates(jobset, template))]


def refusal(found: list[str], *, of_update: bool) -> str:
    """All problems as one text; empty where there are none."""
    return aggregated(found) if of_update else "\n".join(found)


def warnings(jobset: Object) -> list[str]:
    """What is accepted and has no effect, by its name."""
    return [
        f"spec.replicatedJobs[{at}].template.spec.suspend: has no effect, spec.suspend says it for all Jobs"
        for at, job in enumerate(dig_list(jobset, "spec", "replicatedJobs"))
        if dig(job, "template", "spec", "suspend") is not None
    ]


def _templates(jobset: Object, check: TemplateCheck) -> list[Cause]:
    """Each as its Jobs will have it: with the volumes of the claims that they share."""
    name = str(dig(jobset, "metadata", "name") or "")
    policies = dig_list(jobset, "spec", "volumeClaimPolicies")
    claims = [template for policy in policies for template in dig_list(policy, "templates")]
    causes: list[Cause] = []
    for at, job in enumerate(dig_list(jobset, "spec", "replicatedJobs")):
        template = template_with_volumes(job["template"], name, claims)
        causes += check(f"spec.replicatedJobs[{at}].template", template)
    return causes
