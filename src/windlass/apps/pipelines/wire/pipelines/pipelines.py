"""Pipelines of /apis/v2beta1.

A pipeline without a namespace is shared: everyone reads it, and who changes it needs the right in all namespaces.
"""

from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.apps.pipelines.ir.package import Package
from windlass.apps.pipelines.model import Pipeline, PipelineVersion
from windlass.apps.pipelines.rows import errors
from windlass.apps.pipelines.rows.queries import Page
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import AlreadyExists, InvalidArgument, NotFound
from windlass.apps.pipelines.wire.listing import list_query, token_text, within
from windlass.apps.pipelines.wire.names import check_description, check_name, check_namespace, check_tags
from windlass.apps.pipelines.wire.packages import package_of_file, spec_of
from windlass.apps.pipelines.wire.pipelines.catalogue_objects import change_pipeline_object, delete_pipeline_object
from windlass.apps.pipelines.wire.protojson import encode
from windlass.kube.json import Object

RESOURCE = "pipelines"
READ_VERBS = frozenset({"get", "list"})


def shown(pipeline: Pipeline) -> Object:
    fields = {name: getattr(pipeline, name) for name in shapes.PIPELINE.fields if name != "error"}
    return {**fields, "display_name": pipeline.display_name or pipeline.name}


async def create_pipeline(call: Call) -> Object:
    pipeline = await new_pipeline(call, await call.body(shapes.PIPELINE))
    await insert(call, pipeline)
    return encode(shapes.PIPELINE, shown(pipeline))


async def create_pipeline_and_version(call: Call) -> Object:
    body = await call.body(shapes.CREATE_PIPELINE_AND_VERSION)
    if "pipeline" not in body or "pipeline_version" not in body:
        raise InvalidArgument("pipeline and pipeline_version are required")
    pipeline = await new_pipeline(call, body["pipeline"])
    version_body: Object = body["pipeline_version"]
    url = version_body.get("package_url", {}).get("pipeline_url", "")
    if not url:
        raise InvalidArgument("pipeline_version.package_url.pipeline_url: is required")
    file_name, content = await call.services.fetch(url)
    package = await package_of_file(content, file_name)
    named = {"name": pipeline.name, "display_name": pipeline.display_name, **version_body}
    await insert(call, pipeline, new_version(call, pipeline.pipeline_id, named, package, package_url=url))
    return encode(shapes.PIPELINE, shown(pipeline))


async def new_pipeline(call: Call, body: Object) -> Pipeline:
    """A pipeline that the caller may create. It is not stored yet."""
    name = body.get("name") or body.get("display_name") or ""
    namespace = await namespace_of_new(call, body)
    await call.authorize("create", RESOURCE, namespace)
    return Pipeline(
        pipeline_id=call.services.new_id(),
        namespace=namespace,
        name=check_name(name, "name", 128),
        display_name=check_name(body.get("display_name") or name, "display_name", 512),
        description=check_description(body.get("description", "")),
        created_at=call.now,
        tags=check_tags(body.get("tags", {})),
    )


async def namespace_of_new(call: Call, body: Object) -> str:
    """Of a new pipeline; empty for one that is shared. Raises InvalidArgument.

    The SDK sends none unless its user gives one: then a caller who may not share pipelines uses their own namespace.
    An empty one asks for sharing.
    """
    namespace = check_namespace(body.get("namespace", ""))
    can_share = not call.services.requires_namespace
    if namespace or (can_share and "namespace" in body):
        return namespace
    if can_share and await call.caller.allows("create", PIPELINES_GROUP, RESOURCE, ""):
        return ""
    own = "" if "namespace" in body else await call.own_namespace()
    if not own and not can_share:
        raise InvalidArgument("namespace: is required, since pipelines cannot be shared here")
    return own


def new_version(
    call: Call, pipeline_id: str, body: Object, package: Package, *, package_url: str = ""
) -> PipelineVersion:
    name = body.get("name") or body.get("display_name") or ""
    return PipelineVersion(
        pipeline_version_id=call.services.new_id(),
        pipeline_id=pipeline_id,
        name=check_name(name, "name", 127),
        display_name=check_name(body.get("display_name") or name, "display_name", 512),
        description=check_description(body.get("description", "")),
        created_at=call.now,
        package_url=package_url,
        code_source_url=body.get("code_source_url", ""),
        spec=spec_of(package),
        platform_spec=package.platform_spec,
        tags=check_tags(body.get("tags", {})),
    )


async def insert(call: Call, *records: Pipeline | PipelineVersion) -> None:
    try:
        await call.database.create(*records)
    except errors.AlreadyExists as error:
        if isinstance(records[0], PipelineVersion):
            await find_parent(call, records[0])
        kind = "pipeline" if isinstance(records[0], Pipeline) else "pipeline version"
        raise AlreadyExists(f"A {kind} with the name {records[0].name!r} exists already") from error


async def find_parent(call: Call, version: PipelineVersion) -> None:
    """Raise NotFound if the pipeline was deleted while its version was checked."""
    if await call.database.get(Pipeline, version.pipeline_id) is None:
        raise NotFound(f"Pipeline {version.pipeline_id} not found")


async def find_pipeline(call: Call, id: str, verb: str) -> Pipeline:
    """The pipeline, if the caller may apply the verb to it. Raises NotFound and PermissionDenied."""
    pipeline = await call.database.get(Pipeline, id)
    if pipeline is None:
        raise NotFound(f"Pipeline {id} not found")
    await authorize(call, pipeline, verb)
    return pipeline


async def authorize(call: Call, pipeline: Pipeline, verb: str) -> None:
    if pipeline.namespace or verb not in READ_VERBS:
        await call.authorize(verb, RESOURCE, pipeline.namespace)


async def get_pipeline(call: Call) -> Object:
    return encode(shapes.PIPELINE, shown(await find_pipeline(call, call.part("id"), "get")))


async def get_pipeline_by_name(call: Call) -> Object:
    pipeline = await find_by_name(call, call.part("name"), call.query("namespace"))
    return encode(shapes.PIPELINE, shown(pipeline))


async def find_by_name(call: Call, name: str, given_namespace: str) -> Pipeline:
    """Of the namespace; without one the caller's own before the shared one."""
    namespace = check_namespace(given_namespace)
    namespaces = [namespace] if namespace else [*await call.caller.own_namespaces(), ""]
    for candidate in namespaces:
        pipeline = await call.database.first(Pipeline, namespace=candidate, name=name)
        if pipeline is not None:
            await authorize(call, pipeline, "get")
            return pipeline
    raise NotFound(f"Pipeline {name!r} not found")


async def list_pipelines(call: Call) -> Object:
    page, token = await pipeline_page(call, call.query("namespace"))
    answer: Object = {
        "pipelines": [shown(pipeline) for pipeline in page.records],
        "total_size": page.total,
        "next_page_token": token,
    }
    return encode(shapes.PIPELINES, answer)


async def pipeline_page(call: Call, given_namespace: str) -> tuple[Page[Pipeline], str]:
    """Of a namespace; without one the shared pipelines and those of the caller's own namespaces."""
    namespace = check_namespace(given_namespace)
    namespaces = [namespace]
    if not namespace:
        namespaces += await call.caller.own_namespaces()
    for each in namespaces:
        if each:
            await call.authorize("list", RESOURCE, each)
    query, sort_by, filter = list_query(Pipeline, call.list_arguments, within("namespace", *namespaces))
    page = await call.database.page(Pipeline, query)
    return page, token_text(sort_by, filter, page.last)


async def update_pipeline(call: Call) -> Object:
    """Only `display_name` and `tags` can be changed; `"tags": {}` removes all tags."""
    pipeline = await find_pipeline(call, call.part("id"), "update")
    changes = changes_of(await call.body(shapes.PIPELINE))
    if changes:
        await change_pipeline_object(call, pipeline, changes)
        await call.database.change(Pipeline, pipeline.pipeline_id, **changes)
    return encode(shapes.PIPELINE, shown(await find_pipeline(call, pipeline.pipeline_id, "update")))


def changes_of(body: Object) -> Object:
    changes: Object = {}
    if body.get("display_name"):
        changes["display_name"] = check_name(body["display_name"], "display_name", 512)
    if "tags" in body:
        changes["tags"] = check_tags(body["tags"])
    return changes


async def delete_pipeline(call: Call) -> Object:
    pipeline = await find_pipeline(call, call.part("id"), "delete")
    has_versions = await call.database.first(PipelineVersion, pipeline_id=pipeline.pipeline_id) is not None
    if has_versions and call.query("cascade").lower() not in ("true", "1"):
        raise InvalidArgument("The pipeline has versions: delete them first, or use cascade=true")
    await delete_pipeline_object(call, pipeline)
    await call.database.delete(Pipeline, pipeline.pipeline_id)
    return {}
