"""Reads manifests and patches in templates: YAML or JSON, one object."""

from typing import Any

from windlass.formats import yaml_reader
from windlass.kube.json import Object, is_list, is_object


class BadManifest(ValueError):
    """The text is not one object, or not a list of operations."""


def read_manifest(text: str) -> Object:
    """Read one object of YAML. Raises BadManifest."""
    value = _read(text)
    if not is_object(value):
        raise BadManifest("not an object")
    return value


def read_operations(text: str) -> list[Object]:
    """Read a JSON patch: a list of operations. Raises BadManifest."""
    value = _read(text)
    if not is_list(value) or not all(is_object(operation) for operation in value):
        raise BadManifest("not a list of operations")
    return value


def _read(text: str) -> Any:
    try:
        return yaml_reader.as_json(yaml_reader.read(text))
    except yaml_reader.BadYaml as error:
        raise BadManifest(f"not YAML: {' '.join(str(error).split())[:300]}") from None
