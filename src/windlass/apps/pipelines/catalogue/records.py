"""What Pipeline and PipelineVersion objects are in the database. Pure. The id of a record is the object's uid."""

from windlass.apps.pipelines.kinds import pipeline as objects
from windlass.apps.pipelines.model import NOT_YET, Pipeline, PipelineVersion
from windlass.kube.meta import ObjectMeta, parse_time

MAX_PIPELINE_NAME, MAX_VERSION_NAME, MAX_DISPLAY_NAME = 128, 127, 512
MAX_TAGS, MAX_TAG = 20, 63


def pipeline_record(pipeline: objects.Pipeline) -> Pipeline:
    """Raises ValueError, naming the field, for what a record cannot hold."""
    metadata, spec = pipeline.metadata, pipeline.spec
    return Pipeline(
        pipeline_id=metadata.uid,
        namespace=metadata.namespace,
        name=_short("metadata.name", metadata.name, MAX_PIPELINE_NAME),
        display_name=_short("spec.displayName", spec.display_name or metadata.name, MAX_DISPLAY_NAME),
        description=spec.description,
        created_at=_created_at(metadata),
        tags=_tags(spec.tags),
    )


def version_record(version: objects.PipelineVersion, pipeline_id: str) -> PipelineVersion:
    metadata, spec = version.metadata, version.spec
    name = spec.version_name or metadata.name
    return PipelineVersion(
        pipeline_version_id=metadata.uid,
        pipeline_id=pipeline_id,
        name=_short("spec.versionName", name, MAX_VERSION_NAME),
        display_name=_short("spec.displayName", spec.display_name or name, MAX_DISPLAY_NAME),
        description=spec.description,
        created_at=_created_at(metadata),
        code_source_url=spec.code_source_url,
        spec=spec.pipeline_spec,
        platform_spec=spec.platform_spec,
        tags=_tags(spec.tags),
    )


def _created_at(metadata: ObjectMeta) -> float:
    return parse_time(metadata.creation_timestamp).timestamp() if metadata.creation_timestamp else NOT_YET


def _short(field: str, text: str, limit: int) -> str:
    if len(text) > limit:
        raise ValueError(f"{field}: must not be longer than {limit} characters")
    return text


def _tags(tags: dict[str, str]) -> dict[str, str]:
    if len(tags) > MAX_TAGS:
        raise ValueError(f"spec.tags: at most {MAX_TAGS} tags are allowed")
    for key, value in tags.items():
        if not key or "." in key:
            raise ValueError(f"spec.tags: {key!r} must not be empty and must not contain a dot")
        _short(f"spec.tags.{key[:MAX_TAG]}", max(key, value, key=len), MAX_TAG)
    return tags
