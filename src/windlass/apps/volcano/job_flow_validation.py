"""Validation of JobFlows, with the messages of Volcano's webhook: the flows must form a directed acyclic graph."""

import msgspec

from windlass.apps.volcano.graph import is_acyclic
from windlass.apps.volcano.kinds.batch import JobSpec
from windlass.kube.json import Object, dig, dig_list

_NO_DAG = "jobflow Flow is not DAG"


def job_flow_problem(flow: Object) -> str:
    """Return the first error; empty if the flow is valid. Of flows with the same name the last applies."""
    flows = dig_list(flow, "spec", "flows")
    waits = {str(one["name"]): dig_list(one, "dependsOn", "targets") for one in flows}
    for target in (target for targets in waits.values() for target in targets):
        if target not in waits:
            return f"{_NO_DAG}: vertex is not defined: {target}"
    if not is_acyclic(waits):
        return _NO_DAG
    return next((text for one in flows if (text := _patch(one))), "")


def job_flow_warnings(flow: Object) -> list[str]:
    """Return warnings for fields that are accepted and have no effect, by name."""
    names = [str(one["name"]) for one in dig_list(flow, "spec", "flows")]
    again = [(index, name) for index, name in enumerate(names) if name in names[:index]]
    return [f"spec.flows[{index}].name: {name} is defined twice and creates one job" for index, name in again]


def _patch(flow: Object) -> str:
    """Check a patch now, since it is merged into its template only later."""
    patch = dig(flow, "patch", "jobSpec")
    try:
        msgspec.convert(patch or {}, JobSpec)
    except msgspec.ValidationError as error:
        return f"patch.jobSpec of flow {flow['name']}: {error}"
    return ""
