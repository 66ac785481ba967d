"""The files that configMaps, secrets and the downward API become in a volume. Pure."""

import base64

from windlass.kube.json import Object, dig_list, dig_object
from windlass.node.field_paths import field_value, resource_value
from windlass.node.volumes.atomic import File
from windlass.node.volumes.base import Failed

USUAL_MODE = 0o644


def of_config_map(obj: Object, source: Object, mode: int) -> dict[str, File]:
    content = {key: str(value).encode() for key, value in dig_object(obj, "data").items()}
    content |= {key: base64.b64decode(value) for key, value in dig_object(obj, "binaryData").items()}
    return _chosen(content, source, mode, "configmap references non-existent config key")


def of_secret(obj: Object, source: Object, mode: int) -> dict[str, File]:
    content = {key: base64.b64decode(value) for key, value in dig_object(obj, "data").items()}
    return _chosen(content, source, mode, "references non-existent secret key")


def _chosen(content: dict[str, bytes], source: Object, mode: int, missing: str) -> dict[str, File]:
    """Return all keys, or `items` at their paths; missing items are skipped when `optional`."""
    items = dig_list(source, "items")
    if not items:
        return {key: File(value, mode) for key, value in content.items()}
    files: dict[str, File] = {}
    for item in items:
        key = str(item.get("key"))
        if key in content:
            files[safe(str(item.get("path")))] = File(content[key], _mode(item, mode))
        elif not source.get("optional"):
            raise Failed(f"{missing}: {key}")
    return files


def of_downward(pod: Object, items: list[Object], mode: int, allocatable: Object) -> dict[str, File]:
    files: dict[str, File] = {}
    for item in items:
        if field := item.get("fieldRef"):
            text = field_value(pod, str(field.get("fieldPath")))
        else:
            text = resource_value(pod, {}, dig_object(item, "resourceFieldRef"), allocatable)
        files[safe(str(item.get("path")))] = File(text.encode(), _mode(item, mode))
    return files


def _mode(item: Object, usual: int) -> int:
    mode = item.get("mode")
    return usual if mode is None else int(mode)


def mode_of(source: Object) -> int:
    mode = source.get("defaultMode")
    return USUAL_MODE if mode is None else int(mode)


def safe(path: str) -> str:
    """Return a relative path without `..`; the API server validates it, but files are written by it."""
    steps = path.split("/")
    if not path or path.startswith("/") or ".." in steps or steps[0].startswith(".."):
        raise Failed(f"invalid path: {path}")
    return "/".join(step for step in steps if step not in ("", "."))
