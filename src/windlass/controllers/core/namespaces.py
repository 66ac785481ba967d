"""Namespace deletion: everything in a namespace that is being deleted goes, then the namespace itself.

The contents of every namespaced kind are deleted, pods first. While something is left (a pod in its grace period, an
object that a finalizer holds) the namespace's conditions say what, and it is looked at again. When nothing is left, the
`kubernetes` finalizer is taken off by the finalize subresource, and the server drops the namespace.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import msgspec

from windlass.apis.core_v1 import Namespace, NamespaceCondition
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.conditions import status_of, with_condition
from windlass.kube.controller import Acting, Observed
from windlass.kube.json import dig_list
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, PartialObjectMetadata
from windlass.kube.moments import span
from windlass.kube.view import metadata_only, untyped

FINALIZER = "kubernetes"
NAMESPACE = KINDS.of(Namespace)
RECHECK_INTERVAL = timedelta(seconds=1)
FAILED = "Failed to delete all resource types"
HELD = "Some content in the namespace has finalizers remaining"
NEEDED_VERBS = {"list", "delete"}


@dataclass(slots=True)
class Sweep:
    """What one round of deleting left behind."""

    remaining: dict[str, int] = field(default_factory=dict[str, int])
    """Objects by resource, as `pods.` or `deployments.apps`."""
    finalizers: dict[str, int] = field(default_factory=dict[str, int])
    failures: list[str] = field(default_factory=list[str])
    grace: int = 0
    """Seconds after which the slowest of them should be gone."""

    def note(self, kind: Kind, left: Sequence[PartialObjectMetadata]) -> None:
        if left:
            self.remaining[f"{kind.plural}.{kind.group}"] = len(left)
        for obj in left:
            self.grace = max(self.grace, obj.metadata.deletion_grace_period_seconds or 0)
            for finalizer in obj.metadata.finalizers:
                self.finalizers[finalizer] = self.finalizers.get(finalizer, 0) + 1

    @property
    def is_clean(self) -> bool:
        return not self.remaining and not self.failures


def emptied_kinds(served: Iterable[Kind]) -> list[Kind]:
    """One version of each namespaced resource that can be emptied, pods first."""
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in served:
        if kind.namespaced and kind.verbs >= NEEDED_VERBS:
            chosen.setdefault((kind.group, kind.plural), kind)
    return sorted(chosen.values(), key=lambda kind: kind.place[::2] != ("", "pods"))


async def act(namespace: Namespace, observed: Observed, api: Api) -> timedelta | None:
    if namespace.metadata.deletion_timestamp is None or FINALIZER not in namespace.spec.finalizers:
        return None
    name = namespace.metadata.name
    kinds = emptied_kinds(await api.served(refresh=True))
    undiscovered = api.failed_groups()
    sweep = Sweep()
    for kind in kinds:
        await _empty(kind, name, sweep, api)
    if sweep.is_clean and not undiscovered:
        await _finalize(name, namespace.metadata.uid, api)
        return None
    await _report(namespace, conditions(namespace.status.conditions, sweep, undiscovered, observed.now), api)
    return max(RECHECK_INTERVAL, span(sweep.grace / 2)) if not sweep.failures else RECHECK_INTERVAL


async def _empty(kind: Kind, namespace: str, sweep: Sweep, api: Api) -> None:
    form = metadata_only(kind)
    try:
        left = (await api.list(form, namespace)).items
        if any(obj.metadata.deletion_timestamp is None for obj in left):
            await _delete_all(kind, namespace, left, api)
            left = (await api.list(form, namespace)).items
    except errors.NotFound:  # its definition went meanwhile, and its objects with it
        return
    except errors.ApiError as error:
        sweep.failures.append(str(error))
        return
    sweep.note(kind, left)


async def _delete_all(kind: Kind, namespace: str, objects: Sequence[PartialObjectMetadata], api: Api) -> None:
    if "deletecollection" in kind.verbs:
        await api.delete_collection(kind, namespace, propagation="Background")
        return
    for obj in objects:
        try:
            await api.delete(kind, obj.metadata.key, uid=obj.metadata.uid, propagation="Background")
        except errors.NotFound:
            continue


async def _finalize(name: str, uid: str, api: Api) -> None:
    try:
        latest = await api.get(untyped(NAMESPACE), name)
        if latest["metadata"]["uid"] != uid:
            return
        latest["spec"] = {"finalizers": [f for f in dig_list(latest, "spec", "finalizers") if f != FINALIZER]}
        await api.update(latest, kind=NAMESPACE, subresource="finalize")
    except errors.NotFound:
        return


async def _report(namespace: Namespace, wanted: list[NamespaceCondition], api: Api) -> None:
    if wanted == namespace.status.conditions:
        return
    metadata = namespace.metadata
    status = {"conditions": msgspec.to_builtins(wanted)}
    await api.set_status(NAMESPACE, Key("", metadata.name), status, resource_version=metadata.resource_version)


def conditions(
    before: Sequence[NamespaceCondition], sweep: Sweep, undiscovered: Sequence[str], now: datetime
) -> list[NamespaceCondition]:
    """The five conditions by which Kubernetes says how far a deletion is."""
    remaining = ", ".join(f"{name} has {count} resource instances" for name, count in sorted(sweep.remaining.items()))
    groups, failures = ", ".join(undiscovered), ", ".join(sweep.failures)
    held = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(sweep.finalizers.items()))
    found = [
        _condition(
            "NamespaceDeletionDiscoveryFailure",
            ("DiscoveryFailed", f"Discovery failed for some groups: {groups}") if groups else None,
            ("ResourcesDiscovered", "All resources successfully discovered"),
        ),
        _condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            None,
            ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
        ),
        _condition(
            "NamespaceDeletionContentFailure",
            ("ContentDeletionFailed", f"{FAILED}, {len(sweep.failures)} remaining: {failures}") if failures else None,
            ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
        ),
        _condition(
            "NamespaceContentRemaining",
            ("SomeResourcesRemain", f"Some resources are remaining: {remaining}") if remaining else None,
            ("ContentRemoved", "All content successfully removed"),
        ),
        _condition(
            "NamespaceFinalizersRemaining",
            ("SomeFinalizersRemain", f"{HELD}: {held}") if held else None,
            ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
        ),
    ]
    result = list(before)
    for condition in found:
        result = with_condition(result, condition, now)
    return result


def _condition(type: str, problem: tuple[str, str] | None, otherwise: tuple[str, str]) -> NamespaceCondition:
    reason, message = problem or otherwise
    return NamespaceCondition(type=type, status=status_of(problem is not None), reason=reason, message=message)


CONTROLLER = Acting("namespace", Namespace, act, workers=4)
