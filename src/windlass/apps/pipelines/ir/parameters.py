"""The parameters of a run, checked against what the pipeline declares."""

from collections.abc import Mapping
from typing import Any

from windlass.apps.pipelines.ir.errors import InvalidParameters
from windlass.apps.pipelines.ir.nesting import MAX_NESTING, is_too_deep
from windlass.apps.pipelines.ir.numbers import normalized
from windlass.apps.pipelines.ir.reading import read_spec
from windlass.apps.pipelines.ir.spec import ParameterDefinition
from windlass.apps.pipelines.ir.types import is_literal, mismatch
from windlass.kube.json import Object, encode


def check_parameters(spec: Object, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, with integers as integers. Defaults are not added. Raises InvalidParameters, with every name.

    Nothing is converted: the text "3" is no number.
    """
    declared = read_spec(spec).root.input_definitions.parameters
    problems = [f"parameter {name!r} is not an input of the pipeline" for name in given if name not in declared]
    values: dict[str, Any] = {}
    for name, definition in declared.items():
        value = given.get(name)
        if value is None:
            if not definition.may_be_missing:
                problems.append(f"parameter {name!r} is required")
            elif name in given:
                values[name] = None
        elif problem := _problem(value, definition):
            problems.append(f"parameter {name!r} {problem}")
        else:
            values[name] = normalized(value, definition.parameter_type)
    if problems:
        raise InvalidParameters("; ".join(problems))
    return values


def _problem(value: Any, definition: ParameterDefinition) -> str:
    if is_too_deep(value):
        return f"has more than {MAX_NESTING} lists or objects nested in each other"
    if problem := mismatch(value, definition.parameter_type):
        return problem
    if definition.literals and not is_literal(value, definition.literals):
        return f"must be one of {encode(definition.literals).decode()}"
    return ""
