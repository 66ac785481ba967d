"""The topic `home`."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from windlass.apis.core_v1 import PersistentVolume, ResourceQuota
from windlass.gateway.request import Identity
from windlass.gateway.views.capacity import is_ready
from windlass.gateway.views.home.home_part import HomePart
from windlass.gateway.views.home.home_rows import Measured, attention_items, capacity_rows, is_well, quota_rows
from windlass.gateway.views.home.home_view import CapacityRow, home_struct
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import CLAIMS, EVENTS, NODES, PODS
from windlass.gateway.views.live_view import LiveView, NamespaceParams
from windlass.gateway.views.parts import View
from windlass.gateway.views.reading import name_of, text
from windlass.gateway.views.services import USAGE_TICK, ViewServices
from windlass.kube.json import dig
from windlass.kube.kind import KINDS, Kind

QUOTAS, VOLUMES = KINDS.of(ResourceQuota), KINDS.of(PersistentVolume)


class Home(LiveView):
    name, params = "home", NamespaceParams
    tick = USAGE_TICK
    is_personal = True
    reads_logs = True

    def __init__(self, parts: Sequence[HomePart]) -> None:
        self._parts = parts
        self.value = home_struct([part.rows for part in parts], [part.recent for part in parts])
        self._view: Callable[..., View] = self.value

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(want for part in self._parts for want in part.wants(params.namespace, served)),
            *(Want(kind, params.namespace) for kind in (PODS, EVENTS, CLAIMS, QUOTAS)),
            *(Want(kind, whole=True) for kind in (NODES, PODS, VOLUMES)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> View:
        now = datetime.now(UTC)
        shown = await asyncio.gather(*(part.compute(services, inputs, served, user, now) for part in self._parts))
        unwell = [item for part in shown for item in part.unwell]
        over = _gone(inputs, self._followed(served), served) | _well(inputs)
        return self._view(
            namespace=params.namespace,
            attention=attention_items(inputs.of(EVENTS), unwell, over, now),
            quotas=tuple(quota_rows(inputs.of(QUOTAS))),
            capacity=_capacity(services, inputs),
            **{name: tuple(rows) for part in shown for name, rows in part.fields.items()},
        )

    def _followed(self, served: Sequence[Kind]) -> list[Kind]:
        return [PODS, CLAIMS, *(kind for part in self._parts for kind in part.kinds(served))]


def _capacity(services: ViewServices, inputs: Inputs) -> tuple[CapacityRow, ...]:
    """Only sums are shown of what others have, so every user may see them."""
    nodes, pods = inputs.of(NODES, whole=True), inputs.of(PODS, whole=True)
    usage = services.usage_of_nodes(name_of(node) for node in nodes if is_ready(node))
    measured = Measured(
        cpu=_sum(one.cpu_cores for one in usage), memory=_sum(one.memory_bytes for one in usage), disk=services.disk()
    )
    return capacity_rows(nodes, pods, inputs.of(VOLUMES, whole=True), inputs.visible, measured)


def _sum(values: Iterable[float | None]) -> float | None:
    """Of all nodes; None while one of them has not been measured."""
    known = list(values)
    return sum(value for value in known if value is not None) if known and None not in known else None


def _well(inputs: Inputs) -> frozenset[str]:
    """Pods that have succeeded, or run without having failed: what kept them from starting is over."""
    return frozenset(text(dig(pod, "metadata", "uid")) for pod in inputs.of(PODS) if is_well(pod))


def _gone(inputs: Inputs, followed: Sequence[Kind], served: Sequence[Kind]) -> frozenset[str]:
    """Objects that events name and that do not exist any more, of the kinds that the view follows.

    Events name no group, so a kind whose name another one shares is left out: Kubernetes' Job is not Volcano's.
    """
    living = {text(dig(obj, "metadata", "uid")) for kind in followed for obj in inputs.of(kind)}
    groups = {(kind.group, kind.name) for kind in followed}
    names = {name for _, name in groups} - {kind.name for kind in served if (kind.group, kind.name) not in groups}
    named = {
        text(dig(event, "involvedObject", "uid"))
        for event in inputs.of(EVENTS)
        if dig(event, "involvedObject", "kind") in names
    }
    return frozenset(named - living)
