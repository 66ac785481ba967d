"""The controllers of the pipelines family, which the manager runs."""

from pathlib import Path
from typing import Protocol

from windlass.apis.pipelines.options import PipelineOptions
from windlass.kube.api import Api
from windlass.kube.controller import AnyController
from windlass.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.pipelines.runs import cron_workflows
from windlass.pipelines.runs.service import OpenHistory
from windlass.pipelines.runs.workflow_cache import RecordedOutputs, WorkflowCache
from windlass.pipelines.runs.workflows import argo_workflows


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

    has_cache = open_history is not None
    return (argo_workflows(folders if volumes else None, cache if has_cache else None), cron_workflows.CONTROLLER)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    """Controllers that need permissions on a cluster."""
    return (argo_workflows(None), cron_workflows.CONTROLLER)
