"""When two pod templates are the same, and the hash that distinguishes a Deployment's ReplicaSets.

The same template may be written in more than one way: programs in Go add empty objects and drop falsehoods, and write a
quantity in its shortest form. `kubectl rollout undo` brings such a copy back, and it must find its ReplicaSet again.
"""

from typing import Any, cast

from windlass.apis.core_v1 import Json, PodTemplate
from windlass.controllers.core.pod_from_template import ALPHABET
from windlass.kube.json import encode
from windlass.kube.quantity import Quantity

HASH_LABEL = "pod-template-hash"
ZERO_IS_ABSENT = frozenset(
    ("hostIPC", "hostNetwork", "hostPID", "hostPort", "readOnly", "stdin", "stdinOnce", "tty", "initialDelaySeconds")
)
"""Fields that Go's types cannot distinguish from absent ones when they are zero or false."""
AMOUNTS = frozenset(("limits", "requests", "overhead"))


def same_template(one: PodTemplate, other: PodTemplate) -> bool:
    """Whether pods of both would be alike, but for the hash that a ReplicaSet's template carries."""
    return one == other or comparable(one) == comparable(other)


def comparable(template: PodTemplate) -> Json:
    """The template in one form for all ways to write it, without its hash."""
    plain: Json = _plain(template) or {}
    labels: Json = plain.get("metadata", {}).get("labels", {})
    if HASH_LABEL not in labels:
        return plain
    kept = {key: value for key, value in labels.items() if key != HASH_LABEL}
    return _plain({**plain, "metadata": {**plain["metadata"], "labels": kept}}) or {}


def _plain(value: Any) -> Any:
    """Without members that mean nothing; None when nothing is left."""
    if isinstance(value, dict):
        plain: Json = {}
        for key, member in cast(Json, value).items():
            kept = _amounts(member) if key in AMOUNTS else _plain(member)
            if kept is not None and (kept or key not in ZERO_IS_ABSENT):
                plain[key] = kept
        return plain or None
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[Any], value)] or None
    return None if value == "" else value


def _amounts(listed: Any) -> Json | None:
    if not isinstance(listed, dict):
        return None
    return {name: str(Quantity.parse(amount)) for name, amount in cast(Json, listed).items()} or None


def template_hash(template: PodTemplate, collisions: int | None) -> str:
    """A short name for the template; the same template after a clash of names has another."""
    text = encode(_sorted(comparable(template))) + (b"" if collisions is None else str(collisions).encode())
    number = 2166136261  # FNV-1a of 32 bits, as Kubernetes takes
    for byte in text:
        number = ((number ^ byte) * 16777619) & 0xFFFFFFFF
    return "".join(ALPHABET[ord(digit) % len(ALPHABET)] for digit in str(number))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(member) for key, member in sorted(cast(Json, value).items())}
    return [_sorted(item) for item in cast(list[Any], value)] if isinstance(value, list) else value
