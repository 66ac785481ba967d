"""Whether a Service is that of the object whose address leads to it.

A Notebook and a Tensorboard of one name want the same Service, and who comes second does not get it. Its address would
lead to the other's pod, with the token of the notebook or the word that files may be changed: such a route is not
served. Pure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from windlass.apis.core_v1 import Service
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.names import child_name
from windlass.gateway.access.reviews import Access
from windlass.kube.kind import KINDS


@dataclass(frozen=True, slots=True)
class Entrance:
    """Facts of the proxy about the address of an object."""

    conflict: str = ""
    """Why its Service is not its own; empty where it is, or there is none."""
    has_address: bool = True
    """Whether a ready pod is behind it. Without one the proxy answers that the object is not ready."""


Entrances: TypeAlias = Callable[[str, str], Entrance]
"""By namespace and name of an object. Lists read it, so that they call nothing ready that the proxy does not enter."""

OPEN = Entrance()

_KINDS = {kind.plural: kind for kind in map(KINDS.of, (Notebook, Tensorboard, PVCViewer))}
_VIEWERS = KINDS.of(PVCViewer).plural


def service_name(resource: str, name: str) -> str:
    """The name of the Service that an object of a resource (`notebooks`, …) wants."""
    return child_name(name) if resource == _VIEWERS else name


def all_open(namespace: str, name: str) -> Entrance:
    return OPEN


def conflict_of(service: Service | None, access: Access | None) -> str:
    """Why the Service is not of the object that `access` names; empty where it is, and where nobody claims that."""
    kind = _KINDS.get(access.resource) if access is not None else None
    if service is None or access is None or kind is None:
        return ""
    owner = service.metadata.controller
    if owner is None:
        return f"{NAME_CONFLICT}: Service {service.metadata.name} exists and does not belong to this {kind.name}"
    if (owner.api_version.partition("/")[0], owner.kind, owner.name) == (kind.group, kind.name, access.name):
        return ""
    return f"{NAME_CONFLICT}: Service {service.metadata.name} belongs to {owner.kind} {owner.name}"
