"""Pipelines and versions that users wrote as objects: a change by the API is a change of the object.

The record follows the object, whose uid is its id; so a change of the record alone would be undone.
"""

from typing import Any

from windlass.apps.pipelines.admission import PIPELINE_ID_LABEL
from windlass.apps.pipelines.kinds.pipeline import Pipeline as PipelineObject
from windlass.apps.pipelines.kinds.pipeline import PipelineVersion as VersionObject
from windlass.apps.pipelines.model import Pipeline, PipelineVersion
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import of_kubernetes
from windlass.kube.errors import ApiError
from windlass.kube.errors import NotFound as ObjectNotFound
from windlass.kube.json import Object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.view import metadata_only

PIPELINES, VERSIONS = KINDS.of(PipelineObject), KINDS.of(VersionObject)


async def delete_pipeline_object(call: Call, pipeline: Pipeline) -> None:
    await _apply(call, PIPELINES, await _pipeline_key(call, pipeline), pipeline.pipeline_id, None)


async def change_pipeline_object(call: Call, pipeline: Pipeline, changes: Object) -> None:
    await _apply(call, PIPELINES, await _pipeline_key(call, pipeline), pipeline.pipeline_id, changes)


async def delete_version_object(call: Call, version: PipelineVersion) -> None:
    await _apply(call, VERSIONS, await _version_key(call, version), version.pipeline_version_id, None)


async def change_version_object(call: Call, version: PipelineVersion, changes: Object) -> None:
    await _apply(call, VERSIONS, await _version_key(call, version), version.pipeline_version_id, changes)


async def _pipeline_key(call: Call, pipeline: Pipeline) -> Key | None:
    if not pipeline.namespace:
        return None
    try:
        listing = await call.caller.client.list(
            metadata_only(PipelineObject), pipeline.namespace, fields=f"metadata.name={pipeline.name}"
        )
    except ApiError as error:
        raise of_kubernetes(error) from error
    return _key(listing.items, pipeline.pipeline_id)


async def _version_key(call: Call, version: PipelineVersion) -> Key | None:
    pipeline = await call.database.get(Pipeline, version.pipeline_id)
    if pipeline is None or not pipeline.namespace:
        return None
    try:
        listing = await call.caller.client.list(
            metadata_only(VersionObject), pipeline.namespace, labels=f"{PIPELINE_ID_LABEL}={version.pipeline_id}"
        )
    except ApiError as error:
        raise of_kubernetes(error) from error
    return _key(listing.items, version.pipeline_version_id)


def _key(objects: list[Any], uid: str) -> Key | None:
    return next((each.metadata.key for each in objects if each.metadata.uid == uid), None)


async def _apply(call: Call, kind: Kind, key: Key | None, uid: str, changes: Object | None) -> None:
    """Change the object or, without changes, delete it; nothing happens if there is none."""
    if key is None:
        return
    try:
        if changes is None:
            await call.caller.client.delete(kind, key, uid=uid)
            return
        names = {"display_name": "displayName", "tags": "tags"}
        # A merge patch would keep tags that are not named.
        operations = [{"op": "add", "path": f"/spec/{names[name]}", "value": value} for name, value in changes.items()]
        await call.caller.client.patch(kind, key, operations, "json")
    except ObjectNotFound:
        return
    except ApiError as error:
        raise of_kubernetes(error) from error
