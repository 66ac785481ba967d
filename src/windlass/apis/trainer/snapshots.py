"""The runtime of a job as it was when the job began, which a ConfigMap keeps."""

from typing import Any

from windlass.kube.json import Object, dig, is_object

DATA = "runtime"
"""The key under which it is kept, as YAML."""


def snapshot_name(job: str) -> str:
    return f"{job}-runtime-snapshot"


def kept_runtime(snapshot: Object | None) -> Object | None:
    """What a snapshot holds; None where it holds no runtime."""
    text = dig(snapshot or {}, "data", DATA)
    if not isinstance(text, str):
        return None
    import yaml  # only a job that has begun and is changed needs it

    try:
        found: Any = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    return found if is_object(found) else None
