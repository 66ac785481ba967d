"""Validation of `metadata`, common to all kinds: names, labels, annotations, owners and finalizers.

The verbs call `validate_metadata` on every write and `validate_metadata_update` on updates. The name itself is
validated by the function of its kind, `name_problems`.
"""

from collections.abc import Callable
from typing import Any

from windlass.apiserver.builtin.fields import (
    IMMUTABLE,
    Causes,
    check_each,
    check_labels,
    label_key_problems,
)
from windlass.kube import names
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object

TOTAL_ANNOTATIONS_LIMIT = 256 * 1024

STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_NO_OWNERS = frozenset({("v1", "Event")})

NameProblems = Callable[[str], list[str]]


def validate_metadata(
    obj: Object,
    namespaced: bool,
    name_problems: NameProblems = names.dns_subdomain_errors,
    *,
    qualified_finalizers: bool = True,
) -> list[Cause]:
    """Return all errors in `obj["metadata"]`; `name_problems` is the strategy's `validate_name`."""
    meta: Object = obj.get("metadata") or {}
    causes: Causes = []
    _check_name(meta, name_problems, causes)
    namespace = meta.get("namespace")
    if not namespaced:
        if namespace:
            causes.append(forbidden("metadata.namespace", "not allowed on this type"))
    elif not namespace:
        causes.append(required("metadata.namespace"))
    else:
        check_each("metadata.namespace", namespace, names.dns_label_errors(namespace), causes)
    labels = meta.get("labels")
    if labels:
        check_labels("metadata.labels", labels, causes)
    annotations = meta.get("annotations")
    if annotations:
        check_annotations("metadata.annotations", annotations, causes)
    owners = meta.get("ownerReferences")
    if owners:
        _check_owners(owners, causes)
    finalizers = meta.get("finalizers")
    if finalizers:
        check_finalizers("metadata.finalizers", finalizers, causes, qualified=qualified_finalizers)
    return causes


def _check_name(meta: Object, name_problems: NameProblems, causes: Causes) -> None:
    generate_name, name = meta.get("generateName"), meta.get("name")
    if generate_name:
        # A prefix may end where a name may not: the random suffix follows.
        check_each("metadata.generateName", generate_name, name_problems(masked(generate_name)), causes)
    if name:
        check_each("metadata.name", name, name_problems(name), causes)
    else:
        causes.append(required("metadata.name", "name or generateName is required"))


def masked(prefix: str) -> str:
    """A name that could be generated from a generateName: a prefix may end with a dash."""
    return f"{prefix[:-1]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def check_annotations(field: str, annotations: dict[str, str], causes: Causes) -> None:
    total = 0
    for key, value in annotations.items():
        problems = label_key_problems(key.lower())
        if problems:
            check_each(field, key, problems, causes)
        total += len(key) + (len(value) if value.isascii() else len(value.encode()))
    if total > TOTAL_ANNOTATIONS_LIMIT:
        message = f"Too long: may not be more than {TOTAL_ANNOTATIONS_LIMIT} bytes"
        causes.append(Cause(field, message, "FieldValueTooLong"))


def _check_owners(owners: list[Object], causes: Causes) -> None:
    controller = ""
    for index, owner in enumerate(owners):
        path = f"metadata.ownerReferences[{index}]"
        _check_owner(path, owner, causes)
        if not owner.get("controller"):
            continue
        named = f"{owner.get('kind', '')}/{owner.get('name', '')}"
        if controller:
            found = f'Found "true" in references for {controller} and {named}'
            why = f"Only one reference can have Controller set to true. {found}"
            causes.append(invalid("metadata.ownerReferences", owners, why))
        else:
            controller = named


def _check_owner(path: str, owner: Object, causes: Causes) -> None:
    api_version, kind = owner.get("apiVersion", ""), owner.get("kind", "")
    group, slash, version = api_version.partition("/")
    if not (version if slash else group):
        causes.append(invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    if not kind:
        causes.append(invalid(f"{path}.kind", kind, "kind must not be empty"))
    if not owner.get("name"):
        causes.append(invalid(f"{path}.name", owner.get("name", ""), "name must not be empty"))
    if not owner.get("uid"):
        causes.append(invalid(f"{path}.uid", owner.get("uid", ""), "uid must not be empty"))
    if (api_version, kind) in _NO_OWNERS:
        causes.append(invalid(path, owner, f"{api_version}, Kind={kind} is disallowed from being an owner"))


def check_finalizers(field: str, finalizers: list[str], causes: Causes, *, qualified: bool) -> None:
    for index, finalizer in enumerate(finalizers):
        problems = label_key_problems(finalizer)
        if problems:
            check_each(field, finalizer, problems, causes)
        elif qualified and "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            why = "name is neither a standard finalizer name nor is it fully qualified"
            causes.append(invalid(f"{field}[{index}]", finalizer, why))
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        causes.append(invalid(field, finalizers, "finalizers orphan and foregroundDeletion cannot be both set"))


def validate_metadata_update(new: Object, old: Object) -> list[Cause]:
    """Return the errors of changes to immutable metadata: identity, and creation and deletion timestamps."""
    fresh: Object = new.get("metadata") or {}
    stored: Object = old.get("metadata") or {}
    causes: Causes = []
    for field in ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        value: Any = fresh.get(field)
        if value != stored.get(field):
            causes.append(invalid(f"metadata.{field}", value, IMMUTABLE))
    return causes
