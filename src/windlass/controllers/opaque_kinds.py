"""In which form controllers see children whose data they do not read.

Controllers of jobs write the data of ConfigMaps and Secrets and read none, so they keep the metadata only: there may be
many of them, of up to a megabyte each.
"""

from typing import Any

from windlass.apis.core_v1 import ConfigMap, Secret
from windlass.kube.controller import Observed
from windlass.kube.meta import Object, PartialObjectMetadata
from windlass.kube.view import View, metadata_only, typed

OPAQUE_KINDS = (ConfigMap, Secret)


def form(kind: type[Object]) -> View[Any]:
    return metadata_only(kind) if kind in OPAQUE_KINDS else typed(kind)


def one(kind: type[Object], name: str, observed: Observed) -> Object | None:
    """By name, in the namespace of the job that is looked at; what is not read of it is empty."""
    found = observed.one(form(kind), name)
    return found if found is None else _shown(kind, found)


def children(kind: type[Object], observed: Observed) -> list[Object]:
    """Those that the job controls, by name."""
    return [_shown(kind, obj) for obj in observed.owned(form(kind))]


def _shown(kind: type[Object], obj: Object | PartialObjectMetadata) -> Object:
    return obj if isinstance(obj, Object) else kind(metadata=obj.metadata)
