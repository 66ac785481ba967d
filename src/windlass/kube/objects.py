"""Objects in either form, typed struct or plain JSON, looked at and sent the same way."""

from typing import Any, TypeAlias, cast

import msgspec

from windlass.kube import meta
from windlass.kube.json import Object as Json
from windlass.kube.json import is_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, ObjectMeta, OwnerReference

AnyObject: TypeAlias = meta.Object | meta.PartialObjectMetadata | Json


def key_of(obj: AnyObject) -> Key:
    if is_object(obj):
        metadata = obj["metadata"]
        return Key(metadata.get("namespace") or "", metadata["name"])
    metadata = _struct(obj).metadata
    return Key(metadata.namespace, metadata.name)


def uid_of(obj: AnyObject) -> str:
    return obj["metadata"].get("uid") or "" if is_object(obj) else _struct(obj).metadata.uid


def version_of(obj: AnyObject) -> str:
    return obj["metadata"].get("resourceVersion") or "" if is_object(obj) else _struct(obj).metadata.resource_version


def labels_of(obj: AnyObject) -> dict[str, str]:
    return obj["metadata"].get("labels") or {} if is_object(obj) else _struct(obj).metadata.labels


def is_deleting(obj: AnyObject) -> bool:
    if is_object(obj):
        return bool(obj["metadata"].get("deletionTimestamp"))
    return bool(_struct(obj).metadata.deletion_timestamp)


def owners_of(obj: AnyObject) -> list[OwnerReference]:
    if is_object(obj):
        return msgspec.convert(obj["metadata"].get("ownerReferences") or [], list[OwnerReference])
    return _struct(obj).metadata.owner_references


def controller_of(obj: AnyObject) -> OwnerReference | None:
    return next((owner for owner in owners_of(obj) if owner.controller), None)


def metadata_of(obj: AnyObject) -> ObjectMeta:
    return msgspec.convert(without_nulls(obj["metadata"]), ObjectMeta) if is_object(obj) else _struct(obj).metadata


def wire(obj: AnyObject) -> Json:
    """The object as JSON, with `apiVersion` and `kind`; a dict is returned as it is."""
    if is_object(obj):
        return obj
    declared = KINDS.of(type(obj))
    return {"apiVersion": declared.api_version, "kind": declared.name, **msgspec.to_builtins(obj)}


def desired(obj: AnyObject) -> Json:
    """What people say of the object: all of it but its status and what the server writes into its metadata."""
    metadata = metadata_of(obj)
    whole: Json = obj if is_object(obj) else msgspec.to_builtins(obj)
    stated = {name: value for name, value in whole.items() if name not in ("metadata", "status")}
    return {**stated, "labels": metadata.labels, "annotations": metadata.annotations}


def declared_kind(obj: AnyObject) -> Kind | None:
    """The kind that an object says it is, where Windlass declares it."""
    if is_object(obj):
        return KINDS.find(str(obj.get("apiVersion") or ""), str(obj.get("kind") or ""))
    return KINDS.of(type(obj))


def owner_reference(owner: AnyObject, kind: Kind, *, controller: bool = True) -> OwnerReference:
    """A reference that makes its holder a dependent of `owner`, and `owner` wait for it in a foreground deletion."""
    return OwnerReference(
        api_version=kind.api_version,
        kind=kind.name,
        name=key_of(owner).name,
        uid=uid_of(owner),
        controller=controller or None,
        block_owner_deletion=True,
    )


def without_nulls(value: Any) -> Any:
    """`value` without members that are null: Go programs write null where they mean absent."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in cast(Json, value).items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in cast(list[Any], value)]
    return value


def _struct(obj: AnyObject) -> meta.Object:
    return cast(meta.Object, obj)  # the dict was ruled out, and both structs have the same metadata
