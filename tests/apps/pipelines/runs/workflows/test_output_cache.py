"""Which recorded outputs of v1 runs may be reused."""

import time
from typing import Any, cast

import pytest

from tests.apps.pipelines.workflows import a_container
from windlass.apps.pipelines.argo.kfp.run_records import task_id
from windlass.apps.pipelines.argo.observation import CacheLookup
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.apps.pipelines.history import History
from windlass.apps.pipelines.model import Artifact, Task, TaskState, Values
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.workflows.output_cache import RecordedOutputs

HOUR = 3600
TASK_ID = task_id("r", "w-1")


class Recorded:
    """One task that ended an hour ago, with a parameter and an artifact."""

    async def cached(self, namespace: str, pipeline_name: str | None, fingerprint: str) -> list[Task]:
        outputs = Values(parameters={"p": "v"}, artifacts={"model": ["a1"]})
        task = Task(
            task_id=TASK_ID, run_id="r", path="root.a", name="a", outputs=outputs, finished_at=time.time() - HOUR
        )
        is_found = (namespace, pipeline_name, fingerprint) == ("ns", None, "key")
        return [task] if is_found and task.state is not TaskState.FAILED else []

    async def manifest(self, run_id: str) -> bytes | None:
        return b'{"status": {"nodes": {"w-1": {"outputs": {"result": "printed"}}, "w-2": {}}}}'

    async def artifacts(self, ids: list[str]) -> dict[str, Artifact]:
        return {"a1": Artifact(artifact_id="a1", uri="minio://mlpipeline/artifacts/w/model.tgz")}


class Folders:
    def __init__(self, *, has_artifact: bool) -> None:
        self._has_artifact = has_artifact

    async def exists(self, namespace: str, path: str) -> bool:
        return self._has_artifact and (namespace, path) == ("ns", "minio/mlpipeline/artifacts/w/model.tgz")


async def found(staleness: str = "", *, has_artifact: bool = True, **options: Any) -> bool:
    async def open_history() -> History:
        return cast(History, Recorded())

    folders = cast(ClaimFolders, Folders(has_artifact=has_artifact))
    annotations = {"pipelines.kubeflow.org/max_cache_staleness": staleness} if staleness else {}
    lookup = CacheLookup(key="key", template=a_container("c", metadata={"annotations": annotations}))
    outputs = await RecordedOutputs(PipelineOptions(**options), open_history, folders).find("ns", lookup)
    if outputs is not None:
        assert (outputs.task_id, outputs.parameters) == (TASK_ID, {"p": "v"})
        assert outputs.artifacts == {"model": "artifacts/w/model.tgz"}
    return outputs is not None


async def test_outputs_are_reused_while_their_artifacts_exist() -> None:
    assert await found()
    assert not await found(has_artifact=False)


async def test_a_result_is_that_of_the_workflow_that_was_kept() -> None:
    async def open_history() -> History:
        return cast(History, Recorded())

    folders = cast(ClaimFolders, Folders(has_artifact=True))
    lookup = CacheLookup(key="key", template=a_container("c"), has_result=True)

    outputs = await RecordedOutputs(PipelineOptions(), open_history, folders).find("ns", lookup)

    assert outputs is not None
    assert outputs.result == "printed"


async def test_nothing_is_reused_where_the_server_says_so() -> None:
    assert not await found(is_cache_enabled=False)


@pytest.mark.parametrize(
    ("staleness", "options", "expected"),
    [
        ("PT2H", {}, True),
        ("PT30M", {}, False),
        ("P0D", {}, False),
        ("", {"default_cache_staleness": "PT30M"}, False),
        ("PT2H", {"default_cache_staleness": "PT30M"}, True),
        ("P7D", {"maximum_cache_staleness": "PT30M"}, False),
    ],
)
async def test_outputs_are_not_older_than_task_and_server_allow(
    staleness: str, options: dict[str, Any], expected: bool
) -> None:
    assert await found(staleness, **options) is expected
