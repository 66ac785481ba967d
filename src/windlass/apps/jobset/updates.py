"""Which fields of a JobSet may change. Rules in the schema keep policies and the network immutable."""

from windlass.apis.cause_texts import formatted
from windlass.kube.errors import invalid
from windlass.kube.json import Object, dig, dig_list, dig_object

_OF_METADATA = ("labels", "annotations")
_OF_POD = ("nodeSelector", "tolerations", "schedulingGates")
_IMMUTABLE = "field is immutable"


def update_problems(jobset: Object, old: Object) -> list[str]:
    """Check an update. Kueue sets the pod placement of suspended sets: it may change while a set is or becomes so."""
    now, before = dig_list(jobset, "spec", "replicatedJobs"), dig_list(old, "spec", "replicatedJobs")
    compared = (now, before)
    if dig(jobset, "spec", "suspend") or dig(old, "spec", "suspend"):
        compared = ([_without_directives(job) for job in now], [_without_directives(job) for job in before])
    causes = [invalid("spec.replicatedJobs", now, _IMMUTABLE)] if compared[0] != compared[1] else []
    manager = dig(jobset, "spec", "managedBy")
    if manager != dig(old, "spec", "managedBy"):
        causes.append(invalid("spec.managedBy", manager, _IMMUTABLE))
    return formatted(causes)


def _without_directives(job: Object) -> Object:
    template = dig_object(job, "template")
    pods = dig_object(template, "spec", "template")
    metadata = {name: value for name, value in dig_object(pods, "metadata").items() if name not in _OF_METADATA}
    pod = {name: value for name, value in dig_object(pods, "spec").items() if name not in _OF_POD}
    spec = {**dig_object(template, "spec"), "template": {**pods, "metadata": metadata, "spec": pod}}
    return {**job, "template": {**template, "spec": spec}}
