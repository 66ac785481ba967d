"""Pipeline versions of /apis/v2beta1."""

from windlass.apps.pipelines.model import PipelineVersion
from windlass.apps.pipelines.rows.queries import Page
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.listing import list_query, token_text, within
from windlass.apps.pipelines.wire.packages import package_of_file, package_of_request, shown_spec
from windlass.apps.pipelines.wire.pipelines.catalogue_objects import change_version_object, delete_version_object
from windlass.apps.pipelines.wire.pipelines.pipelines import changes_of, find_pipeline, insert, new_version
from windlass.apps.pipelines.wire.protojson import encode
from windlass.kube.json import Object


def shown(version: PipelineVersion) -> Object:
    skipped = ("error", "pipeline_spec", "package_url")
    return {
        **{name: getattr(version, name) for name in shapes.VERSION.fields if name not in skipped},
        "display_name": version.display_name or version.name,
        "package_url": {"pipeline_url": version.package_url},
        "pipeline_spec": shown_spec(version.spec, version.platform_spec),
    }


async def create_version(call: Call) -> Object:
    """From a URL, or from the specification in the body."""
    pipeline = await find_pipeline(call, call.part("id"), "create")
    body = await call.body(shapes.VERSION)
    url = body.get("package_url", {}).get("pipeline_url", "")
    if bool(url) == ("pipeline_spec" in body):
        raise InvalidArgument("either package_url.pipeline_url or pipeline_spec is required")
    if url:
        file_name, content = await call.services.fetch(url)
        package = await package_of_file(content, file_name)
    else:
        package = await package_of_request(body["pipeline_spec"])
    version = new_version(call, pipeline.pipeline_id, body, package, package_url=url)
    await insert(call, version)
    return encode(shapes.VERSION, shown(version))


async def find_version(call: Call, id: str, verb: str) -> PipelineVersion:
    """The version, if the caller may apply the verb to its pipeline. Raises NotFound and PermissionDenied."""
    version = await call.database.get(PipelineVersion, id)
    if version is None:
        raise NotFound(f"Pipeline version {id} not found")
    await find_pipeline(call, version.pipeline_id, verb)
    return version


async def latest_version(call: Call, pipeline_id: str) -> PipelineVersion:
    """The version that was created last. Raises NotFound."""
    await find_pipeline(call, pipeline_id, "get")
    version = await call.database.first(PipelineVersion, newest=True, pipeline_id=pipeline_id)
    if version is None:
        raise NotFound(f"Pipeline {pipeline_id} has no versions")
    return version


async def get_version(call: Call) -> Object:
    return encode(shapes.VERSION, shown(await find_version(call, call.part("version"), "get")))


async def list_versions(call: Call) -> Object:
    page, token = await version_page(call, call.part("id"))
    answer: Object = {
        "pipeline_versions": [shown(version) for version in page.records],
        "total_size": page.total,
        "next_page_token": token,
    }
    return encode(shapes.VERSIONS, answer)


async def version_page(call: Call, pipeline_id: str) -> tuple[Page[PipelineVersion], str]:
    pipeline = await find_pipeline(call, pipeline_id, "list")
    scope = within("pipeline_id", pipeline.pipeline_id)
    query, sort_by, filter = list_query(PipelineVersion, call.list_arguments, scope)
    page = await call.database.page(PipelineVersion, query)
    return page, token_text(sort_by, filter, page.last)


async def update_version(call: Call) -> Object:
    version = await find_version(call, call.part("version"), "update")
    changes = changes_of(await call.body(shapes.VERSION))
    if changes:
        await change_version_object(call, version, changes)
        await call.database.change(PipelineVersion, version.pipeline_version_id, **changes)
    return encode(shapes.VERSION, shown(await find_version(call, version.pipeline_version_id, "update")))


async def delete_version(call: Call) -> Object:
    version = await find_version(call, call.part("version"), "delete")
    await delete_version_object(call, version)
    await call.database.delete(PipelineVersion, version.pipeline_version_id)
    return {}
