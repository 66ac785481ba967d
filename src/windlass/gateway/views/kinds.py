"""Kinds that several views follow."""

from collections.abc import Sequence

from windlass.apis.core_v1 import Event, Node, PersistentVolumeClaim, Pod, Service
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.kind import KINDS, Kind

PODS, EVENTS, SERVICES, NODES = (KINDS.of(kind) for kind in (Pod, Event, Service, Node))
CLAIMS, PRIORITIES = KINDS.of(PersistentVolumeClaim), KINDS.of(PriorityClass)


def group_kinds(served: Sequence[Kind]) -> list[Kind]:
    """Return the kinds of PodGroups."""
    return [kind for kind in served if kind.name == "PodGroup" and kind.group.startswith("scheduling.")]
