"""The topic `queues`: which objects it needs, and how these become a view."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.apps.volcano.web.queue_rows import QueueObjects, queues_view
from windlass.apps.volcano.web.queue_view import QueuesView
from windlass.gateway.request import Identity
from windlass.gateway.views.app_views import AppViews
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import NODES, PODS, PRIORITIES, group_kinds
from windlass.gateway.views.live_view import LiveView, NoParams
from windlass.gateway.views.services import ViewServices
from windlass.kube.kind import KINDS, Kind

QUEUES = KINDS.of(Queue)


class Queues(LiveView):
    name, params, value = "queues", NoParams, QueuesView
    tick = timedelta(seconds=30)

    def wants(self, params: NoParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, whole=True) for kind in served if kind == QUEUES),
            *(Want(kind, whole=True) for kind in group_kinds(served)),
            *(Want(kind, whole=True) for kind in (PRIORITIES, NODES, PODS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NoParams, served: Sequence[Kind], user: Identity
    ) -> QueuesView:
        objects = QueueObjects(
            queues=inputs.of(QUEUES, whole=True),
            groups=[group for kind in group_kinds(served) for group in inputs.of(kind, whole=True)],
            priorities=inputs.of(PRIORITIES, whole=True),
            nodes=inputs.of(NODES, whole=True),
            pods=inputs.of(PODS, whole=True),
        )
        return queues_view(objects, inputs.visible, datetime.now(UTC))


VIEWS = AppViews(views=(Queues(),))
