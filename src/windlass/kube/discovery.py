"""Which kinds a server serves, asked of its aggregated discovery and remembered.

Needed for foreign kinds only: those declared in `windlass.apis` are known without asking. Servers older than aggregated
discovery are asked group by group.
"""

import asyncio
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from windlass.kube import errors
from windlass.kube.json import Object as Json
from windlass.kube.json import decode, dig, dig_list
from windlass.kube.kind import Kind
from windlass.kube.transport import Request

if TYPE_CHECKING:
    from windlass.kube.client import Client

ACCEPT = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
)
REFRESH_SECONDS = 10.0  # seconds in which a kind that was not found is not asked for again


class Discovery:
    """The served kinds. `find` asks again when it meets an unknown one: a CRD may have come since."""

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._kinds: tuple[Kind, ...] = ()
        self._asked_at = float("-inf")
        self._lock = asyncio.Lock()
        self.failed_groups: tuple[str, ...] = ()
        """Group versions that the last refresh could not read."""

    async def kinds(self) -> tuple[Kind, ...]:
        """Every served kind, in every served version, the preferred version of a group first."""
        return self._kinds or await self.refresh()

    async def kinds_of_last(self, period: timedelta) -> tuple[Kind, ...]:
        """The served kinds, asked for again unless that was done within the last `period`; callers share an answer."""
        async with self._lock:
            if time.monotonic() - self._asked_at > period.total_seconds():
                await self._ask()
            return self._kinds

    async def refresh(self) -> tuple[Kind, ...]:
        async with self._lock:
            await self._ask()
            return self._kinds

    async def _ask(self) -> None:
        failed: list[str] = []
        found: list[Kind] = []
        for root in ("/api", "/apis"):
            document = await self._get(root)
            if dig(document, "kind") == "APIGroupDiscoveryList":
                found += kinds_in_aggregated(document, failed)
            else:
                found += await self._by_group(root, document, failed)
        self._kinds, self.failed_groups, self._asked_at = tuple(found), tuple(failed), time.monotonic()

    async def find(self, api_version: str, kind: str) -> Kind:
        known = self._lookup(api_version, kind)
        if known is None and time.monotonic() - self._asked_at > REFRESH_SECONDS:
            await self.refresh()
            known = self._lookup(api_version, kind)
        if known is None:
            raise errors.NotFound(f'no matches for kind "{kind}" in version "{api_version}"')
        return known

    def _lookup(self, api_version: str, kind: str) -> Kind | None:
        return next((k for k in self._kinds if k.name == kind and k.api_version == api_version), None)

    async def _get(self, path: str) -> Json:
        return decode((await self._client.send(Request("GET", path, accept=ACCEPT))).body)

    async def _by_group(self, root: str, document: Json, failed: list[str]) -> list[Kind]:
        versions = [(f"{root}/{v}", "", str(v)) for v in dig_list(document, "versions")]
        for group in dig_list(document, "groups"):
            offered = [v["version"] for v in group["versions"]]
            first = dig(group, "preferredVersion", "version")
            offered.sort(key=lambda v, first=first: v != first)
            versions += [(f"{root}/{group['name']}/{v}", str(group["name"]), str(v)) for v in offered]
        found: list[Kind] = []
        for path, group, version in versions:
            try:
                found += kinds_in_list(await self._get(path), group, version)
            except errors.ApiError:
                failed.append(f"{group}/{version}" if group else version)
        return found


def kinds_in_aggregated(document: Json, failed: list[str]) -> list[Kind]:
    """The kinds of an APIGroupDiscoveryList; versions that its server marks stale are added to `failed`."""
    found: list[Kind] = []
    for group in dig_list(document, "items"):
        name = str(dig(group, "metadata", "name") or "")
        for version in dig_list(group, "versions"):
            if version.get("freshness") == "Stale":
                failed.append(f"{name}/{version['version']}")
            for resource in dig_list(version, "resources"):
                subresources = {str(s.get("subresource")) for s in dig_list(resource, "subresources")}
                found.append(_kind(resource, name, str(version["version"]), subresources))
    return found


def _kind(resource: Json, group: str, version: str, subresources: set[str]) -> Kind:
    name = str(dig(resource, "responseKind", "kind") or "")
    return Kind(
        group=group,
        version=version,
        name=name,
        plural=str(resource["resource"]),
        namespaced=resource.get("scope") == "Namespaced",
        singular=str(resource.get("singularResource") or ""),
        short=tuple(dig_list(resource, "shortNames")),
        categories=tuple(dig_list(resource, "categories")),
        status="status" in subresources,
        verbs=frozenset(dig_list(resource, "verbs")),
    )


def kinds_in_list(document: Json, group: str, version: str) -> list[Kind]:
    """The kinds of a legacy APIResourceList."""
    resources = dig_list(document, "resources")
    subresources = {str(r["name"]) for r in resources if "/" in r["name"]}
    return [
        Kind(
            group=group,
            version=version,
            name=str(r["kind"]),
            plural=str(r["name"]),
            namespaced=bool(r.get("namespaced")),
            singular=str(r.get("singularName") or ""),
            short=tuple(r.get("shortNames") or ()),
            categories=tuple(r.get("categories") or ()),
            status=f"{r['name']}/status" in subresources,
            verbs=frozenset(r.get("verbs") or ()),
        )
        for r in resources
        if "/" not in r["name"]
    ]
