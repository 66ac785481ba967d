"""Computes the patch of a pod's status: a strategic merge patch of only what has changed. Pure."""

from typing import Any

from windlass.kube.json import Object, dig_list

_MERGED = {"conditions": "type", "podIPs": "ip", "hostIPs": "ip"}
"""Lists that the API merges element by element, and their merge keys. All others are replaced."""


def status_patch(before: Object, after: Object) -> Object | None:
    """Return the patch from one status to the next; None if they are equal.

    Conditions are merged by type, so that those which others set meanwhile (readiness gates) are preserved.
    """
    patch: Object = {key: value for key, value in after.items() if key not in _MERGED and before.get(key) != value}
    patch |= {key: None for key in before if key not in after}
    for name, key in _MERGED.items():
        old, new = dig_list(before, name), dig_list(after, name)
        if name in after and old != new:
            elements = _changed(old, new, key) if name == "conditions" else new  # by the order of addresses
            gone = {each[key] for each in old} - {each[key] for each in new}
            patch[name] = [*elements, *({key: each, "$patch": "delete"} for each in sorted(gone))]
    return {key: value for key, value in patch.items() if value != [] or key not in _MERGED} or None


def _changed(old: list[Any], new: list[Any], key: str) -> list[Object]:
    """Return the changed elements; a field that an element has lost is set to null, since a merge would keep it."""
    known: dict[str, Object] = {each[key]: each for each in old}
    changed = [each for each in new if known.get(each[key]) != each]
    return [{**dict.fromkeys(known.get(each[key], {}).keys() - each.keys()), **each} for each in changed]
