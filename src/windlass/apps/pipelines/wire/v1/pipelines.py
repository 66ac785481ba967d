"""Pipelines and their versions of /apis/v1beta1. The default version is the one that was chosen, or the latest."""

from windlass.apps.pipelines.model import Pipeline, PipelineVersion
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.packages import is_workflow, package_of_file
from windlass.apps.pipelines.wire.pipelines import pipelines, uploads, versions
from windlass.apps.pipelines.wire.pipelines.catalogue_objects import delete_pipeline_object
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.v1 import shapes
from windlass.apps.pipelines.wire.v1.references import namespace_scope, reference, referred, scope_of
from windlass.formats import yaml_writer
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.json import encode as json_text


def shown_version(version: PipelineVersion) -> Object:
    return {
        "id": version.pipeline_version_id,
        "name": version.display_name or version.name,
        "created_at": version.created_at,
        "parameters": parameters_of(version.spec),
        "code_source_url": version.code_source_url,
        "package_url": {"pipeline_url": version.package_url},
        "resource_references": [reference("PIPELINE", version.pipeline_id)],
        "description": version.description,
    }


def parameters_of(spec: Object) -> list[Object]:
    """Names and default values, as texts."""
    if is_workflow(spec):
        given = dig_list(spec, "spec", "arguments", "parameters")
        return [{"name": str(dig(each, "name") or ""), "value": text_of(dig(each, "value"))} for each in given]
    declared = dig_object(spec, "root", "inputDefinitions", "parameters")
    return [{"name": name, "value": text_of(dig(each, "defaultValue"))} for name, each in declared.items()]


def text_of(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value).decode()


async def shown_pipeline(call: Call, pipeline: Pipeline) -> Object:
    latest = await default_version(call, pipeline)
    return {
        "id": pipeline.pipeline_id,
        "created_at": pipeline.created_at,
        "name": pipeline.display_name or pipeline.name,
        "description": pipeline.description,
        "parameters": parameters_of(latest.spec) if latest else [],
        "url": {"pipeline_url": latest.package_url if latest else ""},
        "default_version": shown_version(latest) if latest else {},
        "resource_references": [reference("NAMESPACE", pipeline.namespace)] if pipeline.namespace else [],
    }


async def default_version(call: Call, pipeline: Pipeline) -> PipelineVersion | None:
    """The version that a user chose, unless it was deleted; else the latest. None if there are none."""
    if pipeline.default_version_id:
        chosen = await call.database.get(PipelineVersion, pipeline.default_version_id)
        if chosen is not None and chosen.pipeline_id == pipeline.pipeline_id:
            return chosen
    return await call.database.first(PipelineVersion, newest=True, pipeline_id=pipeline.pipeline_id)


async def create_pipeline(call: Call) -> Object:
    """From a URL."""
    body = await call.body(shapes.PIPELINE)
    url = body.get("url", {}).get("pipeline_url", "")
    if not url:
        raise InvalidArgument("url.pipeline_url: is required")
    fields = {"name": body.get("name", ""), "description": body.get("description", "")}
    if namespace := referred(body.get("resource_references", []), "NAMESPACE"):
        fields["namespace"] = namespace
    file_name, content = await call.services.fetch(url)
    pipeline = await pipelines.new_pipeline(call, {**fields, "name": fields["name"] or file_name})
    package = await package_of_file(content, file_name)
    version = pipelines.new_version(call, pipeline.pipeline_id, {"name": pipeline.name}, package, package_url=url)
    await pipelines.insert(call, pipeline, version)
    return encode(shapes.PIPELINE, await shown_pipeline(call, pipeline))


async def upload_pipeline(call: Call) -> Object:
    pipeline, _ = await uploads.upload_new_pipeline(call)
    return encode(shapes.PIPELINE, await shown_pipeline(call, pipeline))


async def upload_version(call: Call) -> Object:
    return encode(shapes.VERSION, shown_version(await uploads.upload_new_version(call)))


async def get_pipeline(call: Call) -> Object:
    pipeline = await pipelines.find_pipeline(call, call.part("id"), "get")
    return encode(shapes.PIPELINE, await shown_pipeline(call, pipeline))


async def get_pipeline_by_name(call: Call) -> Object:
    pipeline = await pipelines.find_by_name(call, call.part("name"), call.part("namespace"))
    return encode(shapes.PIPELINE, await shown_pipeline(call, pipeline))


async def list_pipelines(call: Call) -> Object:
    page, token = await pipelines.pipeline_page(call, namespace_scope(call))
    shown = [await shown_pipeline(call, pipeline) for pipeline in page.records]
    return encode(shapes.PIPELINES, {"pipelines": shown, "total_size": page.total, "next_page_token": token})


async def delete_pipeline(call: Call) -> Object:
    """With its versions, as v1 has always done."""
    pipeline = await pipelines.find_pipeline(call, call.part("id"), "delete")
    await delete_pipeline_object(call, pipeline)
    await call.database.delete(Pipeline, pipeline.pipeline_id)
    return {}


async def get_template(call: Call) -> Object:
    pipeline = await pipelines.find_pipeline(call, call.part("id"), "get")
    version = await default_version(call, pipeline)
    if version is None:
        raise NotFound(f"Pipeline {pipeline.pipeline_id} has no versions")
    return encode(shapes.TEMPLATE, {"template": template_of(version)})


async def get_version_template(call: Call) -> Object:
    version = await versions.find_version(call, call.part("version"), "get")
    return encode(shapes.TEMPLATE, {"template": template_of(version)})


def template_of(version: PipelineVersion) -> str:
    """The package as YAML, with the platform document if it has one."""
    documents = [version.spec, *([version.platform_spec] if version.platform_spec else [])]
    return yaml_writer.write_all(documents)


async def set_default_version(call: Call) -> Object:
    pipeline = await pipelines.find_pipeline(call, call.part("id"), "update")
    version = await versions.find_version(call, call.part("version"), "update")
    if version.pipeline_id != pipeline.pipeline_id:
        raise NotFound(f"Pipeline version {version.pipeline_version_id} not found in pipeline {pipeline.pipeline_id}")
    await call.database.change(Pipeline, pipeline.pipeline_id, default_version_id=version.pipeline_version_id)
    return {}


async def create_version(call: Call) -> Object:
    """From a URL."""
    body = await call.body(shapes.VERSION)
    url = body.get("package_url", {}).get("pipeline_url", "")
    if not url:
        raise InvalidArgument("package_url.pipeline_url: is required")
    pipeline_id = referred(body.get("resource_references", []), "PIPELINE")
    pipeline = await pipelines.find_pipeline(call, pipeline_id, "create")
    file_name, content = await call.services.fetch(url)
    package = await package_of_file(content, file_name)
    fields = {name: body.get(name, "") for name in ("name", "description", "code_source_url")}
    version = pipelines.new_version(call, pipeline.pipeline_id, fields, package, package_url=url)
    await pipelines.insert(call, version)
    return encode(shapes.VERSION, shown_version(version))


async def get_version(call: Call) -> Object:
    return encode(shapes.VERSION, shown_version(await versions.find_version(call, call.part("version"), "get")))


async def list_versions(call: Call) -> Object:
    type, pipeline_id = scope_of(call, "resource_key")
    if type != "PIPELINE" or not pipeline_id:
        raise InvalidArgument("resource_key.type=PIPELINE and resource_key.id are required")
    page, token = await versions.version_page(call, pipeline_id)
    shown = [shown_version(version) for version in page.records]
    return encode(shapes.VERSIONS, {"versions": shown, "total_size": page.total, "next_page_token": token})
