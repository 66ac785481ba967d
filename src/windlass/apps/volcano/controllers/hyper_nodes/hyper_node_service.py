"""Keeps HyperNodes up to date as nodes come, go and change their labels; makes those that labels ask for."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec

from windlass.apis.core_v1 import ConfigMap, Node
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.apps.volcano.controllers.hyper_nodes import label_discovery as discovery
from windlass.apps.volcano.controllers.hyper_nodes.membership import Topology, status_of
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.kube.applier import merge_difference
from windlass.kube.controller import Runtime, Service
from windlass.kube.errors import AlreadyExists, ApiError, NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import wire
from windlass.kube.view import typed

NAME = "volcano-hypernode"
BATCH_SECONDS = 0.5  # seconds in which changes gather: the nodes of a cluster come all at once
HYPER_NODE, CONFIG_MAP = KINDS.of(HyperNode), KINDS.of(ConfigMap)
CONFIG_MAPS = typed(ConfigMap).narrowed(
    f"metadata.namespace={discovery.NAMESPACE},metadata.name={discovery.CONFIG_MAP}"
)
STATUSES, DISCOVERY = "statuses", "discovery"


class HyperNodes:
    """One reconcile covers all of them: the status of one depends on the others."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._api = runtime, runtime.api
        self._queue = runtime.queue(NAME)
        self._hyper_nodes, self._nodes = runtime.store(typed(HyperNode)), runtime.store(typed(Node))
        self._configs = runtime.store(CONFIG_MAPS)
        self._told: tuple[str, ...] = ()

    def start(self) -> None:
        for store in (self._hyper_nodes, self._nodes, self._configs):
            store.subscribe(self)
        self._runtime.work(NAME, self._queue, self.reconcile, 1)

    def added(self, _: Any, /) -> None:
        for what in (STATUSES, DISCOVERY):
            self._queue.add_after(what, BATCH_SECONDS)

    def changed(self, old: Any, new: Any, /) -> None:
        """The status of a node, which changes all the time, is of no account."""
        if not isinstance(new, Node) or old.metadata.labels != new.metadata.labels:
            self.added(new)

    deleted = added

    async def reconcile(self, what: str) -> timedelta | None:
        for store in (self._hyper_nodes, self._nodes, self._configs):
            await store.synced.wait()
        if what == STATUSES:
            await self._set_statuses()
        else:
            await self._discover()
        return None

    async def _set_statuses(self) -> None:
        known = list(self._hyper_nodes)
        if not known:
            return
        topology, now = Topology(known, self._nodes), self._runtime.now()
        for one in known:
            with suppress(NotFound), self._runtime.faults.contain(NAME, one, HYPER_NODE, passing=(ApiError,)):
                wanted = status_of(one, topology, now)
                difference = merge_difference(msgspec.to_builtins(one.status), msgspec.to_builtins(wanted))
                if difference:
                    await self._api.set_status(HYPER_NODE, one.metadata.key, difference)

    async def _discover(self) -> None:
        config = self._configs.get(Key(discovery.NAMESPACE, discovery.CONFIG_MAP))
        asked = discovery.configuration(config.data.get(discovery.KEY, "") if config is not None else "")
        if config is not None and asked.problems != self._told:
            for problem in asked.problems:
                self._runtime.warn(COMPONENT, config, CONFIG_MAP, "NetworkTopologyDiscovery", problem)
        self._told = asked.problems
        if asked.topologies is None:
            return
        wanted = {one.metadata.name: one for one in discovery.hyper_nodes(asked.topologies, self._nodes)}
        for one in wanted.values():
            await self._ensure(one)
        for one in self._hyper_nodes:
            if discovery.is_discovered(one.metadata.labels) and one.metadata.name not in wanted:
                with suppress(NotFound):
                    await self._api.delete(HYPER_NODE, one.metadata.key, uid=one.metadata.uid)

    async def _ensure(self, wanted: HyperNode) -> None:
        known = self._hyper_nodes.get(wanted.metadata.key)
        if known is None:
            with suppress(AlreadyExists):  # the cache is behind, and will say so
                await self._api.create(wanted)
        elif known.spec != wanted.spec:
            with suppress(NotFound):
                await self._api.patch(HYPER_NODE, wanted.metadata.key, {"spec": wire(wanted)["spec"]})


CONTROLLER = Service(NAME, lambda runtime: HyperNodes(runtime).start())
