"""What is wrong with a JobFlow, in the words of Volcano's webhook: its flows must be a directed acyclic graph."""

import msgspec

from windlass.apis.batch_volcano_v1alpha1 import JobSpec
from windlass.apis.volcano.graph import is_acyclic
from windlass.kube.json import Object, dig, dig_list

_NO_DAG = "jobflow Flow is not DAG"


def job_flow_problem(flow: Object) -> str:
    """The first thing that is wrong; empty where nothing is. Of flows with one name the last counts."""
    flows = dig_list(flow, "spec", "flows")
    waits = {str(one["name"]): dig_list(one, "dependsOn", "targets") for one in flows}
    for target in (target for targets in waits.values() for target in targets):
        if target not in waits:
            return f"{_NO_DAG}: vertex is not defined: {target}"
    if not is_acyclic(waits):
        return _NO_DAG
    return next((text for one in flows if (text := _patch(one))), "")


def job_flow_warnings(flow: Object) -> list[str]:
    """What is accepted and has no effect, by its name."""
    names = [str(one["name"]) for one in dig_list(flow, "spec", "flows")]
    again = [(index, name) for index, name in enumerate(names) if name in names[:index]]
    return [f"spec.flows[{index}].name: {name} stands there twice, and makes one job" for index, name in again]


def _patch(flow: Object) -> str:
    """A patch is merged into its template later: what could not be read then is told now."""
    patch = dig(flow, "patch", "jobSpec")
    try:
        msgspec.convert(patch or {}, JobSpec)
    except msgspec.ValidationError as error:
        return f"patch.jobSpec of flow {flow['name']}: {error}"
    return ""
