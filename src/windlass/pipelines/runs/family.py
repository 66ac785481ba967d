"""The controllers of the pipelines family, which the manager runs."""

from pathlib import Path
from typing import Protocol

from windlass.apis.pipelines.options import PipelineOptions
from windlass.kube.api import Api
from windlass.kube.controller import AnyController
from windlass.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.pipelines.runs import cron_workflows
from windlass.pipelines.runs.workflows import argo_workflows


class Context(Protocol):
    """What the manager knows, as far as pipelines need it."""

    @property
    def pipelines(self) -> PipelineOptions: ...


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    """The controllers to run."""
    volumes = context.pipelines.volumes

    def folders(api: Api) -> ClaimFolders:
        return ClaimFolders(api, Path(volumes))

    return (argo_workflows(folders if volumes else None), cron_workflows.CONTROLLER)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    """Controllers that need permissions on a cluster."""
    return (argo_workflows(None), cron_workflows.CONTROLLER)
