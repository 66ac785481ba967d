"""The controllers of the pipelines family, which the manager runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from windlass.apis.pipelines.options import PipelineOptions
from windlass.kube.api import Api
from windlass.kube.controller import AnyController
from windlass.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.pipelines.runs import cron_workflows
from windlass.pipelines.runs.service import OpenHistory
from windlass.pipelines.runs.workflow_cache import RecordedOutputs, WorkflowCache
from windlass.pipelines.runs.workflows import argo_workflows

if TYPE_CHECKING:
    from windlass.pipelines.runs.workflow_transfers import WorkflowTransfers


class Context(Protocol):
    """What the manager knows, as far as pipelines need it."""

    @property
    def pipelines(self) -> PipelineOptions: ...


def family_controllers(context: Context, open_history: "OpenHistory | None" = None) -> tuple[AnyController, ...]:
    """The controllers to run. v1 runs reuse outputs where there is a history."""
    volumes = context.pipelines.volumes

    def folders(api: Api) -> ClaimFolders:
        return ClaimFolders(api, Path(volumes))

    def cache(folders: ClaimFolders) -> WorkflowCache:
        assert open_history is not None
        return RecordedOutputs(context.pipelines, open_history, folders)

    def transfers(api: Api) -> "WorkflowTransfers":
        from windlass.pipelines.artifacts.store_settings import StoreSettings
        from windlass.pipelines.runs.exchanges import remote_store
        from windlass.pipelines.runs.workflow_transfers import WorkflowTransfers

        settings = StoreSettings(api)
        store = remote_store(settings, context.pipelines)
        return WorkflowTransfers(settings, store, context.pipelines.transfer_image)

    workflows = (
        argo_workflows(folders, cache if open_history is not None else None)
        if volumes
        else argo_workflows(None, transfers=transfers)
    )
    return (workflows, cron_workflows.CONTROLLER)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    """Controllers that need permissions on a cluster."""
    return (argo_workflows(None), cron_workflows.CONTROLLER)
