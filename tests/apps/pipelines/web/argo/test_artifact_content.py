"""The content of artifacts as Argo's clients download it."""

import gzip
import io
import tarfile
from typing import Any, cast

import pytest

from windlass.apps.pipelines.artifacts.reader import Content
from windlass.apps.pipelines.artifacts.stores.remote_store import StoreError
from windlass.apps.pipelines.artifacts.stores.store_locations import Place
from windlass.apps.pipelines.web.argo.artifact_content import MAX_CONTENT, artifact_of, content_of
from windlass.apps.pipelines.web.artifacts import ClaimArtifacts
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, NotFound
from windlass.kube.json import Object

PLACE = {"endpoint": "s3.example.com", "bucket": "b", "key": "k.tgz"}


class Stores:
    """Two objects: one in the store of Windlass, one in a store that an artifact names."""

    def __init__(self, size: int = 1) -> None:
        self._size = size

    async def open(self, namespace: str, uri: str, client: Client) -> Content | None:
        return self._content(b"own") if (namespace, uri) == ("ns", "minio://mlpipeline/k") else None

    async def open_place(self, namespace: str, place: Place, client: Client) -> Content | None:
        if place.bucket != "b":
            raise StoreError("Cannot read it")
        return self._content(b"packed")

    def _content(self, data: bytes) -> Content:
        return Content("file", self._size, io.BytesIO(data))


async def content(artifact: Object, **stores: int) -> bytes:
    made = cast(ClaimArtifacts, Stores(**stores))
    return await content_of(made, "ns", {"name": "a", "path": "/tmp/model", **artifact}, cast(Client, None))


async def test_an_artifact_is_packed_as_its_archive_says() -> None:
    plain = await content({"s3": {"key": "k"}, "archive": {"none": {}}})
    archive = await content({"s3": {"key": "k"}})

    assert plain == b"own"
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive))) as tar:
        assert tar.getnames() == ["model"]


async def test_another_store_has_the_archive_itself() -> None:
    assert await content({"s3": PLACE}) == b"packed"
    assert await content({"raw": {"data": "text"}}) == b"text"


@pytest.mark.parametrize(
    ("artifact", "error"),
    [
        ({"s3": {"key": "gone"}}, NotFound),
        ({"s3": {"key": "k"}, "deleted": True}, NotFound),
        ({"s3": {**PLACE, "bucket": "other"}}, NotFound),
        ({"s3": {"key": "../k"}}, BadRequest),
        ({"s3": {**PLACE, "endpoint": "a b"}}, BadRequest),
        ({}, NotFound),
    ],
)
async def test_what_has_no_content_is_refused(artifact: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        await content(artifact)


async def test_a_large_artifact_is_not_held_in_memory() -> None:
    with pytest.raises(BadRequest, match="32 MiB"):
        await content({"s3": {"key": "k"}}, size=MAX_CONTENT + 1)


def test_artifacts_are_found_by_node_side_and_name() -> None:
    nodes = {"n": {"outputs": {"artifacts": [{"name": "a"}]}, "inputs": {"artifacts": [1]}}}
    workflow = {"status": {"nodes": nodes}}

    assert artifact_of(workflow, "n", "outputs", "a") == {"name": "a"}
    for node, side, name in (("n", "inputs", "a"), ("n", "outputs", "b"), ("m", "outputs", "a")):
        with pytest.raises(NotFound):
            artifact_of(workflow, node, side, name)
    with pytest.raises(BadRequest):
        artifact_of(workflow, "n", "other", "a")
