"""Conversion of a resource between its served and its stored version, including conversion webhooks.

Most conversions are functions (`Resource.to_storage`, `Resource.from_storage`) that the verbs call directly. If a
CustomResourceDefinition has a conversion webhook, its other versions have a `RemoteConversion` instead: the verbs await
`fetch` for the rows that they are about to load, and `to_storage` for an object that they are about to write.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

from windlass.apiserver.api import Api
from windlass.apiserver.crds.conversion import TIMEOUT_SECONDS, Conversion
from windlass.apiserver.resources import Resource
from windlass.apiserver.store import Row
from windlass.apiserver.webhook_client import post_review
from windlass.kube.json import Object, decode, encode

_numbers = count()


class RemoteConversion:
    """Conversion between a served version of a custom resource and its stored versions, by the definition's webhook."""

    def __init__(self, api: Api, resource: Resource, conversion: Conversion) -> None:
        self._api = api
        self._conversion = conversion
        self._api_version = resource.api_version
        self._mark = f"{resource.version}/{next(_numbers)}"  # another one for another webhook
        self.at_rest = replace(resource, version=resource.storage_version, to_storage=None, from_storage=None)
        """The resource in its storage version, which may not be served, for verbs that work on any version."""

    async def convert(self, objects: Sequence[Object], api_version: str) -> list[Object]:
        return await self._conversion.convert(objects, api_version, self._ask)

    async def _ask(self, config: Object, review: Object) -> Object:
        return await post_review(self._api, config, review, TIMEOUT_SECONDS)

    async def fetch(self, rows: Iterable[Row]) -> None:
        """Convert rows that are not converted yet, with one request; the rows keep the results."""
        missing = [row for row in rows if not row.converted or self._mark not in row.converted]
        if not missing:
            return
        found = await self.convert([decode(row.value) for row in missing], self._api_version)
        for row, obj in zip(missing, found, strict=True):
            row.converted = {**(row.converted or {}), self._mark: encode(obj)}

    def converted(self, row: Row) -> bytes:
        """Return a row's object in this version, after `fetch`."""
        assert row.converted is not None, f"{row.key} was not fetched"
        return row.converted[self._mark]

    async def to_storage(self, obj: Object) -> Object:
        (stored,) = await self.convert([obj], self.at_rest.api_version)
        return stored


async def between(objects: Sequence[Object], source: Resource, target: Resource) -> Sequence[Object]:
    """Convert objects from one version of a resource to another."""
    if source.api_version == target.api_version:
        return objects
    remote = source.conversion or target.conversion
    if remote is not None:
        return await remote.convert(objects, target.api_version)
    stored = objects if source.to_storage is None else [source.to_storage(obj) for obj in objects]
    return stored if target.from_storage is None else [target.from_storage(obj) for obj in stored]
