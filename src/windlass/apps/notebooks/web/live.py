"""The topic `notebooks`, and notebooks at home: which objects they need, and how these become a view."""

from collections.abc import Sequence
from datetime import UTC, datetime

from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.options import Options
from windlass.apps.notebooks.web.notebook_rows import notebooks_view
from windlass.apps.notebooks.web.notebook_view import NotebookRow, NotebooksView, RecentFile
from windlass.apps.notebooks.web.recent_files import recent_files
from windlass.apps.notebooks.web.spawner_config import gpu_vendors
from windlass.gateway.request import Identity
from windlass.gateway.views.app_views import AppViews
from windlass.gateway.views.events import events_about
from windlass.gateway.views.home.home_part import HomePart, HomeRows
from windlass.gateway.views.home.home_view import AttentionItem
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import EVENTS, PODS
from windlass.gateway.views.links import object_page
from windlass.gateway.views.live_view import LiveView, NamespaceParams
from windlass.gateway.views.parts import ObjectRef, Why
from windlass.gateway.views.services import USAGE_TICK, ViewServices
from windlass.kube.kind import KINDS, Kind

NOTEBOOKS = KINDS.of(Notebook)
RUNNING_PHASES = ("ready", "waiting", "warning", "unavailable")


def _notebooks(services: ViewServices, inputs: Inputs, now: datetime) -> NotebooksView:
    return notebooks_view(
        inputs.of(NOTEBOOKS),
        inputs.of(PODS),
        events_about(inputs.of(EVENTS), NOTEBOOKS.name),
        services.usage_of(inputs.of(PODS)),
        gpu_vendors(services.context),
        services.context.settings.options_of(Options),
        now,
        services.context.proxy.entrances(NOTEBOOKS),
    )


class Notebooks(LiveView):
    name, params, value = "notebooks", NamespaceParams, NotebooksView
    tick = USAGE_TICK

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, params.namespace, required=True) for kind in served if kind == NOTEBOOKS),
            *(Want(kind, params.namespace) for kind in (PODS, EVENTS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> NotebooksView:
        return _notebooks(services, inputs, datetime.now(UTC))


class NotebooksAtHome(HomePart):
    rows = {"notebooks": NotebookRow}
    recent = {"recent_files": RecentFile}

    def kinds(self, served: Sequence[Kind]) -> list[Kind]:
        return [NOTEBOOKS]

    async def compute(
        self, services: ViewServices, inputs: Inputs, served: Sequence[Kind], user: Identity, now: datetime
    ) -> HomeRows:
        rows = _notebooks(services, inputs, now).rows
        return HomeRows(
            fields={
                "notebooks": [row for row in rows if row.status.phase in RUNNING_PHASES],
                "recent_files": await recent_files(services.context, user, inputs.of(NOTEBOOKS)),
            },
            unwell=[_attention(row, row.why) for row in rows if row.why is not None],
        )


def _attention(row: NotebookRow, why: Why) -> AttentionItem:
    ref = ObjectRef(api_version="kubeflow.org/v1", kind="Notebook", namespace=row.namespace, name=row.name, uid=row.uid)
    link = object_page(ref.api_version, ref.kind, ref.namespace, ref.name)
    return AttentionItem(object=ref, why=why, count=0, last=row.age or "", link=link)


VIEWS = AppViews(views=(Notebooks(),), home=NotebooksAtHome())
