"""Reads manifests and patches in templates: YAML or JSON, one object."""

from typing import Any

from windlass.kube.json import Object, decode, encode, is_list, is_object
from windlass.kube.yaml_aliases import check_aliases


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
    import yaml

    try:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        node: Any = loader.get_single_node()
        check_aliases(node)
        return decode(encode(loader.construct_document(node))) if node is not None else None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, AttributeError) as error:
        raise BadManifest(f"not YAML: {' '.join(str(error).split())[:300]}") from None
