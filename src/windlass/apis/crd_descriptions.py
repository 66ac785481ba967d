"""Descriptions of the fields of a definition, which `kubectl explain` shows."""

from collections.abc import Mapping

from windlass.kube.json import Object, is_object
from windlass.kube.schema import shared


def described(schema: Object, words: Mapping[str, str]) -> Object:
    """Add a description to each field of the schema that has none, by its name.

    The metadata of the object stays unchanged: Kubernetes refuses a definition that describes it.
    """
    made = _with_descriptions(schema, words)
    if "metadata" in schema["properties"]:
        made["properties"]["metadata"] = schema["properties"]["metadata"]
    return made


def _with_descriptions(schema: Object, words: Mapping[str, str]) -> Object:
    made = dict(schema)
    for word in ("items", "additionalProperties"):
        if is_object(inner := schema.get(word)) and not shared.is_kept(inner):
            made[word] = _with_descriptions(inner, words)
    if is_object(properties := schema.get("properties")):
        made["properties"] = {name: _field(name, field, words) for name, field in properties.items()}
    return made


def _field(name: str, field: Object, words: Mapping[str, str]) -> Object:
    if shared.is_kept(field):
        return field
    description = words.get(name)
    if name == "status" and field.get("type") == "string":
        description = "Status of the condition: True, False or Unknown."
    return _with_descriptions({"description": description, **field} if description else field, words)
