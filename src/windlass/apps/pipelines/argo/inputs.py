"""Inputs of a template: the arguments it is called with, or its own defaults."""

from dataclasses import dataclass

from windlass.apps.pipelines.argo.artifacts.artifact_places import with_sub_path
from windlass.apps.pipelines.argo.config_maps import ConfigMaps, missing
from windlass.apps.pipelines.argo.language.expressions import ExpressionError, evaluate
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.tags import TagError, substitute, substitute_text, tag_name
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.artifact_stores import LOCATIONS
from windlass.kube.json import Object, dig, dig_list, is_object


class BadInput(ValueError):
    """An input without a value, or with one that is not allowed."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Resolved inputs: values by name, and artifacts with where their content comes from."""

    parameters: dict[str, str]
    artifacts: dict[str, Object]

    @property
    def record(self) -> Object:
        """The inputs as a node's status shows them."""
        made: Object = {}
        if self.parameters:
            made["parameters"] = [{"name": name, "value": value} for name, value in self.parameters.items()]
        if self.artifacts:
            made["artifacts"] = list(self.artifacts.values())
        return made

    @property
    def scope(self) -> Scope:
        values = {f"inputs.parameters.{name}": value for name, value in self.parameters.items()}
        values["inputs.parameters"] = text_of([{"name": n, "value": v} for n, v in self.parameters.items()])
        for name, artifact in self.artifacts.items():
            values[f"inputs.artifacts.{name}.path"] = str(artifact.get("path", ""))
            values[f"inputs.artifacts.{name}"] = f"{{{{inputs.artifacts.{name}}}}}"  # resolved where it is used
        return Scope(values, {f"inputs.artifacts.{name}": artifact for name, artifact in self.artifacts.items()})


def resolve_inputs(template: Object, arguments: Object, scope: Scope, config_maps: ConfigMaps) -> Inputs:
    """Match the template's inputs with the arguments, whose tags were replaced.

    Raises BadInput, TagError, BadConfigMap, and Awaited for a ConfigMap that was not read yet.
    """
    given = {dig(item, "name"): item for item in dig_list(arguments, "parameters")}
    parameters = {
        str(item["name"]): _parameter(item, given.get(item["name"]), config_maps)
        for item in dig_list(template, "inputs", "parameters")
    }
    own = Scope({f"inputs.parameters.{name}": value for name, value in parameters.items()})
    passed = {dig(item, "name"): item for item in dig_list(arguments, "artifacts")}
    artifacts: dict[str, Object] = {}
    for item in dig_list(template, "inputs", "artifacts"):
        places = {name: item[name] for name in LOCATIONS if item.get(name) is not None}
        if places:
            item = {**item, **substitute(places, own, allow_unresolved="raw" in places)}
        if item.get("path"):
            item = {**item, "path": substitute_text(str(item["path"]), own)}
        artifact = _artifact(item, passed.get(item["name"]), scope)
        if artifact is not None:
            artifacts[str(item["name"])] = artifact
    return Inputs(parameters, artifacts)


def _parameter(declared: Object, given: Object | None, config_maps: ConfigMaps) -> str:
    name = declared["name"]
    for source in (given, declared):
        value = _value(source, config_maps) if is_object(source) else None
        if value is None:
            continue
        allowed = [text_of(choice) for choice in dig_list(declared, "enum")]
        if allowed and value not in allowed:
            raise BadInput(f"inputs.parameters.{name}: {value!r} is none of {', '.join(allowed)}")
        return value
    raise BadInput(f"inputs.parameters.{name} was not supplied")


def _value(parameter: Object, config_maps: ConfigMaps) -> str | None:
    if parameter.get("value") is not None:
        return text_of(parameter["value"])
    value = referenced_value(parameter, config_maps)
    if value is None and parameter.get("default") is not None:
        return text_of(parameter["default"])
    return value


def referenced_value(parameter: Object, config_maps: ConfigMaps) -> str | None:
    """The value of a parameter's `configMapKeyRef`; None if it has none. Raises Awaited and BadConfigMap."""
    reference = dig(parameter, "valueFrom", "configMapKeyRef")
    if not is_object(reference):
        return None
    value = config_maps.value(reference, is_parameter=True)
    if value is not None:
        return value
    default = dig(parameter, "valueFrom", "default")
    if default is not None:
        return text_of(default)
    if reference.get("optional"):
        return None
    raise missing(reference)


def _artifact(declared: Object, given: Object | None, scope: Scope) -> Object | None:
    """The artifact with its content's place (such as `s3` or `raw`); None for an optional one that there is not."""
    name = declared["name"]
    source = given if is_object(given) else declared
    content = content_of(source, scope)
    if content is None:
        if declared.get("optional") or dig(given, "optional"):
            return None
        raise BadInput(f"inputs.artifacts.{name} was not supplied")
    made: Object = {"name": name, "path": declared.get("path", ""), **content}
    for field in ("mode", "recurseMode", "archive"):
        if declared.get(field) is not None:
            made[field] = declared[field]
    if declared.get("optional") or dig(given, "optional"):
        made["optional"] = True
    return made


def content_of(source: Object, scope: Scope) -> Object | None:
    """Where the content of an artifact is; None if there is none. Raises TagError for a bad expression."""
    artifact: Object | None = source
    if not any(source.get(name) is not None for name in LOCATIONS):
        artifact = scope.artifacts.get(tag_name(_origin(source, scope)))
    if artifact is None:
        return None
    content: Object = {name: artifact[name] for name in LOCATIONS if artifact.get(name) is not None}
    if not content:
        return None
    if artifact.get("archive") is not None:
        content["archive"] = artifact["archive"]
    return with_sub_path(content, str(source.get("subPath") or ""))


def _origin(source: Object, scope: Scope) -> str:
    """The tag of the artifact that another is taken from; empty if there is none."""
    if not source.get("fromExpression"):
        return str(source.get("from") or "")
    try:
        return text_of(evaluate(str(source["fromExpression"]), scope))
    except (ExpressionError, Unresolved) as error:
        raise TagError(f"fromExpression: {error}") from None
