"""Finds its way in a runtime as it is written."""

from windlass.apis.trainer.names import ANCESTOR
from windlass.kube.json import Object, dig, dig_list, is_object

REPLICATED_JOBS = "spec.template.spec.replicatedJobs"
POD = ("template", "spec", "template", "spec")
"""Where a replicated job has the spec of its pods."""


def jobs_of(runtime: Object) -> dict[str, Object]:
    """The replicated jobs, by name."""
    found = dig_list(runtime, *REPLICATED_JOBS.split("."))
    return {str(one.get("name")): one for one in found if is_object(one)}


def step_of(replicated: Object) -> str:
    """Which step of the training it is; empty where it is none."""
    return str(dig(replicated, "template", "metadata", "labels", ANCESTOR) or "")


def containers_of(replicated: Object) -> dict[str, Object]:
    """All containers of its pods, by name; no two have the same."""
    return {
        str(one.get("name")): one
        for part in ("initContainers", "containers")
        for one in dig_list(dig(replicated, *POD) or {}, part)
        if is_object(one)
    }
