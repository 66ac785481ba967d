"""Imports of artifacts that exist already: a record of each, and a copy in the workspace of the run if one is asked."""

from windlass.apps.pipelines.artifacts.uris import WORKSPACE_METADATA
from windlass.apps.pipelines.engine import effects, events
from windlass.apps.pipelines.history import History
from windlass.apps.pipelines.model import Artifact, Run, imported_id
from windlass.apps.pipelines.runs.artifacts.exchange import ArtifactExchange, TransferFailed


async def import_artifact(
    history: History, exchange: ArtifactExchange, run: Run, effect: effects.ImportArtifact
) -> events.AnyEvent | None:
    """The answer to the engine; None until the copy in the workspace is complete. Raises ApiError."""
    metadata = effect.metadata
    if effect.download_to_workspace:
        metadata = metadata | {WORKSPACE_METADATA: True}
        try:
            if not await exchange.is_in_workspace(run, effect.task_id, effect.uri):
                return None
        except (ValueError, TransferFailed) as error:
            return events.OperationFailed(task_id=effect.task_id, message=f"importer.downloadToWorkspace: {error}")
    if not effect.reimport:
        earlier = await history.imported(run.namespace, run.pipeline_name, effect.uri, effect.type)
        same = next((artifact for artifact in earlier if artifact.metadata == metadata), None)
        if same is not None:
            return events.Imported(task_id=effect.task_id, artifact=same)
    artifact = Artifact(
        artifact_id=imported_id(effect.task_id),
        namespace=run.namespace,
        run_id=run.run_id,
        task_id=effect.task_id,
        name="artifact",
        type=effect.type,
        schema_version=effect.schema_version,
        uri=effect.uri,
        metadata=metadata,
        pipeline_name=run.pipeline_name,
    )
    return events.Imported(task_id=effect.task_id, artifact=artifact)
