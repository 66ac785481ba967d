"""Serves CustomResourceDefinitions: a stored definition becomes served resources and gets a status."""

import asyncio
from dataclasses import replace
from typing import Any

import msgspec

from windlass.apiserver.api import Api
from windlass.apiserver.conversions import RemoteConversion
from windlass.apiserver.crds.serve import CustomStrategy, crd_status, resources_of
from windlass.apiserver.internal import modify, resource_of
from windlass.apiserver.resources import Resource
from windlass.apiserver.store import Row
from windlass.kube.json import Object, decode, dig, dig_list, dig_object
from windlass.kube.structural import sharing

CRDS = "apiextensions.k8s.io/customresourcedefinitions"


class _Spec(msgspec.Struct):
    group: str = ""


class _Outline(msgspec.Struct):
    """The parts of a definition that others need; the schemas, which are nearly all of it, are not decoded."""

    spec: _Spec
    status: dict[str, Any] = {}


class CustomResources:
    """Keeps the registry in sync with the stored definitions. Used on the server's event loop only."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._served: dict[str, tuple[str, str]] = {}
        self._outlines: dict[str, tuple[Row, Object]] = {}
        self._schemas: dict[tuple[str, str], tuple[Object, int]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._settling: set[str] = set()

    def load(self) -> None:
        """Serve the established definitions and resume unfinished deletions at startup, on the event loop."""
        for row in list(self._api.store.newest_rows(CRDS)):
            crd: Object = decode(row.value)
            with self._api.faults.contain(f"reaction to {CRDS}", crd, None):
                self._serve(crd)
                self._settle(crd)

    def react(self, crd: Object, gone: bool) -> None:
        name = crd["metadata"]["name"]
        if gone:
            self._withdraw(name)
            self._outlines.pop(name, None)
            self._schemas = {key: known for key, known in self._schemas.items() if key[0] != name}
        else:
            self._serve(crd)
            self._settle(crd)
        self._settle_waiting(crd)

    def _others(self, name: str) -> list[Object]:
        """Outlines of all other definitions."""
        rows = list(self._api.store.newest_rows(CRDS))
        return [self._outline(row) for row in rows if row.key[2] != name]

    def _outline(self, row: Row) -> Object:
        name = row.key[2]
        known = self._outlines.get(name)
        if known is None or known[0] is not row:
            read = msgspec.json.decode(row.value, type=_Outline)
            outline: Object = {"metadata": {"name": name}, "spec": {"group": read.spec.group}, "status": read.status}
            known = self._outlines[name] = row, outline
        return known[1]

    def _serve(self, crd: Object) -> None:
        name = crd["metadata"]["name"]
        self._withdraw(name)
        status = crd_status(crd, self._others(name))
        if not _is_true(status, "Established"):
            return
        for version in dig_list(crd, "spec", "versions"):
            sharing(dig_object(version, "schema", "openAPIV3Schema"))
        for resource in resources_of(crd):
            self._api.registry.add(self._convertible(self._conforming(crd, resource)))
        self._served[name] = (crd["spec"]["group"], crd["spec"]["names"]["plural"])

    def _conforming(self, crd: Object, resource: Resource) -> Resource:
        """The resource with the revision since which all objects were written under its current schema."""
        assert isinstance(resource.strategy, CustomStrategy)
        schema, key = resource.strategy.structural.raw, (crd["metadata"]["name"], resource.version)
        known = self._schemas.get(key)
        if known is None:
            since = int(crd["metadata"]["resourceVersion"])
        else:
            since = known[1] if known[0] == schema else self._api.store.next_revision
        self._schemas[key] = schema, since  # the served one even if it is equal, so that only one of them is kept
        return replace(resource, conformed_since=since)

    def _convertible(self, resource: Resource) -> Resource:
        """The resource with its conversion webhook, if it has one and needs it."""
        strategy = resource.strategy
        if not isinstance(strategy, CustomStrategy) or not strategy.conversion.by_webhook:
            return resource
        if resource.from_storage is None:
            return resource
        return replace(resource, conversion=RemoteConversion(self._api, resource, strategy.conversion))

    def _withdraw(self, name: str) -> None:
        served = self._served.pop(name, None)
        if served is not None:
            self._api.registry.remove(*served)

    def _settle(self, crd: Object) -> None:
        """Write the status that the definition should have, if it differs."""
        name = crd["metadata"]["name"]
        if name in self._settling or crd_status(crd, self._others(name)) == dig_object(crd, "status"):
            return
        self._settling.add(name)
        task = asyncio.get_running_loop().create_task(self._write_status(name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _settle_waiting(self, changed: Object) -> None:
        """Update definitions that wait for names of a changed or deleted one."""
        for other in self._others(changed["metadata"]["name"]):
            name = other["metadata"]["name"]
            waits = name not in self._settling and not _is_true(dig_object(other, "status"), "NamesAccepted")
            if waits and dig(other, "spec", "group") == dig(changed, "spec", "group"):
                row = self._api.store.newest((CRDS, "", name))
                if row is not None:
                    crd: Object = decode(row.value)
                    self._serve(crd)
                    self._settle(crd)

    async def _write_status(self, name: str) -> None:
        def change(crd: Object) -> Object:
            self._settling.discard(name)  # what happens from now on is not in this status
            crd["status"] = crd_status(crd, self._others(name))
            return crd

        resource = resource_of(self._api, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
        try:
            await modify(self._api, resource, "", name, change, "status")
        finally:
            self._settling.discard(name)


def _is_true(status: Object, kind: str) -> bool:
    return any(c.get("type") == kind and c.get("status") == "True" for c in dig_list(status, "conditions"))
