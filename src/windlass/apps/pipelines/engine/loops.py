"""The items of a loop."""

import json
from typing import Any

from windlass.apps.pipelines.engine.nodes import Node
from windlass.apps.pipelines.executor.values import normalized
from windlass.apps.pipelines.model import Values
from windlass.kube.json import check_depth, is_list


def items_of(loop: Node) -> list[Any]:
    """What the loop iterates over: parameter values, or ids of artifacts. Raises ValueError."""
    if loop.items is None:
        loop.items = _read_items(loop)
    return loop.items


def item_inputs(loop: Node, index: int) -> Values:
    """The inputs of an iteration that differ from those of the loop."""
    item, name = items_of(loop)[index], loop.spec.item_input
    if loop.spec.artifact_iterator is not None:
        return Values(artifacts={name: [item]})
    return Values(parameters={name: item})


def merged_inputs(loop: Node, index: int) -> Values:
    """The inputs of an iteration with those of the loop, but for the list that it iterates over."""
    item, given = item_inputs(loop, index), loop.task.inputs
    parameters = {name: value for name, value in given.parameters.items() if value is not None}
    artifacts = dict(given.artifacts)
    if loop.spec.parameter_iterator is not None:
        parameters.pop(loop.spec.parameter_iterator.items.input_parameter or "", None)
    artifacts.pop(_artifact_source(loop), None)
    return Values(parameters=parameters | item.parameters, artifacts=artifacts | item.artifacts)


def _artifact_source(loop: Node) -> str:
    return loop.spec.artifact_iterator.items.input_artifact if loop.spec.artifact_iterator is not None else ""


def _read_items(loop: Node) -> list[Any]:
    inputs, iterator = loop.task.inputs, loop.spec.parameter_iterator
    if iterator is None:
        return list(inputs.artifacts.get(_artifact_source(loop), []))
    value: Any = iterator.items.raw
    if value is None:
        value = inputs.parameters.get(iterator.items.input_parameter or "")
    if isinstance(value, str):
        try:
            value = json.loads(value)
            check_depth(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the items of the loop are not JSON: {error}") from error
    if not is_list(value):
        raise ValueError("the items of the loop are not a list")
    return normalized(value)
