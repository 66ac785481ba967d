"""Replaces the placeholders of a pipeline specification: `{{$}}`, `{{$.inputs.parameters['x']}}` and the others.

A placeholder that refers to nothing stays as it is. What replaces one is never searched for placeholders again.
`{"IfPresent": …}` and `{"Concat": […]}` are arguments of a command, as JSON in one string.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from windlass.apps.pipelines.artifacts.uris import WORKSPACE_PATH, artifact_path, local_path
from windlass.apps.pipelines.executor.context import Json
from windlass.apps.pipelines.executor.values import json_text, normalized, section, text
from windlass.apps.pipelines.model import Run, Task

PLACEHOLDER = re.compile(r"\{\{\$(?:\.[^{}]*)?\}\}")
REFERENCE = re.compile(
    r"(?P<side>inputs|outputs)\.(?P<kind>parameters|artifacts)\[(?P<q>['\"])(?P<name>.+?)(?P=q)\](?P<rest>.*)"
)
PROPERTY = re.compile(r"\.(?:metadata|properties)\[(?P<q>['\"])(?P<key>.+)(?P=q)\]")
OF_CONTAINER = re.compile(r"\{\{\$(?:\.(?:inputs\.artifacts|outputs?)[^{}]*)?\}\}")
WORKSPACE = "{{$.workspace_path}}"

Escape = Callable[[str], str]


def unescaped(value: str) -> str:
    return value


def escaped_dollars(value: str) -> str:
    """Protect a value from Kubernetes, which expands `$(NAME)` and `$$` in commands, arguments and variables."""
    return value.replace("$", "$$")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What placeholders refer to."""

    names: Mapping[str, str]
    """Values of the run and the task, such as pipeline_job_name."""
    parameters: Mapping[str, Any]
    """The inputs, with defaults."""
    executor_input: Json = field(default_factory=dict[str, Any])

    @property
    def present(self) -> set[str]:
        """The names of the inputs that have a value."""
        artifacts = section(self.executor_input, "inputs", "artifacts")
        given = {name for name, value in self.parameters.items() if value is not None}
        return given | {name for name, value in artifacts.items() if value.get("artifacts")}


def job_names(run: Run, task: Task, pipeline_root: str) -> dict[str, str]:
    """Return the placeholders of the run and the task, by their names after `$.`."""
    return {
        "pipeline_job_name": run.display_name,
        "pipeline_job_resource_name": run.resource_name,
        "pipeline_job_uuid": run.run_id,
        "pipeline_task_name": task.name,
        "pipeline_task_uuid": task.task_id,
        "pipeline_job_create_time_utc": rfc3339(run.created_at),
        "pipeline_job_schedule_time_utc": rfc3339(run.scheduled_at or run.created_at),
        "pipeline_root": pipeline_root,
        "workspace_path": WORKSPACE_PATH,
    }


def rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def resolve_text(template: str, scope: Scope, escape: Escape = unescaped) -> str:
    """Replace the placeholders in a text."""

    def replacement(match: re.Match[str]) -> str:
        value = _value(match[0][3:-2], scope)
        return match[0] if value is None else escape(text(value))

    return PLACEHOLDER.sub(replacement, template)


def resolve_constant(value: Any, scope: Scope) -> Any:
    """Replace the placeholders in a constant input, also inside lists and structs, and in the keys of structs.

    A string that is one placeholder for an input keeps the type of that input.
    """
    if isinstance(value, str):
        whole = PLACEHOLDER.fullmatch(value)
        found = _value(whole[0][3:-2], scope) if whole else None
        return resolve_text(value, scope) if found is None else found
    if isinstance(value, list):
        return [resolve_constant(item, scope) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {resolve_text(key, scope): resolve_constant(item, scope) for key, item in cast(Json, value).items()}
    return value


def is_of_container(constant: Any) -> bool:
    """Whether a constant has a placeholder that only the container can replace: `{{$}}`, artifacts or outputs."""
    if isinstance(constant, dict):
        return any(is_of_container(item) for item in [*cast(Json, constant), *cast(Json, constant).values()])
    if isinstance(constant, list):
        return any(is_of_container(item) for item in cast(list[Any], constant))
    return isinstance(constant, str) and OF_CONTAINER.search(constant) is not None


def resolve_arguments(arguments: Sequence[Any], scope: Scope, escape: Escape = unescaped) -> list[str]:
    """Replace placeholders in a command or its arguments; an IfPresent may add several of them, or none."""
    return [word for argument in arguments for word in _words(_structure(argument), scope, escape)]


def _structure(argument: Any) -> Any:
    """Return the IfPresent or Concat that an argument stands for, or the argument."""
    if not isinstance(argument, str) or not argument.lstrip().startswith("{"):
        return argument
    try:
        value = normalized(json.loads(argument))
    except (ValueError, RecursionError):
        return argument
    return cast(Json, value) if _is_structure(value) else argument


def _is_structure(value: Any) -> bool:
    if not isinstance(value, dict) or len(cast(Json, value)) != 1:
        return False
    branch = cast(Json, value).get("IfPresent")
    if isinstance(branch, dict):
        return isinstance(cast(Json, branch).get("InputName"), str) and "Then" in branch
    return isinstance(cast(Json, value).get("Concat"), list)


def _words(value: Any, scope: Scope, escape: Escape) -> list[str]:
    if isinstance(value, list):
        return [word for item in cast(list[Any], value) for word in _words(_structure(item), scope, escape)]
    if not _is_structure(value):
        return [resolve_text(value if isinstance(value, str) else json_text(value), scope, escape)]
    if "Concat" in value:
        return ["".join(_words(value["Concat"], scope, escape))]
    branch = cast(Json, value["IfPresent"])
    chosen = branch["Then"] if branch["InputName"] in scope.present else branch.get("Else")
    return [] if chosen is None else _words(_structure(chosen), scope, escape)


def _value(path: str, scope: Scope) -> Any:
    """Return what a placeholder stands for, by what follows its `$`; None if it refers to nothing."""
    if not path:
        return json_text(scope.executor_input) if scope.executor_input else None
    path = path[1:]
    if path in scope.names:
        return scope.names[path]
    if path in ("outputs.output_file", "outputMetadataUri"):
        return section(scope.executor_input, "outputs").get("outputFile")
    reference = REFERENCE.fullmatch(path)
    if reference is None:
        return None
    side, kind, name, rest = reference["side"], reference["kind"], reference["name"], reference["rest"]
    if kind == "artifacts":
        return _of_artifact(section(scope.executor_input, side, "artifacts", name).get("artifacts") or [], side, rest)
    if side == "outputs":
        file = section(scope.executor_input, "outputs", "parameters", name).get("outputFile")
        return file if rest in (".output_file", ".outputFile") else None
    return None if rest else scope.parameters.get(name)


def _of_artifact(artifacts: list[Json], side: str, rest: str) -> Any:
    if not rest and side == "inputs":
        return json_text(artifacts) if artifacts else None
    if not artifacts:
        return None
    artifact = artifacts[0]
    metadata = section(artifact, "metadata")
    match rest:
        case ".uri":
            return artifact["uri"]
        case ".path":
            return _path(artifact["uri"], metadata, side)
        case ".metadata" | ".properties":
            return json_text(metadata)
        case _:
            found = PROPERTY.fullmatch(rest)
            return metadata.get(found["key"]) if found else None


def _path(uri: str, metadata: Json, side: str) -> str | None:
    try:
        return artifact_path(uri, metadata) if side == "inputs" else local_path(uri)
    except ValueError:
        return None
