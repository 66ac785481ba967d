"""The topic `volumes`: which objects it needs, and how these become a view."""

from collections.abc import Sequence
from datetime import timedelta

from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.web.consumers import BOARDS, NOTEBOOKS, workload_kinds
from windlass.apps.volumes.web.volume_rows import VolumeObjects, volumes_view
from windlass.apps.volumes.web.volume_view import VolumesView
from windlass.gateway.request import Identity
from windlass.gateway.views.app_views import AppViews
from windlass.gateway.views.events import events_about
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import CLAIMS, EVENTS, PODS
from windlass.gateway.views.live_view import LiveView, NamespaceParams
from windlass.gateway.views.services import ViewServices
from windlass.kube.kind import KINDS, Kind

VIEWERS = KINDS.of(PVCViewer)


class Volumes(LiveView):
    name, params, value = "volumes", NamespaceParams, VolumesView
    tick = timedelta(seconds=30)

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            Want(CLAIMS, params.namespace, required=True),
            *(Want(kind, params.namespace) for kind in (EVENTS, *self._consumers(served))),
            *(Want(kind, params.namespace) for kind in served if kind == VIEWERS),
        ]

    def _consumers(self, served: Sequence[Kind]) -> list[Kind]:
        apps = [kind for kind in served if kind in (NOTEBOOKS, BOARDS)]
        return [PODS, *apps, *workload_kinds(served)]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> VolumesView:
        objects = VolumeObjects(
            claims=inputs.of(CLAIMS),
            viewers=inputs.of(VIEWERS),
            consumers=[(kind, inputs.of(kind)) for kind in self._consumers(served)],
            usage=await services.volume_use(),
        )
        entrances = services.context.proxy.entrances(VIEWERS)
        return volumes_view(objects, events_about(inputs.of(EVENTS), CLAIMS.name), entrances)


VIEWS = AppViews(views=(Volumes(),))
