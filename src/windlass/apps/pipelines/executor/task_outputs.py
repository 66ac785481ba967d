"""What a container left behind, checked against the declaration of its component."""

from dataclasses import dataclass
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.executor_input import output_uri
from windlass.apps.pipelines.executor.values import normalized, parsed, section, typed
from windlass.apps.pipelines.model import Artifact
from windlass.kube.meta import Struct


class ContainerOutputs(Struct):
    """What a container left behind, before it is checked against its component's declaration."""

    executor_output: dict[str, Any] | None = None
    """The executor-output file; None if there is none."""
    parameters: dict[str, str] = {}
    """The texts of the parameter files that exist."""


@dataclass(frozen=True, kw_only=True)
class TaskOutputs:
    parameters: dict[str, Any]
    artifacts: dict[str, list[Artifact]]


def collect(context: TaskContext, raw: ContainerOutputs) -> TaskOutputs:
    """Return the task's outputs. Raises ValueError for a missing parameter, a wrong type or a malformed file."""
    declared = section(context.component, "outputDefinitions")
    written = raw.executor_output or {}
    values = _object(written, "parameterValues")
    lists = _object(written, "artifacts")
    return TaskOutputs(
        parameters={
            name: _parameter(name, str(section(definition).get("parameterType") or ""), values, raw.parameters)
            for name, definition in section(declared, "parameters").items()
        },
        artifacts={
            name: _artifacts(context, name, section(definition), lists.get(name))
            for name, definition in section(declared, "artifacts").items()
        },
    )


def _parameter(name: str, parameter_type: str, values: Json, files: dict[str, str]) -> Any:
    try:
        if values.get(name) is not None:
            return typed(name, values[name], parameter_type)
        if name in files:
            return parsed(name, files[name], parameter_type)
    except ValueError as error:
        raise ValueError(f"output {error}") from error
    raise ValueError(f"output parameter {name} was not written by the container")


def _artifacts(context: TaskContext, name: str, definition: Json, written: Any) -> list[Artifact]:
    """Return the records of one output; what the container wrote about them wins over the declaration."""
    where = f"artifacts.{name}"
    entries = (
        _list(section({name: written}, name).get("artifacts"), f"{where}.artifacts") if written is not None else []
    )
    if written is not None and not isinstance(written, dict):
        raise _malformed(where, "an object")
    return [_artifact(context, name, index, definition, entry) for index, entry in enumerate(entries or [{}])]


def _artifact(context: TaskContext, name: str, index: int, definition: Json, entry: Any) -> Artifact:
    where = f"artifacts.{name}.artifacts[{index}]"
    if not isinstance(entry, dict):
        raise _malformed(where, "an object")
    runtime = cast(Json, entry)
    uri = runtime.get("uri") or output_uri(context, name)
    if not isinstance(uri, str):
        raise _malformed(f"{where}.uri", "a string")
    schema = section(definition, "artifactType")
    return Artifact(
        artifact_id=str(uuid5(NAMESPACE_URL, f"{context.task.task_id}/{name}/{index}")),
        namespace=context.run.namespace,
        run_id=context.run.run_id,
        task_id=context.task.task_id,
        name=name,
        type=str(schema.get("schemaTitle") or "system.Artifact"),
        schema_version=str(schema.get("schemaVersion") or "0.0.1"),
        uri=uri,
        metadata=section(definition, "metadata") | normalized(_object(runtime, "metadata", where)),
        pipeline_name=context.run.pipeline_name,
    )


def _object(value: Json, key: str, where: str = "") -> Json:
    member = value.get(key)
    if member is None:
        return {}
    if not isinstance(member, dict):
        raise _malformed(f"{where}.{key}".lstrip("."), "an object")
    return cast(Json, member)


def _list(value: Any, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _malformed(where, "a list")
    return cast(list[Any], value)


def _malformed(where: str, expected: str) -> ValueError:
    return ValueError(f"executor output: {where} is not {expected}")
