"""What of a pod's status to send: a strategic merge patch that says no more than what has changed. Pure."""

from windlass.kube.json import Object, dig_list

_MERGED = ("conditions", "podIPs", "hostIPs")  # lists that the API merges by element


def status_patch(before: Object, after: Object) -> Object | None:
    """The patch from one status to the next; None where they are the same.

    Conditions are merged by type, so that those which others set (readiness gates) are left alone.
    """
    patch: Object = {
        key: value
        for key, value in after.items()
        if key not in ("conditions", "podIPs", "hostIPs") and before.get(key) != value
    }
    patch |= {key: None for key in before if key not in after}
    known = {each.get("type"): each for each in dig_list(before, "conditions")}
    changed = [each for each in dig_list(after, "conditions") if known.get(each.get("type")) != each]
    if changed:
        patch["conditions"] = changed
    for name in ("podIPs", "hostIPs"):  # merged by address, so an old one must be named to go
        old, new = dig_list(before, name), dig_list(after, name)
        if old != new:
            patch[name] = [*new, *({"ip": each["ip"], "$patch": "delete"} for each in old if each not in new)]
    return patch or None
