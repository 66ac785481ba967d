"""What of a pod's status to send: a strategic merge patch that says no more than what has changed. Pure."""

from typing import Any

from windlass.kube.json import Object, dig_list

_MERGED = {"conditions": "type", "podIPs": "ip", "hostIPs": "ip"}
"""Lists that the API merges element by element, and what an element is known by. All others are replaced whole."""


def status_patch(before: Object, after: Object) -> Object | None:
    """The patch from one status to the next; None where they are the same.

    Conditions are merged by type, so that those which others have set meanwhile (readiness gates) are left alone.
    """
    patch: Object = {key: value for key, value in after.items() if key not in _MERGED and before.get(key) != value}
    patch |= {key: None for key in before if key not in after}
    for name, key in _MERGED.items():
        old, new = dig_list(before, name), dig_list(after, name)
        if name in after and old != new:
            elements = _changed(old, new, key) if name == "conditions" else new  # the order of addresses tells
            gone = {each[key] for each in old} - {each[key] for each in new}
            patch[name] = [*elements, *({key: each, "$patch": "delete"} for each in sorted(gone))]
    return {key: value for key, value in patch.items() if value != [] or key not in _MERGED} or None


def _changed(old: list[Any], new: list[Any], key: str) -> list[Object]:
    """The elements that are not as they were; a field that an element has lost is named, since it would stay."""
    known: dict[str, Object] = {each[key]: each for each in old}
    changed = [each for each in new if known.get(each[key]) != each]
    return [{**dict.fromkeys(known.get(each[key], {}).keys() - each.keys()), **each} for each in changed]
