"""An object as pages get it: JSON without what nobody reads, made once for all of them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from windlass.apis.wellknown import LAST_APPLIED_ANNOTATION
from windlass.kube import meta
from windlass.kube.errors import BadRequest
from windlass.kube.json import decode, dig, dig_object, encode
from windlass.kube.kind import Kind
from windlass.kube.selector import EVERYTHING, FieldSelector, LabelSelector, parse_fields, parse_labels
from windlass.kube.view import View, metadata_only

ANY_FIELDS = FieldSelector()
COMMON_FIELDS = ("metadata.name", "metadata.namespace")
MORE_FIELDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("", "events"): (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "reason",
        "type",
    ),
    ("", "pods"): ("spec.nodeName", "status.phase"),
}
"""By API group and plural: what a field selector may ask for beyond the name, of what Kubernetes itself allows."""


class Entry(meta.PartialObjectMetadata):
    """Which object it is, what selectors ask of it, and its JSON."""

    fields: tuple[str, ...] = ()
    """Values of the kind's `MORE_FIELDS`, in that order."""
    json: bytes = b""


class EntryView(View[Entry]):
    """Reads objects of any kind into entries."""

    __slots__ = ("_fields",)

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind, Entry)
        self._fields = tuple(tuple(name.split(".")) for name in MORE_FIELDS.get((kind.group, kind.plural), ()))

    def decode(self, body: bytes | msgspec.Raw) -> Entry:
        obj = decode(bytes(body))
        metadata = dig_object(obj, "metadata")
        metadata.pop("managedFields", None)
        annotations = metadata.get("annotations")
        if annotations and annotations.pop(LAST_APPLIED_ANNOTATION, None) is not None and not annotations:
            del metadata["annotations"]
        # Items of a list do not say what they are.
        whole = {"apiVersion": self.kind.api_version, "kind": self.kind.name, **obj}
        return Entry(
            metadata=meta.ObjectMeta(
                name=str(metadata.get("name") or ""),
                namespace=str(metadata.get("namespace") or ""),
                uid=str(metadata.get("uid") or ""),
                resource_version=str(metadata.get("resourceVersion") or ""),
                labels=dig_object(metadata, "labels"),
            ),
            fields=tuple(str(dig(obj, *path) or "") for path in self._fields),
            json=encode(whole),
        )


class MetadataView(View[Entry]):
    """Reads the metadata of objects of any kind into entries; labels and annotations are left out."""

    __slots__ = ("_metadata",)

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind, Entry)
        self._metadata = metadata_only(kind)

    @property
    def accept(self) -> str:
        return self._metadata.accept

    @property
    def accept_list(self) -> str:
        return self._metadata.accept_list

    def decode(self, body: bytes | msgspec.Raw) -> Entry:
        metadata = self._metadata.decode(body).metadata
        kept = meta.ObjectMeta(
            name=metadata.name,
            namespace=metadata.namespace,
            uid=metadata.uid,
            resource_version=metadata.resource_version,
            creation_timestamp=metadata.creation_timestamp,
            deletion_timestamp=metadata.deletion_timestamp,
            owner_references=metadata.owner_references,
        )
        return Entry(metadata=kept, json=b'{"metadata":%b}' % encode(kept))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries of a feed a subscription is about."""

    name: str = ""
    labels: LabelSelector = EVERYTHING
    fields: FieldSelector = ANY_FIELDS
    more_fields: tuple[str, ...] = ()

    def matches(self, metadata: meta.ObjectMeta, fields: tuple[str, ...]) -> bool:
        if self.name and metadata.name != self.name:
            return False
        if not self.labels.empty and not self.labels.matches(metadata.labels):
            return False
        if self.fields.empty:
            return True
        values = dict(zip(self.more_fields, fields, strict=True))
        values["metadata.name"], values["metadata.namespace"] = metadata.name, metadata.namespace
        return self.fields.matches(values)


def selection(kind: Kind, name: str, labels: str, fields: str) -> Selection:
    """Raises BadRequest for a selector that cannot be read or asks for another field."""
    more = MORE_FIELDS.get((kind.group, kind.plural), ())
    try:
        by_label, by_field = parse_labels(labels), parse_fields(fields)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    for field, _, _ in by_field.requirements:
        if field not in (*COMMON_FIELDS, *more):
            allowed = ", ".join((*COMMON_FIELDS, *more))
            raise BadRequest(f"fieldSelector: {field} is not supported for {kind.plural}; what is: {allowed}")
    exact = by_field.exact("metadata.name") or ""
    return Selection(name or exact, by_label, by_field, more)
