"""What the status of objects says about how they are, read again only when an object has changed."""

import asyncio
from collections.abc import Sequence
from typing import Any

from windlass.gateway.views.object_tree import Found
from windlass.kube.client import Client
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.json import dig, dig_object

PARALLEL_REQUESTS = 8
MAX_KNOWN = 2000
STATUS_FIELDS = (
    "phase", "reason", "message", "conditions", "replicas", "readyReplicas", "desiredNumberScheduled", "numberReady",
    "containerStatuses", "initContainerStatuses",
)  # fmt: skip
STATELESS = frozenset(
    {"configmaps", "controllerrevisions", "endpoints", "endpointslices", "networkpolicies", "rolebindings", "roles",
     "secrets", "serviceaccounts", "services", "virtualservices"}
)  # fmt: skip
"""Resources without a status that says how they are: it is not read."""


class StatusReader:
    """Shared by all users: what is asked for are objects whose metadata the user may list."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, dict[str, Any]]] = {}

    async def read(self, client: Client, found: Sequence[Found]) -> dict[str, dict[str, Any]]:
        """The parts of each status that matter, by the uid of the object; of objects that have gone, nothing."""
        if len(self._known) > MAX_KNOWN:
            self._known.clear()
        turn = asyncio.Semaphore(PARALLEL_REQUESTS)

        async def one(each: Found) -> None:
            async with turn:
                await self._read(client, each)

        await asyncio.gather(*(one(each) for each in found if self._is_missing(each)))
        return {each.uid: self._known[each.uid][1] for each in found if each.uid in self._known}

    def _is_missing(self, one: Found) -> bool:
        if one.kind.plural in STATELESS:
            return False
        known = self._known.get(one.uid)
        return known is None or known[0] != one.metadata.resource_version

    async def _read(self, client: Client, one: Found) -> None:
        try:
            obj = await client.get(one.kind, one.metadata.name, one.metadata.namespace)
        except (NotFound, Forbidden):
            self._known.pop(one.uid, None)
            return
        status = dig_object(obj, "status")
        version = str(dig(obj, "metadata", "resourceVersion") or "")
        self._known[one.uid] = version, {name: status[name] for name in STATUS_FIELDS if name in status}
