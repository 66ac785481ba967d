"""The workspace of a run: a claim that its tasks share, made before the first task and removed after a success."""

import contextlib

from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.apis.local_volumes import LOCAL_PATH_CLASS, SHARED_CLASS, STANDARD_CLASS
from windlass.apps.pipelines.executor.claims import workspace_claim
from windlass.apps.pipelines.executor.platform.workspace import workspace_claim_name
from windlass.apps.pipelines.model import Run
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

CLAIMS = KINDS.of(PersistentVolumeClaim)
LATE_CLASSES = ("", LOCAL_PATH_CLASS, STANDARD_CLASS)
"""Classes of an embedded Windlass whose volumes are made for the first pod; the default one is among them."""


async def create_workspace(api: Api, run: Run, owner: Object, *, is_filled: bool) -> None:
    """Create the claim, if the pipeline declares a workspace. Raises ValueError and ApiError.

    `is_filled`: whether imports are copied into the workspace from outside of pods.
    """
    manifest = workspace_claim(_config(run), run=run, owner=owner)
    if manifest is None:
        return
    if is_filled and imports_into_workspace(run.spec) and manifest["spec"].get("storageClassName", "") in LATE_CLASSES:
        manifest["spec"]["storageClassName"] = SHARED_CLASS
    with contextlib.suppress(errors.AlreadyExists):
        await api.create(manifest)


def imports_into_workspace(spec: Object) -> bool:
    """Whether an importer of the pipeline copies its artifact into the workspace."""
    executors = dig_object(spec, "deploymentSpec", "executors").values()
    return any(dig(executor, "importer", "downloadToWorkspace") is True for executor in executors)


async def delete_workspace(api: Api, run: Run) -> None:
    """Delete the claim of a run that is over. Its finished pods stay: they would keep the claim for as long as they
    exist, so the finalizer that protects it is removed, as Argo does."""
    if "workspace" in _config(run):
        key = Key(run.namespace, workspace_claim_name(run))
        with contextlib.suppress(errors.NotFound):
            await api.delete(CLAIMS, key)
            await api.patch(CLAIMS, key, {"metadata": {"finalizers": None}})


def _config(run: Run) -> Object:
    return dig_object(run.platform_spec, "platforms", "kubernetes", "pipelineConfig")
