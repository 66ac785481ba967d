"""Conversion of training jobs on a cluster: v1 objects keep only fields that v1 knows."""

from functools import cache

from windlass.apis import crd
from windlass.apis.app import Prune
from windlass.apps.training.conversion import OLD_VERSIONS, STORED, convert
from windlass.apps.training.frameworks import BY_KIND
from windlass.kube.json import Object
from windlass.kube.schema import Schema, drop_unknown, from_crd


@cache
def _schema(kind: str) -> Schema:
    return from_crd(crd.schema(BY_KIND[kind].kind))


def _prune(obj: Object) -> None:
    """Remove fields that v1 does not know from a v1 object, in place."""
    drop_unknown(_schema(str(obj["kind"])), obj)


def convert_pruned(obj: Object, api_version: str, prune: Prune = _prune) -> Object:
    """Convert a job to another version; fields that v1 does not know are saved for the way back. Raises ValueError."""
    kind = str(obj.get("kind"))
    versions = (STORED, *OLD_VERSIONS.get(kind, ()))
    if len(versions) == 1:
        raise ValueError(f"there is no conversion for kind {kind}")
    for version in (str(obj.get("apiVersion")).rpartition("/")[2], api_version.rpartition("/")[2]):
        if version not in versions:
            raise ValueError(f'{kind} has no version "{version}": it has {", ".join(versions)}')
    return {**convert(obj, api_version, prune), "apiVersion": api_version}
