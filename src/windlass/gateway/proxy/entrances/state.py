"""Whether an object's address leads to a server of the object, and whether one is ready.

A Notebook and a Tensorboard of one name want the same Service, and who comes second does not get it. Its address would
lead to the other's pod, with the token of the notebook or the word that files may be changed: such a route is not
served. Pure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from windlass.apis.access import Access
from windlass.apis.core_v1 import Service
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.gateway.proxy.entrances.lookup import entrance_of


@dataclass(frozen=True, slots=True)
class EntranceState:
    """Facts of the proxy about the address of an object."""

    conflict: str = ""
    """Why its Service is not its own; empty where it is, or there is none."""
    has_address: bool = True
    """Whether a ready pod is behind it. Without one the proxy answers that the object is not ready."""


EntranceStates: TypeAlias = Callable[[str, str], EntranceState]
"""By namespace and name of an object. Lists read it, so that they call nothing ready that the proxy does not enter."""

OPEN = EntranceState()


def all_open(namespace: str, name: str) -> EntranceState:
    return OPEN


def conflict_of(service: Service | None, access: Access | None) -> str:
    """Why the Service is not of the object that `access` names; empty where it is, and where nobody claims that."""
    entrance = entrance_of(access)
    if service is None or access is None or entrance is None:
        return ""
    owner, kind = service.metadata.controller, entrance.declared
    if owner is None:
        return f"{NAME_CONFLICT}: Service {service.metadata.name} exists and does not belong to this {kind.name}"
    if (owner.api_version.partition("/")[0], owner.kind, owner.name) == (kind.group, kind.name, access.name):
        return ""
    return f"{NAME_CONFLICT}: Service {service.metadata.name} belongs to {owner.kind} {owner.name}"
