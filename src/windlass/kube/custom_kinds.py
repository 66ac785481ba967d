"""Which custom kinds a server serves, learned from its CustomResourceDefinitions.

An informer whose kind is not served waits here instead of asking for it again and again. `CustomKinds` is the sink of
one watch of definitions, which all informers of a process share and which begins when the first of them has to wait.
Discovery is asked from time to time as well: for kinds that no definition declares (another API server's, or built-in
ones of a newer Kubernetes), and where definitions may not be watched.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TypeAlias

from windlass.kube import errors
from windlass.kube.discovery import Discovery
from windlass.kube.kind import Kind
from windlass.kube.meta import Key, Object, Struct
from windlass.kube.view import View

DISCOVERY_INTERVAL = timedelta(minutes=10)
DISCOVERY_INTERVAL_UNWATCHED = timedelta(minutes=1)

Resource: TypeAlias = tuple[str, str, str]
"""API group, version and plural."""


class Names(Struct):
    plural: str = ""


class Version(Struct):
    """A version of a definition. Its schema, which may be long, is not decoded."""

    name: str = ""
    served: bool = False


class DefinitionSpec(Struct):
    group: str = ""
    names: Names = Names()
    versions: list[Version] = []


class Condition(Struct):
    type: str = ""
    status: str = ""


class DefinitionStatus(Struct):
    conditions: list[Condition] = []


class Definition(Object):
    """A CustomResourceDefinition, as far as it says what is served."""

    spec: DefinitionSpec = DefinitionSpec()
    status: DefinitionStatus = DefinitionStatus()


DEFINITIONS = View(
    Kind(
        group="apiextensions.k8s.io",
        version="v1",
        name="CustomResourceDefinition",
        plural="customresourcedefinitions",
        namespaced=False,
    ),
    Definition,
)


def served_by(definition: Definition) -> frozenset[Resource]:
    """The resources that a server serves because of a definition; none before it is established."""
    if not any(each.type == "Established" and each.status == "True" for each in definition.status.conditions):
        return frozenset()
    spec = definition.spec
    return frozenset((spec.group, version.name, spec.names.plural) for version in spec.versions if version.served)


class CustomKinds:
    """`watch` starts a reflector of `DEFINITIONS` into this sink; None where they may not be read."""

    def __init__(self, discovery: Discovery, watch: Callable[[], None] | None) -> None:
        self._discovery, self._watch = discovery, watch
        self._served: dict[str, frozenset[Resource]] = {}
        self._is_current = False
        self._changed = asyncio.Event()

    async def until_served(self, kind: Kind) -> bool:
        """Wait until the server serves the kind. False at once where its definition says that it does already."""
        if self._watch is not None:
            self._watch()
            self._watch = None
        has_waited = False
        while not self._declares(kind):
            has_waited = True
            interval = DISCOVERY_INTERVAL if self._is_current else DISCOVERY_INTERVAL_UNWATCHED
            try:
                async with asyncio.timeout(interval.total_seconds()):
                    await self._changed.wait()
            except TimeoutError:
                if await self._is_discovered(kind, interval):
                    return True
        return has_waited

    def _declares(self, kind: Kind) -> bool:
        return (kind.group, kind.version, kind.plural) in self._served.get(kind.group_resource, ())

    async def _is_discovered(self, kind: Kind, interval: timedelta) -> bool:
        try:
            served = await self._discovery.kinds_of_last(interval / 2)
        except errors.ApiError:
            return False
        return any((kind.group, kind.version, kind.plural) == (k.group, k.version, k.plural) for k in served)

    # --- the sink

    def replace(self, objects: Iterable[Definition], /) -> None:
        self._served = {each.metadata.name: served_by(each) for each in objects}
        self._wake()

    def put(self, obj: Definition, /) -> None:
        self._served[obj.metadata.name] = served_by(obj)
        self._wake()

    def remove(self, key: Key, /) -> None:
        self._served.pop(key.name, None)

    def reached(self, version: str, /) -> None:
        self._is_current = True

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
