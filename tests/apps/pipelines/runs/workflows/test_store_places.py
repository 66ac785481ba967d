"""Workflows with artifacts in an S3 server that they name, on a real API server; a stand-in for the node ends pods."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.apps.pipelines.artifacts.stores.object_store import ObjectStore, object_store
from tests.apps.pipelines.runs.workflows.test_workflows_service import (
    POD,
    WORKFLOW,
    Folder,
    Node,
    account,
    as_manager,
    ended,
    submit,
)
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow
from tests.kube.live import bare_server, client, managed, room, until
from windlass.apis.core_v1 import Secret
from windlass.apps.pipelines.artifacts.stores.placed_store import PlacedStore
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings, secret_value
from windlass.apps.pipelines.runs.workflows.store_places import ClaimPlaces
from windlass.apps.pipelines.runs.workflows.workflows_service import argo_workflows
from windlass.kube.api import Api
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.meta import ObjectMeta
from windlass.kube.view import untyped

__all__ = ["account", "bare_server", "client", "room"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture
def store(running: ObjectStore) -> ObjectStore:
    running.reset()
    running.make_bucket("data")
    return running


class Writer(Node):
    """Ends pods, after it has copied their input `data` to their output `made`."""

    def __init__(self, client: Client, namespace: str, claim: Path) -> None:
        self.codes: dict[str, int] = {}
        super().__init__(client, namespace, self.codes)
        self._claim = claim
        self.modes: set[int] = set()
        """Of the folders of pods, before they run."""

    async def _end(self, pod: Object) -> None:
        folder = self._claim / ".argo" / pod["metadata"]["name"]
        given = folder / "inputs/data"
        self.modes.add(folder.stat().st_mode & 0o777)
        (folder / "outputs").mkdir(parents=True, exist_ok=True)
        (folder / "outputs/made").write_text(given.read_text().upper() if given.exists() else "nothing")
        await super()._end(pod)


@asynccontextmanager
async def a_platform(client: Client, namespace: str, claim: Path) -> AsyncIterator[Writer]:
    """The controller with a folder in place of all claims, and a node."""

    def folders(api: Api) -> Folder:
        return Folder(api, claim)

    stores: list[RemoteStore] = []

    def places(api: Api, wake: object) -> ClaimPlaces:
        store = RemoteStore(StoreSettings(api), folders(api), allow_local=True)
        stores.append(store)
        return ClaimPlaces(PlacedStore(store, folders(api), partial(secret_value, api)), folders(api), wake)  # type: ignore[arg-type]

    node = Writer(client, namespace, claim)
    task = asyncio.create_task(node.run())
    try:
        async with managed(as_manager(client), argo_workflows(folders, places=places)):
            yield node
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for store in stores:
            await store.close()


@pytest.fixture
async def keys(client: Client, room: str, account: None) -> None:
    metadata = ObjectMeta(name="keys", namespace=room)
    await client.create(Secret(metadata=metadata, string_data={"id": "testing", "secret": "a-secret-key"}))


def place(store: ObjectStore, key: str) -> Object:
    references = {
        "accessKeySecret": {"name": "keys", "key": "id"},
        "secretKeySecret": {"name": "keys", "key": "secret"},
    }
    return {"endpoint": store.endpoint, "bucket": "data", "key": key, "insecure": True, **references}


def copier(store: ObjectStore, source: str, target: str, **fields: object) -> Object:
    made = {"name": "made", "path": "/tmp/made", "archive": {"none": {}}, "s3": place(store, target), **fields}
    return a_container(
        "copy",
        "cp",
        inputs={"artifacts": [{"name": "data", "path": "/tmp/data", "s3": place(store, source)}]},
        outputs={"artifacts": [made]},
    )


async def test_artifacts_are_fetched_published_and_removed_with_the_workflow(
    client: Client, room: str, keys: None, store: ObjectStore, tmp_path: Path
) -> None:
    store.put("data/in/a", b"hello")
    tmp_path.chmod(0o777)
    template = copier(store, "in/a", "out/{{workflow.name}}", artifactGC={"strategy": "OnWorkflowDeletion"})
    async with a_platform(client, room, tmp_path) as node:
        key = await submit(client, room, a_workflow(template))
        done = await ended(client, key)
        kept = store.get("data/out/w")
        await client.delete(WORKFLOW, key, propagation="Background")

        async def gone() -> bool:
            try:
                await client.get(untyped(WORKFLOW), key.name, room)
            except NotFound:
                return True
            return False

        await until(gone)

    assert (done["status"]["phase"], kept, len(node.seen)) == ("Succeeded", b"HELLO", 1), done["status"]
    assert done["metadata"]["finalizers"] == ["workflows.argoproj.io/artifact-gc"]
    assert store.keys("data") == ["in/a"]
    assert node.modes == {0o777}, "containers of any user write their outputs there"
    assert not list((tmp_path / ".argo").iterdir()), "the pod's own folder is removed with its outputs"


async def test_nothing_is_left_of_inputs_of_a_pod_without_outputs(
    client: Client, room: str, keys: None, store: ObjectStore, tmp_path: Path
) -> None:
    store.put("data/in/a", b"large")
    template = copier(store, "in/a", "out/a")
    del template["outputs"]
    async with a_platform(client, room, tmp_path):
        done = await ended(client, await submit(client, room, a_workflow(template)))

        async def removed() -> bool:
            return not list((tmp_path / ".argo").iterdir())

        await until(removed)

    assert done["status"]["phase"] == "Succeeded", done["status"]


async def test_a_retried_workflow_fetches_and_publishes_again(
    client: Client, room: str, keys: None, store: ObjectStore, tmp_path: Path
) -> None:
    """Its pods have the names of those before."""
    store.put("data/in/a", b"old")
    async with a_platform(client, room, tmp_path) as node:
        node.codes["w"] = 1
        key = await submit(client, room, a_workflow(copier(store, "in/a", "out/a")))
        failed = await ended(client, key)
        store.put("data/in/a", b"new")
        node.codes.clear()
        await client.patch(WORKFLOW, key, {"metadata": {"annotations": {"pipelines.windlass.dev/retries": "1"}}})

        async def succeeded() -> bool:
            return dig(await client.get(untyped(WORKFLOW), key.name, room), "status", "phase") == "Succeeded"

        await until(succeeded)

    assert (failed["status"]["phase"], store.get("data/out/a"), len(node.seen)) == ("Failed", b"NEW", 2)


async def test_a_store_that_refuses_ends_the_node_with_the_reason(
    client: Client, room: str, keys: None, store: ObjectStore, tmp_path: Path
) -> None:
    store.put("data/in/a", b"hello")
    missing, unwritable = copier(store, "in/no", "out/a"), copier(store, "in/a", "out/a")
    unwritable["outputs"]["artifacts"][0]["s3"]["bucket"] = "nowhere"
    async with a_platform(client, room, tmp_path) as node:
        first = await ended(client, await submit(client, room, a_workflow(missing, name="first")))
        second = await ended(client, await submit(client, room, a_workflow(unwritable, name="second")))

    assert (first["status"]["phase"], second["status"]["phase"], len(node.seen)) == ("Error", "Error", 1)
    assert first["status"]["message"] == (
        f"inputs.artifacts.data: Cannot fetch s3://data/in/no with the Secret {room}/keys: "
        "there is no such object, and none below it"
    )
    assert second["status"]["message"].startswith(f"Cannot publish s3://nowhere/out/a with the Secret {room}/keys: ")


async def test_objects_are_listed_and_completed_artifacts_removed(
    client: Client, room: str, keys: None, store: ObjectStore, tmp_path: Path
) -> None:
    for name in ("a.csv", "b.txt", "c.csv"):
        store.put(f"data/in/{name}", b"x")
    source = {"name": "s", "s3": place(store, "in")}
    listing = {
        "name": "list",
        "data": {
            "source": {"artifactPaths": source},
            "transformation": [{"expression": "filter(data, {# endsWith '.csv'})"}],
        },
    }
    template = copier(store, "{{inputs.parameters.k}}", "out/{{inputs.parameters.k}}")
    template["inputs"]["parameters"] = [{"name": "k"}]
    loop = a_task(
        "each",
        "copy",
        dependencies=["list"],
        withParam="{{tasks.list.outputs.result}}",
        arguments={"parameters": [{"name": "k", "value": "{{item}}"}]},
    )
    workflow = a_workflow(
        a_dag("main", a_task("list"), loop), listing, template, artifactGC={"strategy": "OnWorkflowCompletion"}
    )
    async with a_platform(client, room, tmp_path) as node:
        key = await submit(client, room, workflow)
        done = await ended(client, key)

        async def removed() -> bool:
            found = await client.get(untyped(WORKFLOW), key.name, room)
            artifacts = [
                artifact
                for each in dig(found, "status", "nodes").values()
                for artifact in dig_list(each, "outputs", "artifacts")
            ]
            return bool(artifacts) and all(artifact.get("deleted") for artifact in artifacts)

        await until(removed)

    assert (done["status"]["phase"], len(node.seen)) == ("Succeeded", 2), done["status"]
    assert store.keys("data") == ["in/a.csv", "in/b.txt", "in/c.csv"]
    assert (await client.list(untyped(POD), room)).items
