"""Runs whose artifacts are in a real object store: fetched before a pod starts, published before a task completes."""

import asyncio
import base64
import errno
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from tests.apps.pipelines.artifacts.stores.object_store import KEYS, ObjectStore, object_store
from tests.apps.pipelines.runs.ir.world import KEY, NAMESPACE, RUN_ID, WORKFLOWS, RunWorld
from tests.support import free_port
from windlass.apps.pipelines.model import Artifact, RunState, Task, TaskState
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.ir.workspace import CLAIMS
from windlass.kube.json import Object
from windlass.kube.meta import Key

DATASET = {"artifactType": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"}}
IN_ARGS = ["{{$.inputs.artifacts['data'].path}}"]
OUT_ARGS = ["{{$.outputs.artifacts['data'].path}}"]


class StoreWorld(RunWorld):
    options = PipelineOptions(allow_local_endpoints=True)

    def configure(self, endpoint: str, **data: str) -> None:
        default = {"endpoint": endpoint, "disableSSL": True, "maxRetries": 1}
        providers = yaml.safe_dump({"s3": {"default": default}})
        self.put("ConfigMap", "kfp-launcher", data={"providers": providers, **data})
        encoded = {name: base64.b64encode(value.encode()).decode() for name, value in KEYS.items()}
        self.put("Secret", "mlpipeline-minio-artifact", data=encoded)

    def put(self, kind: str, name: str, **fields: Any) -> None:
        metadata = {"name": name, "namespace": NAMESPACE}
        self.server.put({"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields})

    def file(self, path: str) -> Path:
        return self.volumes / "artifacts" / path.lstrip("/")

    async def tasks(self) -> dict[str, Task]:
        return {task.name: task for task in await self.database.tasks(RUN_ID)}

    async def artifact(self, task: str, name: str) -> Artifact:
        ids = (await self.tasks())[task].outputs.artifacts[name]
        return (await self.database.artifacts(ids))[ids[0]]

    async def step_until(self, is_reached: Callable[[], Awaitable[bool]]) -> None:
        deadline = time.monotonic() + 30
        while not await is_reached():
            assert time.monotonic() < deadline, [task.error for task in await self.database.tasks(RUN_ID)]
            await self.controller.step(KEY)
            await asyncio.sleep(0.01)

    async def has_pods(self, count: int = 1) -> bool:
        return len(self.pod_objects) >= count

    async def has_ended(self) -> bool:
        run = await self.database.run(RUN_ID)
        return run is not None and run.state in (RunState.SUCCEEDED, RunState.FAILED)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture
def store(running: ObjectStore) -> ObjectStore:
    running.reset()
    running.make_bucket("data")
    return running


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[StoreWorld]:
    folder = tmp_path / "world"
    opened = await StoreWorld.open(folder)
    assert isinstance(opened, StoreWorld)
    yield opened
    await opened.controller.close()
    await opened.database.close()


def a_pipeline(tasks: Object, components: Object, executors: Object) -> Object:
    return {
        "pipelineInfo": {"name": "squares"},
        "schemaVersion": "2.1.0",
        "sdkVersion": "kfp-2.17.0",
        "root": {"dag": {"tasks": tasks}},
        "components": components,
        "deploymentSpec": {"executors": executors},
    }


def a_task(name: str, component: str, **fields: Any) -> Object:
    return {"taskInfo": {"name": name}, "componentRef": {"name": component}, **fields}


def a_container(args: list[str]) -> Object:
    return {"container": {"image": "python:3.11", "command": ["true"], "args": args}}


def importing(uri: str, **importer: Any) -> Object:
    read = {"artifacts": {"data": {"taskOutputArtifact": {"producerTask": "load", "outputArtifactKey": "artifact"}}}}
    return a_pipeline(
        {
            "load": a_task("load", "comp-load"),
            "use": a_task("use", "comp-use", dependentTasks=["load"], inputs=read),
        },
        {
            "comp-load": {"executorLabel": "exec-load", "outputDefinitions": {"artifacts": {"artifact": DATASET}}},
            "comp-use": {"executorLabel": "exec-use", "inputDefinitions": {"artifacts": {"data": DATASET}}},
        },
        {
            "exec-load": {
                "importer": {
                    "artifactUri": {"constant": uri},
                    "typeSchema": DATASET["artifactType"],
                    **importer,
                }
            },
            "exec-use": a_container(IN_ARGS),
        },
    )


def making() -> Object:
    return a_pipeline(
        {"make": a_task("make", "comp-make")},
        {"comp-make": {"executorLabel": "exec-make", "outputDefinitions": {"artifacts": {"data": DATASET}}}},
        {"exec-make": a_container(OUT_ARGS)},
    )


async def test_an_imported_object_is_a_file_before_the_pod_that_reads_it_starts(
    world: StoreWorld, store: ObjectStore
) -> None:
    store.put("data/in/table.csv", b"a,b\n")
    world.configure(store.endpoint)
    await world.submit(importing("s3://data/in/table.csv"))

    await world.controller.step(KEY)
    assert world.pod_objects == []
    await world.step_until(world.has_pods)

    path = world.pod_objects[0]["spec"]["containers"][0]["args"][-1]
    assert path == "/s3/data/in/table.csv"
    assert world.file(path).read_bytes() == b"a,b\n"
    assert world.woken == [KEY]
    assert (await world.artifact("load", "artifact")).has_content
    world.end(world.pod_objects[0], "Succeeded", 0)
    await world.step_until(world.has_ended)
    assert {task.state for task in (await world.tasks()).values()} == {TaskState.COMPLETE}


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        (
            "s3://data/none",
            "Cannot fetch s3://data/none with the Secret ml/mlpipeline-minio-artifact: there is no such",
        ),
        ("s3://elsewhere/none", "NoSuchBucket"),
        ("https://example.com/a", "input artifact data: https://example.com/a has no local path"),
        ("az://container/a", "az://container/a: providers.az.default.account: is required"),
    ],
)
async def test_an_input_that_cannot_be_fetched_fails_its_task_and_no_pod_starts(
    world: StoreWorld, store: ObjectStore, uri: str, reason: str
) -> None:
    world.configure(store.endpoint)
    await world.submit(importing(uri))

    await world.step_until(world.has_ended)

    use = (await world.tasks())["use"]
    assert use.state is TaskState.FAILED
    assert use.error is not None
    assert reason in use.error.message
    assert world.pod_objects == []


async def test_a_store_that_cannot_be_reached_fails_the_task_with_the_address(world: StoreWorld) -> None:
    port = free_port()
    world.configure(f"127.0.0.1:{port}")
    await world.submit(importing("s3://data/a"))

    await world.step_until(world.has_ended)

    error = (await world.tasks())["use"].error
    assert error is not None
    assert f"cannot connect to 127.0.0.1:{port}" in error.message


async def test_settings_that_are_not_valid_fail_the_task_by_their_field(world: StoreWorld) -> None:
    world.configure("user:password@host")
    await world.submit(importing("s3://data/a"))

    await world.step_until(world.has_ended)

    error = (await world.tasks())["use"].error
    assert error is not None
    assert "ConfigMap kfp-launcher" in error.message
    assert "providers.s3.default.endpoint" in error.message


async def test_a_run_that_waits_for_a_store_ends_at_once_when_a_user_ends_it(world: StoreWorld) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        world.configure(f"127.0.0.1:{silent.getsockname()[1]}")
        await world.submit(importing("s3://data/a"))
        await world.controller.step(KEY)
        connection, _ = await asyncio.to_thread(silent.accept)
        workflow = world.server.objects[WORKFLOWS, KEY]

        world.server.put({**workflow, "spec": {**workflow["spec"], "shutdown": "Terminate"}})
        await world.step_until(world.has_ended)

        connection.close()
        assert world.pod_objects == []


async def ended_pod(world: StoreWorld, content: bytes | None) -> str:
    """Run the pod of `make`; answers the path of its output in the claim."""
    await world.step_until(world.has_pods)
    path = world.pod_objects[0]["spec"]["containers"][0]["args"][-1]
    if content is not None:
        world.file(path).parent.mkdir(parents=True, exist_ok=True)
        world.file(path).write_bytes(content)
    world.end(world.pod_objects[0], "Succeeded", 0)
    return path


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_output_is_in_the_store_before_its_task_is_complete(
    world: StoreWorld, store: ObjectStore, is_restarted: bool
) -> None:
    world.configure(store.endpoint, defaultPipelineRoot="s3://data/root")
    await world.submit(making())
    path = await ended_pod(world, b"result")

    await world.controller.step(KEY)
    assert (await world.tasks())["make"].state is TaskState.RUNNING
    if is_restarted:
        await world.controller.close()
        world.restart()
    await world.step_until(world.has_ended)

    made = await world.artifact("make", "data")
    assert made.uri == f"s3:/{path.removeprefix('/s3')}"
    assert made.uri.startswith(f"s3://data/root/squares/{RUN_ID}/make/")
    assert store.get(made.uri.removeprefix("s3://")) == b"result"
    assert made.has_content
    assert (await world.tasks())["make"].state is TaskState.COMPLETE


async def test_an_output_that_was_not_written_is_not_published(world: StoreWorld, store: ObjectStore) -> None:
    world.configure(store.endpoint)
    await world.submit(making(), pipeline_root="s3://data/root?region=eu-1")
    await ended_pod(world, None)

    await world.step_until(world.has_ended)

    assert not (await world.artifact("make", "data")).has_content
    assert store.keys("data") == []


async def test_an_output_that_cannot_be_published_fails_its_task(world: StoreWorld, store: ObjectStore) -> None:
    world.configure(store.endpoint)
    await world.submit(making(), pipeline_root="s3://elsewhere/root")
    await ended_pod(world, b"result")

    await world.step_until(world.has_ended)

    error = (await world.tasks())["make"].error
    assert error is not None
    assert "Cannot publish s3://elsewhere/root" in error.message
    assert "NoSuchBucket" in error.message


async def test_an_output_for_which_the_disk_has_no_space_fails_its_task_with_the_reason(
    world: StoreWorld, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("windlass.apps.pipelines.artifacts.stores.remote_transfers.upload", full)
    world.configure(store.endpoint)
    await world.submit(making(), pipeline_root="s3://data/root")
    await ended_pod(world, b"result")
    await world.step_until(world.has_ended)

    task = (await world.tasks())["make"]
    assert task.state is TaskState.FAILED
    assert task.error is not None
    assert "Cannot publish s3://data/root" in task.error.message
    assert "No space left on device" in task.error.message


@pytest.mark.parametrize(("bucket", "problem"), [("data", ""), ("elsewhere", "NoSuchBucket")])
async def test_an_output_to_which_its_task_gave_a_place_in_another_store_is_published_there(
    world: StoreWorld, store: ObjectStore, bucket: str, problem: str
) -> None:
    world.configure(store.endpoint)
    await world.submit(making(), pipeline_root="minio://mlpipeline/own")
    await world.step_until(world.has_pods)
    (pod,) = world.pod_objects
    path = PurePosixPath(pod["spec"]["containers"][0]["args"][-1])
    mounts = {mount["mountPath"]: mount for mount in pod["spec"]["containers"][0]["volumeMounts"]}
    uri = f"s3://{bucket}/chosen"
    written = {"artifacts": {"data": {"artifacts": [{"name": "data", "uri": uri}]}}}
    for file, content in (
        (f"{mounts['/s3']['subPath']}/{bucket}/chosen", "result"),
        (output_file(path), json.dumps(written)),
    ):
        world.file(file).parent.mkdir(parents=True, exist_ok=True)
        world.file(file).write_text(content)
    world.end(pod, "Succeeded", 0)
    await world.step_until(world.has_ended)

    task = (await world.tasks())["make"]
    assert task.state is (TaskState.FAILED if problem else TaskState.COMPLETE)
    if problem:
        assert task.error is not None
        assert f"Cannot publish {uri}" in task.error.message
        assert problem in task.error.message
    else:
        assert (await world.artifact("make", "data")).uri == uri
        assert store.get("data/chosen") == b"result"


def output_file(output: PurePosixPath) -> str:
    """The executor output of the task that has an output artifact at a path."""
    return str(output.with_name("output_metadata.json"))


async def test_a_run_in_the_claim_alone_transfers_nothing(world: StoreWorld) -> None:
    await world.submit(making(), pipeline_root="minio://mlpipeline/own")
    await ended_pod(world, b"result")
    await world.step_until(world.has_ended)

    assert world.woken == []
    assert not world.file(".remote").exists()


def bind_workspace(world: StoreWorld) -> Path:
    spec = {"volumeName": "workspace"}
    world.put("PersistentVolumeClaim", f"{KEY.name}-kfp-workspace", spec=spec)
    csi = {"driver": "shared.windlass.dev", "volumeHandle": "workspace"}
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "workspace"}, "spec": {"csi": csi}}
    world.server.put(volume)
    return world.volumes / "workspace"


@pytest.mark.parametrize("scheme", ["s3", "minio"])
async def test_an_import_is_copied_into_the_workspace_if_it_asks_for_that(
    world: StoreWorld, store: ObjectStore, scheme: str
) -> None:
    store.put("data/model/weights", b"1")
    world.file("minio/data/model").mkdir(parents=True)
    world.file("minio/data/model/weights").write_bytes(b"1")
    world.configure(store.endpoint)
    workspace = bind_workspace(world)
    spec = importing(f"{scheme}://data/model", downloadToWorkspace=True)
    patch = {"workspace": {"size": "1Gi", "kubernetes": {"pvcSpecPatch": {"accessModes": ["ReadWriteMany"]}}}}
    await world.submit(spec, platform_spec={"platforms": {"kubernetes": {"pipelineConfig": patch}}})

    await world.step_until(world.has_pods)

    assert (workspace / f".artifacts/{scheme}/data/model/weights").read_bytes() == b"1"
    assert (await world.artifact("load", "artifact")).metadata == {"_kfp_workspace": True}
    path = world.pod_objects[0]["spec"]["containers"][0]["args"][-1]
    assert path == f"/kfp-workspace/.artifacts/{scheme}/data/model"


@pytest.mark.parametrize(
    ("given", "into_workspace", "used"),
    [
        (None, True, "windlass-shared"),
        ("standard", True, "windlass-shared"),
        ("fast-disks", True, "fast-disks"),
        (None, False, None),
        ("standard", False, "standard"),
    ],
)
async def test_a_workspace_that_imports_are_copied_into_exists_before_the_first_pod(
    world: StoreWorld, given: str | None, into_workspace: bool, used: str | None
) -> None:
    patch = {"accessModes": ["ReadWriteOnce"]} | ({"storageClassName": given} if given else {})
    config = {"workspace": {"size": "1Gi", "kubernetes": {"pvcSpecPatch": patch}}}
    spec = importing("minio://data/model", downloadToWorkspace=into_workspace)
    await world.submit(spec, platform_spec={"platforms": {"kubernetes": {"pipelineConfig": config}}})

    await world.controller.step(KEY)

    claim = world.server.objects[CLAIMS, Key(NAMESPACE, f"{KEY.name}-kfp-workspace")]
    assert claim["spec"].get("storageClassName") == used


async def test_an_import_into_a_workspace_that_is_not_declared_says_what_to_do(world: StoreWorld) -> None:
    await world.submit(importing("s3://data/model", downloadToWorkspace=True))

    await world.step_until(world.has_ended)

    error = (await world.tasks())["load"].error
    assert error is not None
    assert "importer.downloadToWorkspace: the pipeline declares no workspace" in error.message
