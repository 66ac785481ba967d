"""The content of artifacts of a Workflow's nodes, as Argo's clients download it: packed as a store has it."""

import asyncio
from typing import TYPE_CHECKING

from windlass.apps.pipelines.argo.artifacts.archive_formats import packed
from windlass.apps.pipelines.argo.artifacts.artifact_places import (
    artifact_uri,
    is_in_own_store,
    is_placed,
    place_of,
    place_problem,
)
from windlass.apps.pipelines.artifacts.reader import ContentTooLarge
from windlass.apps.pipelines.artifacts.stores.remote_store import StoreError
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, NotFound
from windlass.kube.json import Object, dig, dig_list

if TYPE_CHECKING:
    from windlass.apps.pipelines.web.artifacts import ClaimArtifacts

MAX_CONTENT = 32 << 20
SIDES = ("inputs", "outputs")


def artifact_of(workflow: Object, node: str, side: str, name: str) -> Object:
    """An artifact as the status of a Workflow shows it. Raises NotFound and BadRequest."""
    if side not in SIDES:
        raise BadRequest(f"{side!r} is none of {', '.join(SIDES)}")
    for artifact in dig_list(workflow, "status", "nodes", node, side, "artifacts"):
        if dig(artifact, "name") == name:
            return artifact
    raise NotFound(f"the node {node!r} has no artifact {name!r} among its {side}")


async def content_of(artifacts: "ClaimArtifacts", namespace: str, artifact: Object, client: Client) -> bytes:
    """The object of an artifact, with the rights of the user to Secrets of stores. Raises NotFound and BadRequest."""
    text = dig(artifact, "raw", "data")
    if isinstance(text, str):
        return text.encode()
    if problem := place_problem(artifact):
        raise BadRequest(problem)
    try:
        placed = is_placed(artifact)
        content = (
            await artifacts.open_place(namespace, place_of(artifact), client)
            if placed
            else await artifacts.open(namespace, artifact_uri(artifact), client)
        )
    except StoreError as error:
        raise NotFound(str(error)) from None
    if content is None or artifact.get("deleted"):
        raise NotFound(f"the artifact {artifact.get('name')!r} has no content")
    try:
        data = await content.whole(MAX_CONTENT)
    except ContentTooLarge as error:
        raise BadRequest(f"{error}: read it from its store") from None
    if not is_in_own_store(artifact):
        return data
    return await asyncio.to_thread(lambda: packed(artifact, data, is_folder=content.kind == "folder"))
