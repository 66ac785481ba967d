"""What is wrong with a JobFlow, in the words of Volcano's webhook: its flows must be a directed acyclic graph."""

import msgspec

from windlass.apis.batch_volcano_v1alpha1 import JobSpec
from windlass.apis.volcano.graph import is_acyclic
from windlass.kube.json import Object, dig, dig_list


def job_flow_problem(flow: Object) -> str:
    """The first thing that is wrong; empty where nothing is."""
    flows = dig_list(flow, "spec", "flows")
    waits: dict[str, list[str]] = {}
    for one in flows:
        if one["name"] in waits:
            return f"jobflow flow is not dag: duplicated flow name {one['name']}"
        waits[one["name"]] = dig_list(one, "dependsOn", "targets")
    for target in (target for targets in waits.values() for target in targets):
        if target not in waits:
            return f"jobflow flow is not dag: vertex is not defined: {target}"
    if not is_acyclic(waits):
        return "jobflow flow is not dag"
    return next((text for one in flows if (text := _patch(one))), "")


def _patch(flow: Object) -> str:
    """A patch is merged into its template later: what could not be read then is told now."""
    patch = dig(flow, "patch", "jobSpec")
    try:
        msgspec.convert(patch or {}, JobSpec)
    except msgspec.ValidationError as error:
        return f"patch.jobSpec of flow {flow['name']}: {error}"
    return ""
