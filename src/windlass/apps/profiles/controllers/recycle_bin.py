"""The recycle bin: a deleted profile keeps its objects for a day, without access and without running pods.

Each app declares how its objects stop (`windlass.apis.stops`). The value that a field had before is kept in an
annotation, by which a restore finds the object. Pods that are not stopped so are deleted, and a quota of no pods keeps
them from coming back.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from windlass.apis.core_v1 import Pod, ResourceQuota, ResourceQuotaSpec
from windlass.apis.stops import BEFORE_DELETION, AnyStop, Stop, StopByActions
from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.names import DELETED_AT
from windlass.kube.controller import Observed
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, parse
from windlass.kube.kind import KINDS
from windlass.kube.meta import Object, ObjectMeta, parse_time
from windlass.kube.objects import is_deleting, wire
from windlass.kube.plan import CreateUnowned, Delete, Patch
from windlass.kube.view import View, typed

KEPT_FOR = timedelta(hours=24)
QUOTA_NAME = "windlass-recycle-bin"


def source(stop: AnyStop) -> View[Any]:
    """The objects to stop, as they are watched."""
    return typed(stop.kind).narrowed(labels=stop.labels) if isinstance(stop, Stop) and stop.labels else typed(stop.kind)


def deleted_at(profile: Profile) -> datetime | None:
    """When the profile was put in the bin; None if it is not there."""
    text = profile.metadata.annotations.get(DELETED_AT)
    if not text:
        return None
    try:
        return parse_time(text)
    except ValueError:
        return None


def no_pods(profile: Profile) -> ResourceQuota:
    return ResourceQuota(
        metadata=ObjectMeta(name=QUOTA_NAME, namespace=profile.metadata.name),
        spec=ResourceQuotaSpec(hard={"pods": "0"}),
    )


def stopping(
    namespace: str, observed: Observed, stops: Sequence[AnyStop], now: datetime
) -> list[Patch | CreateUnowned | Delete]:
    """Stop whatever runs in the namespace and is not stopped yet."""
    actions: list[Patch | CreateUnowned | Delete] = []
    for stop in stops:
        objects = _objects(stop, namespace, observed)
        if isinstance(stop, StopByActions):
            actions += stop.stopping(objects)
        else:
            actions += [_stopped(stop, obj, now) for obj in objects if BEFORE_DELETION not in obj.metadata.annotations]
    return [*actions, *(Delete(pod) for pod in observed.all(Pod, namespace) if not is_deleting(pod))]


def restoring(namespace: str, observed: Observed, stops: Sequence[AnyStop]) -> list[Patch | CreateUnowned]:
    """Bring back what was stopped."""
    actions: list[Patch | CreateUnowned] = []
    for stop in stops:
        objects = _objects(stop, namespace, observed)
        if isinstance(stop, StopByActions):
            actions += stop.restoring(objects)
        else:
            actions += [_restored(stop, obj) for obj in objects if BEFORE_DELETION in obj.metadata.annotations]
    return actions


def _objects(stop: AnyStop, namespace: str, observed: Observed) -> Iterator[Object]:
    parts_too = isinstance(stop, Stop) and stop.parts_too
    starters = {KINDS.of(kind).name for kind in stop.started_by}
    for obj in observed.all(source(stop), namespace):
        if (parts_too or _is_root(obj, starters)) and not is_deleting(obj):
            yield obj


def _is_root(obj: Object, starters: set[str]) -> bool:
    """Whether no other object stops this one along with itself, and would undo a change of it."""
    controller = obj.metadata.controller
    return controller is None or controller.kind in starters


def _stopped(stop: Stop, obj: Object, now: datetime) -> Patch:
    before = json.dumps(dig(wire(obj), *stop.path))
    return Patch(obj, _patch(stop, stop.value(now) if callable(stop.value) else stop.value, before))


def _restored(stop: Stop, obj: Object) -> Patch:
    try:
        value = parse(obj.metadata.annotations[BEFORE_DELETION])
    except ValueError:
        value = None
    return Patch(obj, _patch(stop, value, None))


def _patch(stop: Stop, value: Any, before: str | None) -> Json:
    """Set the field, and the annotation with the value that it had."""
    patch: Json = {"metadata": {"annotations": {BEFORE_DELETION: before}}}
    inner = patch
    for key in stop.path[:-1]:
        inner = inner.setdefault(key, {})
    inner[stop.path[-1]] = value
    return patch
