"""The controllers of Workflows, which the manager runs. Their code is loaded with the first Workflow."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.apps.pipelines.kinds.argo import CronWorkflow
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.watches import ARGO_WORKFLOWS, CHILDREN, V1_WORKFLOWS
from windlass.kube.api import Api
from windlass.kube.controller import AnyController, Controller, Observed, Service
from windlass.kube.meta import Key
from windlass.kube.on_demand import always, on_demand
from windlass.kube.plan import Plan

if TYPE_CHECKING:
    from windlass.apps.pipelines.history import OpenHistory
    from windlass.apps.pipelines.runs.workflows.output_cache import WorkflowCache
    from windlass.apps.pipelines.runs.workflows.pod_logs import OpenLogs
    from windlass.apps.pipelines.runs.workflows.pod_transfers import WorkflowTransfers
    from windlass.apps.pipelines.runs.workflows.store_places import WorkflowPlaces


def workflow_controllers(
    options: PipelineOptions, open_history: "OpenHistory | None" = None, open_logs: "OpenLogs | None" = None
) -> tuple[AnyController, ...]:
    """The controllers to run. v1 runs reuse outputs, and logs are kept, where there is a database."""
    volumes = options.volumes

    def folders(api: Api) -> ClaimFolders:
        return ClaimFolders(api, Path(volumes))

    def cache(folders: ClaimFolders) -> "WorkflowCache":
        from windlass.apps.pipelines.runs.workflows.output_cache import RecordedOutputs

        assert open_history is not None
        return RecordedOutputs(options, open_history, folders)

    def transfers(api: Api) -> "WorkflowTransfers":
        from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
        from windlass.apps.pipelines.runs.artifacts.exchanges import remote_store
        from windlass.apps.pipelines.runs.workflows.pod_transfers import WorkflowTransfers

        settings = StoreSettings(api)
        store = remote_store(settings, options)
        return WorkflowTransfers(settings, store, options.transfer_image)

    def places(api: Api, wake: Callable[[Key], None]) -> "WorkflowPlaces":
        from windlass.apps.pipelines.artifacts.stores.placed_store import PlacedStore
        from windlass.apps.pipelines.artifacts.stores.remote_store import NoFolders, RemoteStore
        from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings, secret_value
        from windlass.apps.pipelines.runs.workflows.store_places import ClaimPlaces, ClusterPlaces

        settings, allow_local = StoreSettings(api), options.allow_local_endpoints
        found = folders(api) if volumes else NoFolders()
        store = RemoteStore(settings, found, allow_local=allow_local)
        placed = PlacedStore(store, found, partial(secret_value, api))
        return ClaimPlaces(placed, found, wake) if isinstance(found, ClaimFolders) else ClusterPlaces(placed, store)

    def workflows() -> Service:
        from windlass.apps.pipelines.runs.workflows.workflows_service import argo_workflows

        if volumes:
            known = cache if open_history is not None else None
            return argo_workflows(folders, known, places=places, open_logs=open_logs)
        return argo_workflows(None, transfers=transfers, places=places, open_logs=open_logs)

    return (on_demand("argo-workflows", lambda: {ARGO_WORKFLOWS: always}, workflows), CRON_WORKFLOWS)


def _reconcile_cron(cron: CronWorkflow, observed: Observed) -> Plan:
    from windlass.apps.pipelines.runs.workflows.cron_workflows import reconcile

    return reconcile(cron, observed)


CRON_WORKFLOWS = Controller("cron-workflow", CronWorkflow, _reconcile_cron, owns=[CHILDREN])


def recorded_workflows(open_history: "OpenHistory", volumes: str) -> Service:
    """The controller that records what becomes of Workflows of v1 pipelines."""

    def load() -> Service:
        from windlass.apps.pipelines.runs.workflows.mirror import workflow_runs

        return workflow_runs(open_history, volumes)

    return on_demand("pipeline-workflows", lambda: {V1_WORKFLOWS: always}, load)
