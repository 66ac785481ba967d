"""The lifecycle of a CustomResourceDefinition in its status: names accepted, established, terminating.

All functions are pure: from the definition and the other definitions to the new status or conditions. A controller (or
the delete verb) writes them.
"""

from collections.abc import Iterable

from windlass.apiserver.crds.definition import condition, storage_version
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object, timestamp

CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
_SINGLE = ("plural", "singular", "kind", "listKind")


def crd_status(crd: Object, others: Iterable[Object], *, now: str | None = None) -> Object:
    """The status of `crd`, given `others` (all CustomResourceDefinitions, with or without itself).

    Names that another definition of the same group has accepted are refused; accepted names are kept. A definition is
    established once its names are accepted, and stays so.
    """
    moment = now or timestamp()
    accepted, conflicts = _accept_names(crd, others)
    status: Object = dict(dig_object(crd, "status"))
    status["acceptedNames"] = accepted
    if conflicts:
        reason, message = conflicts[-1]
        naming = _condition("NamesAccepted", False, reason, message)
    else:
        naming = _condition("NamesAccepted", True, "NoConflicts", "no conflicts found")
    if condition(crd, "Established").get("status") == "True" or not conflicts:
        established = _condition("Established", True, "InitialNamesAccepted", "the initial names have been accepted")
    else:
        established = _condition("Established", False, "NotAccepted", "not all names are accepted")
    status["conditions"] = with_conditions(dig_list(crd, "status", "conditions"), [naming, established], moment)
    stored = [str(name) for name in dig_list(crd, "status", "storedVersions")]
    storage = storage_version(crd)
    status["storedVersions"] = stored if not storage or storage in stored else [*stored, storage]
    return status


def _accept_names(crd: Object, others: Iterable[Object]) -> tuple[Object, list[tuple[str, str]]]:
    wanted, current = dig_object(crd, "spec", "names"), dig_object(crd, "status", "acceptedNames")
    resources, kinds = _used_names(crd, others)
    accepted: Object = {"plural": "", "kind": ""}
    conflicts: list[tuple[str, str]] = []
    for field in _SINGLE:
        name, used = str(wanted.get(field) or ""), kinds if field in ("kind", "listKind") else resources
        if name and name in used and current.get(field) != name:
            conflicts.append((f"{field[0].upper()}{field[1:]}Conflict", f'"{name}" is already in use'))
            name = str(current.get(field) or "")
        if name or field in ("plural", "kind"):
            accepted[field] = name
    short = [str(name) for name in dig_list(wanted, "shortNames")]
    taken = [name for name in short if name in resources and name not in dig_list(current, "shortNames")]
    if taken:
        listed = ", ".join(f'"{name}" is already in use' for name in taken)
        conflicts.append(("ShortNamesConflict", listed if len(taken) == 1 else f"[{listed}]"))
        short = [str(name) for name in dig_list(current, "shortNames")]
    if short:
        accepted["shortNames"] = short
    if wanted.get("categories"):
        accepted["categories"] = list(wanted["categories"])
    return accepted, conflicts


def _used_names(crd: Object, others: Iterable[Object]) -> tuple[set[str], set[str]]:
    """Resource names and kinds that other definitions of the group have accepted."""
    resources: set[str] = set()
    kinds: set[str] = set()
    group, name = dig(crd, "spec", "group"), dig(crd, "metadata", "name")
    for other in others:
        if dig(other, "spec", "group") != group or dig(other, "metadata", "name") == name:
            continue
        names = dig_object(other, "status", "acceptedNames")
        resources.update(str(names.get(field)) for field in ("plural", "singular") if names.get(field))
        resources.update(str(short) for short in dig_list(names, "shortNames"))
        kinds.update(str(names.get(field)) for field in ("kind", "listKind") if names.get(field))
    return resources, kinds


def _condition(kind: str, true: bool, reason: str, message: str) -> Object:
    return {"type": kind, "status": "True" if true else "False", "reason": reason, "message": message}


def with_conditions(conditions: Iterable[Object], changes: Iterable[Object], now: str) -> list[Object]:
    """Merge `changes` into `conditions` by type; the transition time changes only with the status."""
    result = [dict(known) for known in conditions if is_object(known)]
    for change in changes:
        known = next((c for c in result if c.get("type") == change["type"]), None)
        same = known is not None and known.get("status") == change["status"]
        moved: Object = {"lastTransitionTime": known["lastTransitionTime"] if known and same else now, **change}
        if known is None:
            result.append(moved)
        else:
            known.clear()
            known.update(moved)
    return result


# deletion


def is_terminating(crd: Object) -> bool:
    return bool(dig(crd, "metadata", "deletionTimestamp"))


def needs_cleanup(crd: Object) -> bool:
    """Whether instances must be deleted now, before the definition can be removed."""
    return is_terminating(crd) and CLEANUP_FINALIZER in dig_list(crd, "metadata", "finalizers")


def mark_for_deletion(crd: Object, *, now: str | None = None) -> None:
    """Add the finalizer and the Terminating condition, in place, on the first DELETE of a definition."""
    metadata = crd.setdefault("metadata", {})
    finalizers = dig_list(metadata, "finalizers")
    if CLEANUP_FINALIZER not in finalizers:
        metadata["finalizers"] = [*finalizers, CLEANUP_FINALIZER]
    set_terminating(crd, DELETION_PENDING, now=now)


def set_terminating(crd: Object, change: Object, *, now: str | None = None) -> None:
    """Set one of the Terminating conditions below in the status."""
    status = crd.setdefault("status", {})
    status["conditions"] = with_conditions(dig_list(status, "conditions"), [change], now or timestamp())


def deletion_failed(why: str) -> Object:
    return _condition("Terminating", True, "InstanceDeletionFailed", f"could not list instances: {why}")


def without_finalizer(crd: Object) -> None:
    """Remove the finalizer, in place, after all instances are deleted."""
    metadata = dig_object(crd, "metadata")
    metadata["finalizers"] = [name for name in dig_list(metadata, "finalizers") if name != CLEANUP_FINALIZER]


DELETION_PENDING = _condition(
    "Terminating",
    True,
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)
DELETION_IN_PROGRESS = _condition(
    "Terminating", True, "InstanceDeletionInProgress", "CustomResource deletion is in progress"
)
DELETION_COMPLETED = _condition("Terminating", False, "InstanceDeletionCompleted", "removed all instances")
