"""Objects as the server prints them for `kubectl get`: rows of a Table, each with its object's metadata.

A page that lists objects needs their cells and not the objects. The server prints a row for each change, so that a
list is read once, however long it is and however often it changes.
"""

import msgspec

from windlass.gateway.live.entries import Entry
from windlass.gateway.live.feeds import Feed
from windlass.kube import meta
from windlass.kube.client import Client
from windlass.kube.errors import Gone
from windlass.kube.informer import Reflector
from windlass.kube.json import encode
from windlass.kube.kind import Kind
from windlass.kube.view import Faults, View

AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class ShownMetadata(meta.Struct):
    """What pages get of an object's metadata. The rest, which is most of it, is not even decoded."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: dict[str, str] | None = None


class RowObject(meta.Struct):
    metadata: ShownMetadata


class Row(meta.Struct):
    object: RowObject
    cells: msgspec.Raw


class Table(meta.Struct):
    metadata: meta.ListMeta = meta.ListMeta()
    rows: list[Row] | None = None


_table = msgspec.json.Decoder(Table)


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
        return _entry((_table.decode(body).rows or [])[0])

    def decode_list(self, body: bytes, faults: Faults | None = None) -> tuple[list[Entry], meta.ListMeta]:
        table = _table.decode(body)
        return [_entry(row) for row in table.rows or ()], table.metadata


def _entry(row: Row) -> Entry:
    shown = row.object.metadata
    return Entry(
        metadata=meta.ObjectMeta(
            name=shown.name,
            namespace=shown.namespace,
            uid=shown.uid,
            resource_version=shown.resource_version,
            labels=shown.labels or {},
        ),
        json=b'{"metadata":%b,"cells":%b}' % (encode(shown), bytes(row.cells)),
    )


class PrintedReflector(Reflector[Entry]):
    """Begins with a list: not every server marks the end of the first rows of a watch that prints them.

    Printing a long list takes seconds, so that the feed gets each page of its first list as it arrives.
    """

    def __init__(self, client: Client, of: PrintedView, feed: Feed, *, namespace: str = "") -> None:
        super().__init__(client, of, feed, namespace=namespace)
        self._feed = feed

    async def _follow(self) -> None:
        if not self._version:
            await self._list()
        await self._watch()

    async def _list(self) -> None:
        if self._feed.is_synced:
            await super()._list()
            return
        rows: list[Entry] = []
        version = ""
        try:
            async for page in self._client.pages(self._of, self._namespace):
                for row in page.items:
                    self._share(row)
                rows += page.items
                version = page.resource_version
                self._feed.fill(page.items)
        except Gone:  # `list` asks for everything at once where pages expire
            await super()._list()
            return
        self._feed.replace(rows)
        self._observed_version(version)
