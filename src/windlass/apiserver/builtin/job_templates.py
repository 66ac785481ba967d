"""Whether a Job could be made from a template that another kind holds."""

from copy import deepcopy

from windlass.apiserver.builtin.jobs import Jobs
from windlass.kube.errors import Cause
from windlass.kube.json import Object, dig_object

_OF_THE_MADE = ("spec.selector",)
"""What a Job has only when it is made."""


def job_template_causes(where: str, template: Object) -> list[Cause]:
    """What a Job that is made from it would be refused for, as fields of `where`."""
    job: Object = {"metadata": {}, "spec": deepcopy(dig_object(template, "spec"))}
    jobs = Jobs()
    jobs.default(job)
    found = [cause for cause in jobs.validate(job) if cause.field not in _OF_THE_MADE]
    return [Cause(f"{where}.{cause.field}", cause.message, cause.reason) for cause in found]
