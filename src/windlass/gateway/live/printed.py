"""Objects as the server prints them for `kubectl get`: rows of a Table, each with its object's metadata.

A page that lists objects needs their cells and not the objects. The server prints a row for each change, so that a
list is read once, however long it is and however often it changes.
"""

from collections.abc import Iterable

import msgspec

from windlass.gateway.live.entries import Entry
from windlass.kube import meta
from windlass.kube.informer import Reflector
from windlass.kube.json import Object, decode, dig_list, dig_object, encode
from windlass.kube.kind import Kind
from windlass.kube.view import Faults, View

AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
SHOWN_METADATA = (
    "name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "labels",
)  # fmt: skip


class PrintedView(View[Entry]):
    """Reads Tables into entries, whose JSON is `{"metadata", "cells"}`."""

    __slots__ = ()

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind, Entry)

    @property
    def accept(self) -> str:
        return AS_TABLE

    @property
    def accept_list(self) -> str:
        return AS_TABLE

    def decode(self, body: bytes | msgspec.Raw) -> Entry:
        """The one row of a change."""
        return next(iter(_entries(decode(bytes(body)))))

    def decode_list(self, body: bytes, faults: Faults | None = None) -> tuple[list[Entry], meta.ListMeta]:
        table = decode(body)
        return list(_entries(table)), msgspec.convert(dig_object(table, "metadata"), meta.ListMeta)


def _entries(table: Object) -> Iterable[Entry]:
    for row in dig_list(table, "rows"):
        metadata = dig_object(row, "object", "metadata")
        shown = {name: metadata[name] for name in SHOWN_METADATA if metadata.get(name)}
        yield Entry(
            metadata=meta.ObjectMeta(
                name=str(metadata.get("name") or ""),
                namespace=str(metadata.get("namespace") or ""),
                uid=str(metadata.get("uid") or ""),
                resource_version=str(metadata.get("resourceVersion") or ""),
                labels=dig_object(metadata, "labels"),
            ),
            json=encode({"metadata": shown, "cells": dig_list(row, "cells")}),
        )


class PrintedReflector(Reflector[Entry]):
    """Begins with a list: not every server marks the end of the first rows of a watch that prints them."""

    async def _follow(self) -> None:
        if not self._version:
            await self._list()
        await self._watch()
