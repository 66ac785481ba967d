"""Rows of volumes: what the web app's list has, and how full they are and what uses them. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.web.consumers import NOTEBOOKS, owners, uses
from windlass.apps.volumes.web.rows import row as list_row
from windlass.apps.volumes.web.volume_view import VolumeRow, VolumesView
from windlass.gateway.proxy.entrances.state import OPEN, EntranceStates, all_open
from windlass.gateway.views.claims import claims_in
from windlass.gateway.views.events import Events
from windlass.gateway.views.parts import ClaimUse, ObjectRef, Why
from windlass.gateway.views.reading import amount_of, namespace_of, reference, text, typed
from windlass.gateway.views.whys import plain_why
from windlass.gateway.webapps.event_times import newest_warning
from windlass.gateway.webapps.phases import PhaseStatus
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import Kind


@dataclass(frozen=True)
class VolumeObjects:
    claims: Sequence[Object]
    viewers: Sequence[Object]
    consumers: Sequence[tuple[Kind, Sequence[Object]]]
    """Pods, notebooks, TensorBoards and jobs."""
    usage: Mapping[tuple[str, str], ClaimUse] = field(default_factory=dict[tuple[str, str], ClaimUse])
    """By namespace and name."""


def volumes_view(objects: VolumeObjects, events: Events, entrances: EntranceStates = all_open) -> VolumesView:
    """`entrances` are those of viewers."""
    viewers = {
        (namespace_of(obj), viewer.spec.pvc): viewer
        for obj in objects.viewers
        if (viewer := typed(obj, PVCViewer)) is not None
    }
    rows = [
        _row(claim, objects, viewers.get((claim.metadata.namespace, claim.metadata.name)), events, entrances)
        for obj in objects.claims
        if (claim := typed(obj, PersistentVolumeClaim)) is not None
    ]
    return VolumesView(rows=tuple(sorted(rows, key=lambda row: (row.namespace, row.name))))


def _row(
    claim: PersistentVolumeClaim,
    objects: VolumeObjects,
    viewer: PVCViewer | None,
    events: Events,
    entrances: EntranceStates,
) -> VolumeRow:
    namespace, name = claim.metadata.namespace, claim.metadata.name
    own_events = events(namespace, name)
    users = consumers_of(namespace, name, objects.consumers)
    entrance = entrances(namespace, viewer.metadata.name) if viewer is not None else OPEN
    listed = list_row(claim, own_events, _notebooks(namespace, name, objects.consumers), viewer, entrance)
    status = msgspec.convert(listed["status"], PhaseStatus)
    warning = newest_warning(own_events, claim.metadata.creation_timestamp)
    use = objects.usage.get((namespace, name))
    return msgspec.convert(
        {
            **listed,
            "uid": claim.metadata.uid,
            "capacityBytes": amount_of(listed["capacity"]).value,
            "usedBytes": use.used_bytes if use is not None else None,
            "usedAt": use.at if use is not None else None,
            "consumers": users,
            "isOrphan": status.message == "Bound" and not users,
            "why": _why(status, warning.reason if warning else "", warning.message if warning else ""),
        },
        VolumeRow,
    )


def _why(status: PhaseStatus, reason: str, message: str) -> Why | None:
    if status.phase in ("warning", "error"):
        return plain_why(status.state, status.message)
    return plain_why(reason, message) if reason == "VolumeNearlyFull" else None


def consumers_of(namespace: str, claim: str, consumers: Iterable[tuple[Kind, Sequence[Object]]]) -> list[ObjectRef]:
    """Without what belongs to another one of them, such as the pods of a notebook."""
    users = [
        (kind, obj)
        for kind, found in consumers
        for obj in found
        if namespace_of(obj) == namespace and uses(kind, obj, claim)
    ]
    uids = {dig(obj, "metadata", "uid") for _, obj in users}
    return [
        reference(obj, kind=kind.name, api_version=kind.api_version) for kind, obj in users if not owners(obj) & uids
    ]


def _notebooks(namespace: str, claim: str, consumers: Iterable[tuple[Kind, Sequence[Object]]]) -> list[str]:
    """Those that mount the claim, whether they run or not."""
    return [
        text(dig(obj, "metadata", "name"))
        for kind, found in consumers
        if kind == NOTEBOOKS
        for obj in found
        if namespace_of(obj) == namespace and claim in claims_in(dig_object(obj, "spec"))
    ]
