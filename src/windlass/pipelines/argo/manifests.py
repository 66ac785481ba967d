"""Reads manifests and patches in templates: YAML or JSON, one object."""

from typing import Any

from windlass.kube.json import Object, decode, encode, is_object
from windlass.kube.yaml_aliases import check_aliases


class BadManifest(ValueError):
    """The text is not one object."""


def read_manifest(text: str) -> Object:
    """Read one object of YAML. Raises BadManifest."""
    import yaml

    try:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        node: Any = loader.get_single_node()
        check_aliases(node)
        value: Any = decode(encode(loader.construct_document(node))) if node is not None else None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, AttributeError) as error:
        raise BadManifest(f"not YAML: {' '.join(str(error).split())[:300]}") from None
    if not is_object(value):
        raise BadManifest("not an object")
    return value
