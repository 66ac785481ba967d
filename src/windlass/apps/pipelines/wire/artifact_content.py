"""The content of artifacts: by a run's node and name, and by URI as the UI server has it."""

import asyncio
import io
import tarfile
import zlib
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import web

from windlass.apps.pipelines.argo.artifacts.archive_formats import packed, packed_object
from windlass.apps.pipelines.argo.artifacts.artifact_places import artifact_uri, is_in_own_store
from windlass.apps.pipelines.artifacts.reader import Content, ContentTooLarge
from windlass.apps.pipelines.model import Run, Task
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.archives import BoundedGzip
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.names import check_namespace
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs.runs import WORKFLOWS, find_run
from windlass.formats.bounded_archives import BoundedTarInfo
from windlass.kube.broken_answers import BrokenAnswer
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, decode, dig, dig_list

MAX_CONTENT = 32 << 20
SCHEMES = {"minio": "minio", "s3": "s3", "gcs": "gs", "gs": "gs", "az": "az"}
WEB = ("http", "https")
"""In place of a store: `bucket` is a host, and `key` a path there."""
VOLUME = "volume"
"""In place of a scheme: `bucket` is a claim, and `key` a path in it."""
HEADERS = {
    "Content-Type": "application/octet-stream",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


async def read_artifact(call: Call) -> Object:
    """An output artifact of a node: of a task by its pod, id or name, or of a node of a v1 run's Workflow."""
    run = await find_run(call, call.part("id"), "readArtifact")
    node, name = call.part("node"), call.part("name")
    artifact = await workflow_artifact(call, run, node, name) if run.is_argo else None
    uri = await task_uri(call, run, node, name) if not run.is_argo else artifact_uri(artifact) if artifact else ""
    content = await call.services.artifacts.open(run.namespace, uri, call.caller.client) if uri else None
    if content is None:
        raise NotFound(f"Node {node} of run {run.run_id} has no artifact {name!r}")
    is_folder, data = content.kind == "folder", await whole(content)
    if artifact is not None and is_in_own_store(artifact):  # another store has the archive itself
        data = await asyncio.to_thread(lambda: packed(artifact, data, is_folder=is_folder))
    return encode(shapes.READ_ARTIFACT, {"data": data})


async def whole(content: Content) -> bytes:
    """All of an artifact that is not too large for an answer in one piece. Raises InvalidArgument."""
    try:
        return await content.whole(MAX_CONTENT)
    except ContentTooLarge as error:
        raise InvalidArgument(f"{error}: download it by its URI") from None


async def task_uri(call: Call, run: Run, node: str, name: str) -> str:
    for task in reversed(await call.database.tasks(run.run_id)):
        if node in names_of(task) and name in task.outputs.artifacts:
            ids = task.outputs.artifacts[name]
            artifacts = await call.database.artifacts(ids[:1])
            return artifacts[ids[0]].uri if ids and ids[0] in artifacts else ""
    return ""


def names_of(task: Task) -> set[str]:
    return {task.task_id, task.path, task.name, task.pod_name, *task.failed_pods}


async def workflow_artifact(call: Call, run: Run, node: str, name: str) -> Object | None:
    """The artifact as Argo's status has it; None if there is none."""
    for artifact in dig_list(await workflow_of_run(call, run), "status", "nodes", node, "outputs", "artifacts"):
        if dig(artifact, "name") == name:
            return artifact if artifact_uri(artifact) else None
    return None


async def workflow_of_run(call: Call, run: Run) -> Object:
    """The Workflow with its status; archived if it is gone, and empty if there is neither."""
    try:
        return await call.caller.client.get(WORKFLOWS, run.resource_name, run.namespace)
    except ApiError:
        archived = await call.database.manifest(run.run_id)
        return decode(archived) if archived else {}


async def get_by_uri(call: Call) -> web.StreamResponse:
    """`/artifacts/get?source=minio&bucket=…&key=…`: of an archive its first file; `peek` limits the bytes."""
    peek = call.query("peek", "0")
    if not (peek.isdecimal() and len(peek) < 12):
        raise InvalidArgument("peek: must be a number of bytes")
    content = await content_by_uri(call, call.query("source"), call.query("bucket"), call.query("key"))
    if content.size > MAX_CONTENT:
        return await stream(call, content)
    data = await whole(content)
    unpacked_content = await asyncio.to_thread(unpacked, data)
    return web.Response(body=unpacked_content[: int(peek) or None], headers=HEADERS)


async def get_raw(call: Call) -> web.StreamResponse:
    """The object itself; the claim has v1 artifacts unpacked, under the names of archives."""
    key = call.part("key")
    content = await content_by_uri(call, call.part("source"), call.part("bucket"), key)
    if not key.endswith((".tgz", ".zip")) or content.size > MAX_CONTENT:
        return await stream(call, content)
    is_folder, data = content.kind == "folder", await whole(content)
    body = await asyncio.to_thread(lambda: packed_object(key, data, is_folder=is_folder))
    return web.Response(body=body, headers=HEADERS)


async def stream(call: Call, content: Content) -> web.StreamResponse:
    """The content as it is read. Raises BrokenAnswer if the file or its store fails in the middle of it."""
    response = web.StreamResponse(headers={**HEADERS, "Content-Length": str(content.size)})
    try:
        await response.prepare(call.http)
        async for chunk in _chunks(content):
            await response.write(chunk)
        await response.write_eof()
    finally:
        content.close()
    return response


async def _chunks(content: Content) -> AsyncIterator[bytes]:
    """As many bytes as the head of the answer has promised. Raises BrokenAnswer."""
    left = content.size
    try:
        async for chunk in content.chunks():
            yield chunk
            left -= len(chunk)
    except OSError as error:
        raise BrokenAnswer(str(error)) from error
    if left > 0:
        raise BrokenAnswer("the file has become shorter")


async def content_by_uri(call: Call, source: str, bucket: str, key: str) -> Content:
    if source not in (*SCHEMES, *WEB, VOLUME):
        raise InvalidArgument(f"source: must be one of {', '.join((*SCHEMES, *WEB, VOLUME))}")
    if not bucket or not key:
        raise InvalidArgument("bucket and key are required")
    namespace = await call.namespace_or_own(check_namespace(call.query("namespace")), "An artifact")
    if source == VOLUME:
        return await content_of_claim(call, namespace, bucket, key)
    await call.authorize("readArtifact", "runs", namespace)
    if source in WEB:
        _, data = await call.services.fetch(f"{source}://{bucket}/{key}", field="artifact")
        return Content("file", len(data), io.BytesIO(data))
    uri = f"{SCHEMES[source]}://{bucket}/{key}"
    content = await call.services.artifacts.open(namespace, uri, call.caller.client)
    if content is None:
        raise NotFound(f"There is no artifact at {uri}")
    return content


async def content_of_claim(call: Call, namespace: str, claim: str, path: str) -> Content:
    """A file of any claim, for those who may start pods there, which could read it as well."""
    await call.authorize("create", "pods", namespace, group="")
    parts = path.strip("/").split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise InvalidArgument("key: has an empty, . or .. part")
    content = await call.services.artifacts.open_claim(namespace, claim, "/".join(parts))
    if content is None:
        raise NotFound(f"There is no file {path!r} in the claim {namespace}/{claim}")
    return content


def unpacked(content: bytes) -> bytes:
    """The first file of a tar or tar.gz; anything else as it is."""
    packed: Any = None
    try:
        packed = BoundedGzip(content) if content.startswith(b"\x1f\x8b") else io.BytesIO(content)
        with tarfile.open(fileobj=packed, mode="r:", tarinfo=BoundedTarInfo) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isreg() else None
                if file is not None:
                    return file.read(MAX_CONTENT)
    except (tarfile.TarError, zlib.error, EOFError, ValueError, InvalidArgument):
        return content
    return content
