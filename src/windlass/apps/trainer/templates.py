"""Accessors for the JobSet template of a runtime."""

from windlass.apps.trainer.names import ANCESTOR
from windlass.kube.json import Object, dig, dig_list, is_object

REPLICATED_JOBS = "spec.template.spec.replicatedJobs"
POD = ("template", "spec", "template", "spec")
"""The path of the pod spec in a replicated job."""


def jobs_of(runtime: Object) -> dict[str, Object]:
    """Return the replicated jobs by name."""
    found = dig_list(runtime, *REPLICATED_JOBS.split("."))
    return {str(one.get("name")): one for one in found if is_object(one)}


def step_of(replicated: Object) -> str:
    """The step of a replicated job; empty if it has none."""
    return str(dig(replicated, "template", "metadata", "labels", ANCESTOR) or "")


def containers_of(replicated: Object) -> dict[str, Object]:
    """Return all containers of the pods by name; names are unique."""
    return {
        str(container.get("name")): container
        for part in ("initContainers", "containers")
        for container in dig_list(dig(replicated, *POD) or {}, part)
        if is_object(container)
    }
