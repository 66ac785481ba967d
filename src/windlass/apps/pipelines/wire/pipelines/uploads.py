"""Uploads of packages as multipart/form-data."""

import re
from typing import Any

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from windlass.apps.pipelines.model import Pipeline, PipelineVersion
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import MAX_BODY, Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, TooLarge
from windlass.apps.pipelines.wire.packages import package_of_file
from windlass.apps.pipelines.wire.pipelines.pipelines import find_pipeline, insert, new_pipeline, new_version
from windlass.apps.pipelines.wire.pipelines.pipelines import shown as shown_pipeline
from windlass.apps.pipelines.wire.pipelines.versions import shown as shown_version
from windlass.apps.pipelines.wire.protojson import STRING, MapOf, checked_text, decode_value, encode
from windlass.kube.json import BadJson, Object, parse

FIELD = "uploadfile"


async def upload_pipeline(call: Call) -> Object:
    pipeline, _ = await upload_new_pipeline(call)
    return encode(shapes.PIPELINE, shown_pipeline(pipeline))


async def upload_version(call: Call) -> Object:
    version = await upload_new_version(call)
    return encode(shapes.VERSION, shown_version(version))


async def upload_new_pipeline(call: Call) -> tuple[Pipeline, PipelineVersion]:
    """Create a pipeline and its first version, which has the same name."""
    file_name, content = await uploaded_file(call.http)
    body = arguments(call, file_name)
    pipeline = await new_pipeline(call, body)
    package = await package_of_file(content, file_name)
    version = new_version(call, pipeline.pipeline_id, {**body, "tags": {}}, package)
    await insert(call, pipeline, version)
    return pipeline, version


async def upload_new_version(call: Call) -> PipelineVersion:
    pipeline_id = call.query("pipelineid")
    if not pipeline_id:
        raise InvalidArgument("pipelineid: is required")
    pipeline = await find_pipeline(call, pipeline_id, "create")
    file_name, content = await uploaded_file(call.http)
    package = await package_of_file(content, file_name)
    version = new_version(call, pipeline.pipeline_id, arguments(call, file_name), package)
    await insert(call, version)
    return version


def arguments(call: Call, file_name: str) -> Object:
    """The query parameters; without a name it is the file's."""
    name = call.query("name") or call.query("display_name") or checked_text(file_name, FIELD)
    namespace = {"namespace": call.query("namespace")} if "namespace" in call.http.query else {}
    return {
        "name": name,
        "display_name": call.query("display_name") or name,
        "description": call.query("description"),
        "tags": tags(call.query("tags")),
        **namespace,
    }


def tags(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        value: Any = parse(text)
    except BadJson as error:
        raise InvalidArgument("tags: must be a JSON object") from error
    return decode_value(MapOf(STRING), value, "tags")


async def uploaded_file(request: web.Request) -> tuple[str, bytes]:
    """The name and content of the part `uploadfile`. Raises InvalidArgument and TooLarge."""
    if (request.content_length or 0) > MAX_BODY + 65_536:
        raise TooLarge(f"the upload has more than {MAX_BODY >> 20} MiB")
    if request.content_type != "multipart/form-data":
        raise InvalidArgument(f"send the file as multipart/form-data, in the field {FIELD}")
    try:
        return await read_parts(request)
    except HttpProcessingError as error:
        line = re.sub(r"\s+", " ", error.message).strip()
        raise InvalidArgument(f"the form cannot be read: {line}") from error
    except (ValueError, KeyError, RuntimeError, AssertionError, LookupError) as error:
        raise InvalidArgument(f"the form cannot be read: {error}") from error


async def read_parts(request: web.Request) -> tuple[str, bytes]:
    form = await request.multipart()
    async for part in form:
        if not isinstance(part, BodyPartReader) or part.name != FIELD:
            continue
        content = bytearray()
        while chunk := await part.read_chunk():
            content += chunk
            if len(content) > MAX_BODY:
                raise TooLarge(f"the upload has more than {MAX_BODY >> 20} MiB")
        await form.next()  # raises if the part has no end: what came may be half of the file
        return part.filename or "", bytes(content)
    raise InvalidArgument(f"the form has no file in the field {FIELD}")
