"""The outputs of DAGs and loops, from those of their tasks. Pure."""

from typing import Any

from windlass.apps.pipelines.engine.nodes import Node
from windlass.apps.pipelines.model import Values


def dag_outputs(node: Node) -> Values:
    """What a DAG gives: for each output the first selector whose task succeeded and has it; others are left out."""
    dag = node.definition.component.dag
    if dag is None:
        return Values()
    parameters: dict[str, Any] = {}
    artifacts: dict[str, list[str]] = {}
    for name, output in dag.outputs.parameters.items():
        for selector in output.selectors:
            given = _outputs_of(node, selector.producer_subtask).parameters
            if selector.output_parameter_key in given:
                parameters[name] = given[selector.output_parameter_key]
                break
    for name, output in dag.outputs.artifacts.items():
        for selector in output.artifact_selectors:
            given = _outputs_of(node, selector.producer_subtask).artifacts
            if selector.output_artifact_key in given:
                artifacts[name] = given[selector.output_artifact_key]
                break
    return Values(parameters=parameters, artifacts=artifacts)


def loop_outputs(loop: Node) -> Values:
    """What a loop gives: for each output of its component a list, in the order of the items.

    An iteration that has no value, since a condition was false, adds nothing. Loops in loops give lists of lists.
    """
    component = loop.definition.component
    outputs = component.dag.outputs if component.dag is not None else component.output_definitions
    iterations = [loop.children[key] for key in sorted(loop.children, key=int)]
    parameters: dict[str, Any] = {name: [] for name in outputs.parameters}
    artifacts: dict[str, list[str]] = {name: [] for name in outputs.artifacts}
    for iteration in iterations:
        if iteration.state.is_success:
            for name, values in parameters.items():
                if name in iteration.task.outputs.parameters:
                    values.append(iteration.task.outputs.parameters[name])
            for name, ids in artifacts.items():
                ids.extend(iteration.task.outputs.artifacts.get(name, []))
    return Values(parameters=parameters, artifacts=artifacts)


def _outputs_of(node: Node, task: str) -> Values:
    child = node.children.get(task)
    return child.task.outputs if child is not None and child.state.is_success else Values()
