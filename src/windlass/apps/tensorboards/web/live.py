"""The topic `tensorboards`, and TensorBoards at home: which objects they need, and how these become a view."""

from collections.abc import Sequence
from datetime import UTC, datetime

from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.web.tensorboard_rows import tensorboards_view
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardRow, TensorboardsView
from windlass.gateway.request import Identity
from windlass.gateway.views.app_views import AppViews
from windlass.gateway.views.events import events_about
from windlass.gateway.views.home.home_part import HomePart, HomeRows
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import CLAIMS, EVENTS, PODS
from windlass.gateway.views.live_view import LiveView, NamespaceParams
from windlass.gateway.views.reading import name_of, namespace_of
from windlass.gateway.views.services import USAGE_TICK, ViewServices
from windlass.kube.kind import KINDS, Kind

BOARDS = KINDS.of(Tensorboard)


def _boards(services: ViewServices, inputs: Inputs, now: datetime) -> TensorboardsView:
    claims = {(namespace_of(one), name_of(one)) for one in inputs.of(CLAIMS)} if inputs.may_list(CLAIMS) else None
    return tensorboards_view(
        inputs.of(BOARDS),
        inputs.of(PODS),
        claims,
        events_about(inputs.of(EVENTS), BOARDS.name),
        services.usage_of(inputs.of(PODS)),
        now,
        services.context.proxy.entrances(BOARDS),
    )


class Tensorboards(LiveView):
    name, params, value = "tensorboards", NamespaceParams, TensorboardsView
    tick = USAGE_TICK

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, params.namespace, required=True) for kind in served if kind == BOARDS),
            *(Want(kind, params.namespace) for kind in (PODS, EVENTS, CLAIMS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> TensorboardsView:
        return _boards(services, inputs, datetime.now(UTC))


class TensorboardsAtHome(HomePart):
    rows = {"tensorboards": TensorboardRow}

    def kinds(self, served: Sequence[Kind]) -> list[Kind]:
        return [BOARDS]

    async def compute(
        self, services: ViewServices, inputs: Inputs, served: Sequence[Kind], user: Identity, now: datetime
    ) -> HomeRows:
        return HomeRows(fields={"tensorboards": _boards(services, inputs, now).rows})


VIEWS = AppViews(views=(Tensorboards(),), home=TensorboardsAtHome())
