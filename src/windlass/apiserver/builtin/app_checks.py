"""Validation by the API server for the rules of apps: templates, regular expressions, schemas."""

from copy import deepcopy

from windlass.apis.admission import Checks
from windlass.apiserver.builtin.jobs import Jobs
from windlass.apiserver.builtin.pod_defaults import default_template
from windlass.apiserver.builtin.pod_validation import check_template
from windlass.apiserver.crds.serve import resources_of
from windlass.apiserver.resources import Registry
from windlass.apps import definitions
from windlass.formats import patterns
from windlass.kube.errors import Cause
from windlass.kube.json import Object, decode, dig_object, encode

_OF_THE_CREATED = ("spec.selector",)
"""Fields that a Job has only after its creation."""


def checks_by(registry: Registry) -> Checks:
    """The checks of a server that serves the kinds in `registry`."""

    def custom_resource(obj: Object) -> list[Cause]:
        group, _, version = str(obj["apiVersion"]).rpartition("/")
        resource = registry.by_kind(group, version, str(obj["kind"]))
        if resource is None:
            return []
        copy: Object = decode(encode(obj))
        resource.strategy.refresh(copy)
        return resource.strategy.validate(copy)

    return Checks(
        pod_template=_pod_template, job_template=_job_template, pattern=_pattern, custom_resource=custom_resource
    )


def checks_of_apps() -> Checks:
    """The checks for a webhook of another server: by the apps' own definitions."""
    registry = Registry()
    for definition in definitions():
        for resource in resources_of(definition):
            registry.add(resource)
    return checks_by(registry)


def _pod_template(template: Object) -> list[Cause]:
    causes: list[Cause] = []
    filled = deepcopy(template)
    default_template(filled)
    check_template("template", filled, causes)
    return causes


def _job_template(where: str, template: Object) -> list[Cause]:
    job: Object = {"metadata": {}, "spec": deepcopy(dig_object(template, "spec"))}
    jobs = Jobs()
    jobs.default(job)
    causes = [cause for cause in jobs.validate(job) if cause.field not in _OF_THE_CREATED]
    return [Cause(f"{where}.{cause.field}", cause.message, cause.reason) for cause in causes]


def _pattern(pattern: str) -> str:
    try:
        patterns.check(pattern)
    except patterns.BadPattern as bad:
        return str(bad)
    return ""
