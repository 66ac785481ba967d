"""In which form the objects of a kind are read: as its typed struct, as plain JSON, or their metadata only.

`View` is what the client and the informers work with; `view(...)` makes one from whatever the caller has. Views of the
same kind and form are equal, so that two controllers share one informer.
"""

from functools import lru_cache
from typing import Any, Generic, TypeVar, cast, overload

import msgspec

from windlass.kube import meta
from windlass.kube.faults import Faults
from windlass.kube.json import Object as Json
from windlass.kube.json import decode, is_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import PartialObjectMetadata
from windlass.kube.objects import AnyObject, without_nulls

K = TypeVar("K", bound=meta.Object)
T = TypeVar("T", bound=AnyObject)

JSON = "application/json"
AS_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
AS_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class RawList(meta.Struct):
    """A list answer whose items are still bytes."""

    metadata: meta.ListMeta = meta.ListMeta()
    items: list[msgspec.Raw] | None = None


class _Name(meta.Struct):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class _Named(meta.Struct):
    """What says which object it is, whatever the rest of it is like."""

    metadata: _Name = _Name()


_raw_list = msgspec.json.Decoder(RawList)
_named = msgspec.json.Decoder(_Named)


class View(Generic[T]):
    """How to ask for objects of `kind` and what to decode them into (`form`).

    `fields` and `labels` are selectors, where only some of them are wanted.
    """

    __slots__ = ("_decoder", "fields", "form", "kind", "labels")

    def __init__(self, kind: Kind, form: type[T], fields: str = "", labels: str = "") -> None:
        self.kind = kind
        self.form = form
        self.fields = fields
        self.labels = labels
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self._identity == cast(View[Any], other)._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Kind, type[T], str, str]:
        return self.kind, self.form, self.fields, self.labels

    def narrowed(self, fields: str = "", *, labels: str = "") -> "View[T]":
        """Only those that the selectors match; an informer of it keeps nothing else in memory."""
        return View(self.kind, self.form, fields, labels)

    @property
    def is_narrow(self) -> bool:
        return bool(self.fields or self.labels)

    @property
    def lacks(self) -> tuple[bool, bool]:
        """Whether it leaves objects out, and parts of them: of two views of a kind, the lesser shows more."""
        return self.is_narrow, self.form is PartialObjectMetadata

    def __repr__(self) -> str:
        return f"View({self.kind}, {self.form.__name__}, {self.fields!r}, {self.labels!r})"

    @property
    def accept(self) -> str:
        return f"{AS_METADATA},{JSON}" if self.form is PartialObjectMetadata else JSON

    @property
    def accept_list(self) -> str:
        return f"{AS_METADATA_LIST},{JSON}" if self.form is PartialObjectMetadata else JSON

    def decode(self, body: bytes | msgspec.Raw) -> T:
        try:
            return self._decoder.decode(body)
        except msgspec.ValidationError:
            return msgspec.convert(without_nulls(decode(bytes(body))), self.form)

    def decode_list(self, body: bytes, faults: Faults | None = None) -> tuple[list[T], meta.ListMeta]:
        """The items that can be decoded, and where the list stands; the others are reported to `faults`."""
        page, faults = _raw_list.decode(body), faults or Faults()
        items = [item for raw in page.items or () if (item := self.decode_or_skip(raw, faults)) is not None]
        if self.form is dict:  # items of a list do not say what they are
            for item in items:
                if is_object(item):
                    item.setdefault("apiVersion", self.kind.api_version)
                    item.setdefault("kind", self.kind.name)
        return items, page.metadata

    def decode_or_skip(self, raw: bytes | msgspec.Raw, faults: Faults) -> T | None:
        """The object; None where it does not fit its declaration, which is reported to `faults`.

        A status that does not fit is left out: conversion from an old version may keep one that no schema has checked,
        and the object's controller writes it again.
        """
        try:
            return self.decode(raw)
        except Exception as error:  # noqa: BLE001 - it is reported, and the other objects must be read
            try:
                return self._decode_without_status(raw)
            except (msgspec.MsgspecError, ValueError, TypeError):
                faults.report("decoding", error, named(raw), self.kind)
                return None

    def _decode_without_status(self, raw: bytes | msgspec.Raw) -> T:
        obj: Json = without_nulls(decode(bytes(raw)))
        return msgspec.convert({name: value for name, value in obj.items() if name != "status"}, self.form)


def named(raw: bytes | msgspec.Raw) -> PartialObjectMetadata:
    """Which object it is, of one that cannot be decoded."""
    found = _named.decode(raw).metadata
    return PartialObjectMetadata(
        metadata=meta.ObjectMeta(
            name=found.name, namespace=found.namespace, uid=found.uid, resource_version=found.resource_version
        )
    )


PARTIAL = msgspec.json.Decoder(PartialObjectMetadata)


@lru_cache(maxsize=2048)
def _view(kind: Kind, form: type) -> View[Any]:
    return View(kind, form)


def typed(struct: type[K]) -> View[K]:
    return _view(KINDS.of(struct), struct)


def untyped(kind: Kind) -> View[Json]:
    return _view(kind, dict)


def metadata_only(kind: Kind | type[meta.Object]) -> View[PartialObjectMetadata]:
    return _view(kind if isinstance(kind, Kind) else KINDS.of(kind), PartialObjectMetadata)


@overload
def view(of: type[K]) -> View[K]: ...
@overload
def view(of: Kind) -> View[Json]: ...
@overload
def view(of: View[T]) -> View[T]: ...
def view(of: Any) -> View[Any]:
    """The view of a declared struct (typed), of a kind (plain JSON), or the view itself."""
    if isinstance(of, View):
        return cast(View[Any], of)
    return untyped(of) if isinstance(of, Kind) else typed(of)
