"""Runs on a cluster: artifacts in a real object store, copied by the containers beside that of a task.

The programs of these containers run here, in folders that stand for the volumes of pods.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.artifacts.stores.object_store import KEYS, ObjectStore, object_store
from tests.apps.pipelines.runs.artifacts.test_remote_artifacts import DATASET, StoreWorld, a_pipeline, a_task, importing
from tests.apps.pipelines.runs.ir.world import RUN_ID
from windlass.apps.pipelines.artifacts import transfer
from windlass.apps.pipelines.model import RunState, TaskState
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.artifacts.exchanges import artifact_exchange
from windlass.kube.client import Client
from windlass.kube.json import Object

MAIN = "main"
NUMBER = {"parameterType": "NUMBER_INTEGER"}


class ClusterWorld(StoreWorld):
    """A manager without folders of claims, and pods with volumes of their own."""

    @property
    def exchange_options(self) -> PipelineOptions:
        return self.options

    def bind_claim(self) -> None:
        (self.volumes / "pods").mkdir(parents=True)

    async def run_pod(self, pod: Object, program: Callable[["Container"], int]) -> None:
        """Run the containers of a pod as a node would; `program` is the main one's."""
        name = pod["metadata"]["name"]
        folder = self.volumes / "pods" / name
        secrets = folder / "secrets" / "mlpipeline-minio-artifact"
        for path in (folder / "volume", secrets):
            path.mkdir(parents=True)
        for key, value in KEYS.items():
            (secrets / key).write_text(value)
        statuses: list[Object] = []
        code: int | None = None
        for container in pod["spec"].get("initContainers", []):
            words = container["command"]
            if container["name"] == "publish-artifacts":
                code = program(Container(pod, folder / "volume"))
            ended = await asyncio.to_thread(copy, folder, words[words.index(transfer.__name__) + 1 :])
            statuses.append({"name": container["name"], "state": {"terminated": ended}})
            if ended["exitCode"] and code is None:
                self.server.put({**pod, "status": {"phase": "Failed", "initContainerStatuses": statuses}})
                return
        code = program(Container(pod, folder / "volume")) if code is None else code
        main = {"name": MAIN, "state": {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed"}}}
        phase = "Failed" if code else "Succeeded"
        status = {"phase": phase, "containerStatuses": [main], "initContainerStatuses": statuses}
        self.server.put({**pod, "status": status})

    async def run_until_ended(self, program: Callable[["Container"], int]) -> None:
        ran: set[str] = set()

        async def has_new_pods() -> bool:
            return bool(self._pending(ran)) or await self.has_ended()

        while not await self.has_ended():
            await self.step_until(has_new_pods)
            for pod in self._pending(ran):
                ran.add(pod["metadata"]["name"])
                await self.run_pod(pod, program)

    def _pending(self, ran: set[str]) -> list[Object]:
        return [pod for pod in self.pod_objects if pod["metadata"]["name"] not in ran]


class Container:
    """The main container of a pod, as its program sees it."""

    def __init__(self, pod: Object, volume: Path) -> None:
        self.args: list[str] = pod["spec"]["containers"][0].get("args", [])
        self.name: str = pod["metadata"]["name"]
        mounts = pod["spec"]["containers"][0]["volumeMounts"]
        self._mounts = {mount["mountPath"]: mount["subPath"] for mount in mounts if mount["name"] == "artifacts"}
        self._volume = volume
        for sub_path in self._mounts.values():
            (volume / sub_path).mkdir(parents=True, exist_ok=True)

    def path(self, inside: str) -> Path:
        mount = max((path for path in self._mounts if f"{inside}/".startswith(f"{path}/")), key=len)
        return self._volume / self._mounts[mount] / inside.removeprefix(mount).lstrip("/")


def copy(folder: Path, words: list[str]) -> Object:
    message = folder / "message"
    message.write_text("")
    code = transfer.main(
        words, volume=folder / "volume", secrets=folder / "secrets", workspace=folder / "workspace", message=message
    )
    return {"exitCode": code, "message": message.read_text()}


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
async def world(tmp_path: Path) -> AsyncIterator[ClusterWorld]:
    opened = await ClusterWorld.open(tmp_path / "world")
    assert isinstance(opened, ClusterWorld)
    yield opened
    await opened.controller.close()
    await opened.database.close()


def passing() -> Object:
    """make -> use: a dataset and a number."""
    made = {"artifacts": {"data": DATASET}, "parameters": {"n": NUMBER}}
    read = {
        "artifacts": {"data": {"taskOutputArtifact": {"producerTask": "make", "outputArtifactKey": "data"}}},
        "parameters": {"n": {"taskOutputParameter": {"producerTask": "make", "outputParameterKey": "n"}}},
    }
    use = {"artifacts": {"data": DATASET}, "parameters": {"n": NUMBER}}
    out = ["make", "{{$.outputs.artifacts['data'].path}}", "{{$.outputs.parameters['n'].output_file}}"]
    args = ["use", "{{$.inputs.artifacts['data'].path}}", "{{$.inputs.parameters['n']}}"]
    return a_pipeline(
        {
            "make": {**a_task("make", "comp-make"), "cachingOptions": {"enableCache": True}},
            "use": a_task("use", "comp-use", dependentTasks=["make"], inputs=read),
        },
        {
            "comp-make": {"executorLabel": "exec-make", "outputDefinitions": made},
            "comp-use": {"executorLabel": "exec-use", "inputDefinitions": use},
        },
        {
            "exec-make": {"container": {"image": "python:3.11", "command": ["true"], "args": out}},
            "exec-use": {"container": {"image": "python:3.11", "command": ["true"], "args": args}},
        },
    )


def make_and_use(seen: list[str]) -> Callable[[Container], int]:
    def program(container: Container) -> int:
        verb, path, number = container.args
        seen.append(verb)
        if verb == "make":
            container.path(path).mkdir()
            (container.path(path) / "part").write_text("rows")
            container.path(number).write_text("7")
        else:
            seen.append((container.path(path) / "part").read_text() + number)
        return 0

    return program


async def test_artifacts_and_parameters_go_from_pod_to_pod_by_the_store(
    world: ClusterWorld, store: ObjectStore
) -> None:
    world.configure(store.endpoint, defaultPipelineRoot="s3://data/root")
    await world.submit(passing(), parameters={})
    seen: list[str] = []

    await world.run_until_ended(make_and_use(seen))

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert run.state is RunState.SUCCEEDED, [task.error for task in await world.database.tasks(RUN_ID)]
    assert seen == ["make", "use", "rows7"]
    artifact = await world.artifact("make", "data")
    assert artifact.uri.startswith("s3://data/root/squares/")
    assert artifact.has_content
    assert store.get(f"{artifact.uri.removeprefix('s3://')}/part") == b"rows"
    assert not [kind for (kind, _) in world.server.objects if kind.name == "PersistentVolumeClaim"]


async def test_the_flag_of_the_manager_names_a_root_for_all_namespaces(world: ClusterWorld, store: ObjectStore) -> None:
    world.options = PipelineOptions(
        allow_local_endpoints=True, pipeline_root=f"s3://data/all?endpoint={store.endpoint}&disableSSL=true"
    )
    world.put("Secret", "mlpipeline-minio-artifact", data=encoded(KEYS))
    world.restart()
    await world.submit(passing(), parameters={})
    seen: list[str] = []

    await world.run_until_ended(make_and_use(seen))

    assert seen == ["make", "use", "rows7"]
    assert any(key.startswith("all/squares/") for key in store.keys("data"))


async def test_without_a_root_the_run_is_refused_with_the_setting(world: ClusterWorld) -> None:
    await world.submit(passing(), parameters={})

    await world.step_until(world.has_ended)

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert run.error is not None
    assert "set defaultPipelineRoot in the ConfigMap kfp-launcher" in run.error.message
    assert "--pipelines-root" in run.error.message
    assert world.pod_objects == []


async def test_the_claims_of_an_embedded_windlass_are_no_root(world: ClusterWorld) -> None:
    await world.submit(passing(), parameters={}, pipeline_root="minio://mlpipeline/v2/artifacts")

    await world.step_until(world.has_ended)

    run = await world.database.run(RUN_ID)
    assert run is not None
    assert run.error is not None
    assert "providers.minio.default.endpoint" in run.error.message


async def test_an_import_that_is_missing_fails_the_task_with_its_uri(world: ClusterWorld, store: ObjectStore) -> None:
    world.configure(store.endpoint, defaultPipelineRoot="s3://data/root")
    await world.submit(importing("s3://data/nothing"), parameters={})

    await world.run_until_ended(lambda container: 0)

    task = (await world.tasks())["use"]
    assert task.state is TaskState.FAILED
    assert task.error is not None
    assert task.error.message.startswith("Cannot fetch s3://data/nothing")


async def test_outputs_that_cannot_be_published_fail_the_task_with_the_reason(
    world: ClusterWorld, store: ObjectStore
) -> None:
    world.configure(store.endpoint, defaultPipelineRoot="s3://data/root")
    await world.submit(passing(), parameters={})

    def elsewhere(container: Container) -> int:
        folder = container.path(container.args[1]).parent
        container.path("/s3/no-bucket").mkdir()
        (container.path("/s3/no-bucket") / "x").write_text("y")
        written = {"artifacts": {"data": {"artifacts": [{"uri": "s3://no-bucket/x"}]}}, "parameterValues": {"n": 1}}
        (folder / "output_metadata.json").write_text(json.dumps(written))
        return 0

    await world.run_until_ended(elsewhere)

    task = (await world.tasks())["make"]
    assert task.state is TaskState.FAILED
    assert task.error is not None
    assert task.error.message.startswith("Cannot publish s3://no-bucket/x")


async def test_a_task_that_writes_no_artifact_records_one_without_content(
    world: ClusterWorld, store: ObjectStore
) -> None:
    world.configure(store.endpoint, defaultPipelineRoot="s3://data/root")
    await world.submit(passing(), parameters={})

    def only_a_number(container: Container) -> int:
        if container.args[0] == "make":
            container.path(container.args[2]).write_text("7")
        return 0

    await world.run_until_ended(only_a_number)

    assert not (await world.artifact("make", "data")).has_content
    assert (await world.tasks())["use"].state is TaskState.COMPLETE


async def test_outputs_may_be_reused_while_the_store_has_them(world: ClusterWorld, store: ObjectStore) -> None:
    world.configure(store.endpoint, defaultPipelineRoot="s3://data/root")
    await world.submit(passing(), parameters={})
    await world.run_until_ended(make_and_use([]))
    made = await world.artifact("make", "data")

    exchange = artifact_exchange(Client(world.server), world.options, world.woken.append)
    try:
        assert await exchange.exists(made)
        store.delete(f"{made.uri.removeprefix('s3://')}/part")
        assert not await exchange.exists(made)
    finally:
        await exchange.close()


def encoded(values: dict[str, str]) -> dict[str, Any]:
    return {name: base64.b64encode(value.encode()).decode() for name, value in values.items()}
