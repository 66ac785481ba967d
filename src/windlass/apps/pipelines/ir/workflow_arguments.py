"""The arguments of a v1 pipeline, which is an Argo Workflow."""

from collections.abc import Mapping
from typing import Any

from windlass.apps.pipelines.ir.errors import InvalidParameters
from windlass.kube.json import Object, dig_list, dig_object, encode


def workflow_arguments(workflow: Object, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values as texts, which parameters of a Workflow are. Raises InvalidParameters."""
    declared = {str(each.get("name")) for each in dig_list(workflow, "spec", "arguments", "parameters")}
    for name in given:
        if name not in declared:
            raise InvalidParameters(f"{name!r} is not a parameter of the pipeline")
    return {name: value if isinstance(value, str) else encode(value).decode() for name, value in given.items()}


def with_arguments(workflow: Object, values: Mapping[str, Any]) -> Object:
    """The Workflow with the arguments of a run."""
    arguments = dig_object(workflow, "spec", "arguments")
    parameters = [
        {**each, "value": values[each["name"]]} if each.get("name") in values else each
        for each in dig_list(arguments, "parameters")
    ]
    spec = {**dig_object(workflow, "spec"), "arguments": {**arguments, "parameters": parameters}}
    return {**workflow, "spec": spec}
