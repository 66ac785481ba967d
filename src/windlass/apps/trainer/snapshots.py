"""Snapshots of a job's runtime at its start, stored in a ConfigMap."""

from typing import Any

from windlass.formats import yaml_reader
from windlass.kube.json import Object, dig, is_object

DATA = "runtime"
"""The key of the runtime in the ConfigMap, as YAML."""


def snapshot_name(job: str) -> str:
    return f"{job}-runtime-snapshot"


def snapshot_runtime(snapshot: Object | None) -> Object | None:
    """Read the runtime of a snapshot; None if it holds no valid runtime."""
    text = dig(snapshot or {}, "data", DATA)
    if not isinstance(text, str):
        return None
    try:
        runtime: Any = yaml_reader.read(text)
    except yaml_reader.BadYaml:
        return None
    return runtime if is_object(runtime) else None
