"""Pipeline and PipelineVersion objects -> records of the same, removed with them.

An object gets a finalizer before it is recorded, so a record never outlives its object. A record that cannot be made,
such as one whose name an uploaded pipeline has, is reported by the condition `Recorded` and an event, and tried again.
"""

import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Protocol, TypeVar

import msgspec

from windlass.apps.pipelines.catalogue.records import pipeline_record, version_record
from windlass.apps.pipelines.kinds import pipeline as objects
from windlass.apps.pipelines.model import Pipeline, PipelineVersion, Record
from windlass.apps.pipelines.names import RECORD_FINALIZER
from windlass.apps.pipelines.rows.errors import AlreadyExists
from windlass.kube import conditions, errors
from windlass.kube.controller import Acted, Acting, Api, Matching, Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Condition
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Event

R = TypeVar("R", bound=Record)
RECORDED = "Recorded"
RETRY_INTERVAL = timedelta(seconds=30)
"""Until a record that could not be made is tried again; a change of the object does so at once."""
NOT_OBSERVED = frozenset({"default_version_id"})
"""Fields of records that no object has."""
AnyCatalogued = objects.Pipeline | objects.PipelineVersion


class Records(Protocol):
    """The database, as far as pipelines are recorded in it."""

    async def get(self, type: type[R], id: str) -> R | None: ...

    async def create(self, *records: Record) -> None: ...

    async def change(self, type: type[R], id: str, **changes: Any) -> bool: ...

    async def delete(self, type: type[R], id: str) -> bool: ...


def controllers(open_records: Callable[[], Awaitable[Records]]) -> tuple[Acting[Any], Acting[Any]]:
    catalogue = Catalogue(open_records)
    of_pipeline = Matching(lambda version, pipeline: version.spec.pipeline_name == pipeline.metadata.name)
    return (
        Acting("pipeline", objects.Pipeline, catalogue.act_on_pipeline),
        Acting(
            "pipeline-version",
            objects.PipelineVersion,
            catalogue.act_on_version,
            watches=[(objects.Pipeline, of_pipeline)],
        ),
    )


class Catalogue:
    """Records objects; remembers nothing from one to the next."""

    def __init__(self, open_records: Callable[[], Awaitable[Records]]) -> None:
        self._open_records = open_records

    async def act_on_pipeline(self, pipeline: objects.Pipeline, observed: Observed, api: Api) -> Acted | None:
        if is_deleting(pipeline):
            return await self._forget(pipeline, Pipeline, api)
        if await _added_finalizer(pipeline, api):
            return None  # the change is observed
        problem = await self._record_pipeline(pipeline)
        return await _report(pipeline, problem, observed, api)

    async def act_on_version(self, version: objects.PipelineVersion, observed: Observed, api: Api) -> Acted | None:
        if is_deleting(version):
            return await self._forget(version, PipelineVersion, api)
        if await _added_finalizer(version, api):
            return None
        pipeline = observed.one(objects.Pipeline, version.spec.pipeline_name)
        return await _report(version, await self._record_version(version, pipeline), observed, api)

    async def _record_pipeline(self, pipeline: objects.Pipeline) -> str:
        """Answers why the pipeline cannot be recorded."""
        try:
            await _write(await self._open_records(), pipeline.metadata.uid, pipeline_record(pipeline))
        except AlreadyExists:
            return f"a pipeline with the name {pipeline.metadata.name!r} was uploaded: delete it, or use another name"
        except ValueError as error:
            return str(error)
        return ""

    async def _record_version(self, version: objects.PipelineVersion, pipeline: objects.Pipeline | None) -> str:
        if pipeline is None or is_deleting(pipeline):
            return f"spec.pipelineName: there is no Pipeline {version.spec.pipeline_name!r}"
        if problem := await self._record_pipeline(pipeline):
            return f"its pipeline is not recorded: {problem}"
        try:
            record = version_record(version, pipeline.metadata.uid)
            await _write(await self._open_records(), version.metadata.uid, record)
        except AlreadyExists:
            return "the pipeline has a version with that name"
        except ValueError as error:
            return str(error)
        return ""

    async def _forget(self, obj: AnyCatalogued, type: type[Pipeline] | type[PipelineVersion], api: Api) -> None:
        if RECORD_FINALIZER not in obj.metadata.finalizers:
            return
        await (await self._open_records()).delete(type, obj.metadata.uid)
        remaining = [finalizer for finalizer in obj.metadata.finalizers if finalizer != RECORD_FINALIZER]
        with contextlib.suppress(errors.NotFound):
            await _patch_finalizers(obj, remaining, api)


async def _write(records: Records, id: str, record: Pipeline | PipelineVersion) -> None:
    """Create the record, or change what differs. Raises AlreadyExists if another has its name."""
    existing = await records.get(type(record), id)
    if existing is None:
        await records.create(record)
        return
    known = msgspec.structs.asdict(existing)
    made = msgspec.structs.asdict(record)
    changes = {name: value for name, value in made.items() if name not in NOT_OBSERVED and known[name] != value}
    if changes:
        await records.change(type(record), id, **changes)


async def _added_finalizer(obj: AnyCatalogued, api: Api) -> bool:
    if RECORD_FINALIZER in obj.metadata.finalizers:
        return False
    await _patch_finalizers(obj, [*obj.metadata.finalizers, RECORD_FINALIZER], api)
    return True


async def _patch_finalizers(obj: AnyCatalogued, finalizers: list[str], api: Api) -> None:
    """The version of the object guards finalizers of others, which a patch would drop."""
    metadata = {"finalizers": finalizers, "uid": obj.metadata.uid, "resourceVersion": obj.metadata.resource_version}
    await api.patch(KINDS.of(type(obj)), obj.metadata.key, {"metadata": metadata})


async def _report(obj: AnyCatalogued, problem: str, observed: Observed, api: Api) -> Acted:
    old = conditions.find(obj.status.conditions, RECORDED)
    condition = Condition(
        type=RECORDED,
        status=conditions.status_of(not problem),
        reason="CannotRecord" if problem else "Recorded",
        message=problem or "The pipelines API lists it.",
    )
    new = conditions.with_condition(obj.status.conditions, condition, observed.now)
    if new != obj.status.conditions:
        await api.set_status(KINDS.of(type(obj)), obj.metadata.key, {"conditions": msgspec.to_builtins(new)})
    is_news = bool(problem) and (old is None or old.message != problem)
    events = [Event(reason="CannotRecord", message=problem, warning=True)] if is_news else []
    return Acted(again_in=RETRY_INTERVAL if problem else None, events=events)
