"""The workspace of a run: a claim that its tasks share, made before the first task and removed after a success."""

import contextlib

from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.pipelines.executor.claims import workspace_claim
from windlass.pipelines.executor.platform.workspace import workspace_claim_name
from windlass.pipelines.model import Run

CLAIMS = KINDS.of(PersistentVolumeClaim)


async def create_workspace(api: Api, run: Run, owner: Object) -> None:
    """Create the claim, if the pipeline declares a workspace. Raises ValueError and ApiError."""
    manifest = workspace_claim(_config(run), run=run, owner=owner)
    if manifest is not None:
        with contextlib.suppress(errors.AlreadyExists):
            await api.create(manifest)


async def delete_workspace(api: Api, run: Run) -> None:
    if "workspace" in _config(run):
        with contextlib.suppress(errors.NotFound):
            await api.delete(CLAIMS, Key(run.namespace, workspace_claim_name(run)))


def _config(run: Run) -> Object:
    return dig_object(run.platform_spec, "platforms", "kubernetes", "pipelineConfig")
