"""The cache of v1 pipelines: by what a container's outputs are recognised, and how long they may be reused."""

import re
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256

from windlass.kube.json import Object, dig, dig_object, encode

CACHE_ENABLED_LABEL = "pipelines.kubeflow.org/cache_enabled"
ENABLE_CACHING_LABEL = "pipelines.kubeflow.org/enable_caching"
STALENESS_ANNOTATION = "pipelines.kubeflow.org/max_cache_staleness"
REUSED_LABEL, CACHE_ID_LABEL = "pipelines.kubeflow.org/reused_from_cache", "pipelines.kubeflow.org/cache_id"
KEY_FIELD, LABELS_FIELD = "cacheKey", "labels"
"""Fields of a node besides Argo's: under what its outputs are cached, and that they were reused."""
MAX_DURATION_TEXT = 64
_CONTAINER_FIELDS = ("image", "command", "args", "env", "volumeMounts")
_TEMPLATE_FIELDS = ("inputs", "outputs", "volumes", "initContainers", "sidecars")
_DURATION = re.compile(
    r"P(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)
_SECONDS: Mapping[str, float] = {
    "years": 365 * 86_400,
    "months": 30 * 86_400,
    "weeks": 7 * 86_400,
    "days": 86_400,
    "hours": 3600,
    "minutes": 60,
    "seconds": 1,
}


def is_cacheable(template: Object) -> bool:
    """Whether the outputs of a template's pods may be reused: only of containers, unless a label opts out."""
    labels = dig_object(template, "metadata", "labels")
    if template.get("container") is None or labels.get(ENABLE_CACHING_LABEL) == "false":
        return False
    return labels.get(CACHE_ENABLED_LABEL, labels.get(ENABLE_CACHING_LABEL)) == "true"


def cache_key(template: Object, *, has_result: bool = False) -> str:
    """The SHA-256 of what outputs depend on, of a template whose inputs have their values.

    `has_result`: whether what the container prints is one of its outputs.
    """
    container = dig_object(template, "container")
    basis: Object = {
        "container": {name: container[name] for name in _CONTAINER_FIELDS if container.get(name)},
        **{name: template[name] for name in _TEMPLATE_FIELDS if template.get(name)},
        **({"result": True} if has_result else {}),
    }
    return sha256(encode(_sorted(basis))).hexdigest()


def max_staleness(template: Object, default: str = "", maximum: str = "") -> timedelta | None:
    """How old outputs may be; None for any age, zero for never. Text that is no duration limits nothing.

    `default` and `maximum` are the server's settings, as ISO 8601 durations.
    """
    return staleness_limit(str(dig(template, "metadata", "annotations", STALENESS_ANNOTATION) or ""), default, maximum)


def staleness_limit(text: str, default: str = "", maximum: str = "") -> timedelta | None:
    """The same, of the duration that a task or a run asks for."""
    own = _duration(text)
    chosen = own if own is not None else _duration(default)
    limit = _duration(maximum)
    if chosen is None or limit is None:
        return chosen if limit is None else limit
    return min(chosen, limit)


def is_duration(text: str) -> bool:
    """Whether the text is a duration of ISO 8601, such as P7D, that is not too long to store."""
    return len(text) <= MAX_DURATION_TEXT and _duration(text) is not None


def _duration(text: str) -> timedelta | None:
    match = _DURATION.fullmatch(text) if len(text) > 1 else None
    if match is None:
        return None
    seconds = sum(float(value) * _SECONDS[name] for name, value in match.groupdict().items() if value)
    try:
        return timedelta(seconds=seconds)
    except OverflowError:
        return None


def _sorted(value: object) -> object:
    """JSON with its members in order, so that equal templates have equal keys."""
    if isinstance(value, dict):
        members: Object = value  # pyright: ignore[reportUnknownVariableType] - JSON
        return {name: _sorted(members[name]) for name in sorted(members)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - JSON
    return value
