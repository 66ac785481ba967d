"""The documents' own pipeline, driven by the unmodified kfp SDK 1.8: an Argo Workflow, uploaded and run."""

import base64
import gzip
import io
import tarfile
from itertools import pairwise
from typing import Any

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp

pytestmark = pytest.mark.timeout(600)


def test_the_pipeline_of_the_documents_runs_as_a_workflow(kfp: Kfp, desk: Desk) -> None:
    found = kfp.v1_story("seed")

    assert found["status"] == "Succeeded", found
    assert found["nodes"] == dict.fromkeys(["create-pvc", "train", "predict", "print-result"], "Succeeded")
    assert found["parameters"] == ["epochs", "pvc_size"]
    assert found["template"]
    assert desk.get("pvc", f"{found['name']}-data-volume")["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert content(found["artifact"]) == b"2.0,4.0,6.0"


def content(data: str) -> bytes:
    """The single file of an artifact as Argo keeps it: an archive, which the API gives as base64."""
    raw = base64.b64decode(data)
    if raw[:2] != b"\x1f\x8b":
        return raw
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(raw))) as tar:
        file = tar.extractfile(tar.getmembers()[0])
        assert file is not None
        return file.read()


@pytest.fixture(scope="module")
def features(kfp: Kfp, desk: Desk) -> Any:
    """What became of a pipeline for each feature of the SDK, all of them run at once."""
    desk.kubectl("create", "secret", "generic", "kfp1-secret", "--from-literal=word=hidden")
    return kfp.features_of_v1("default-editor")


def written(run: Any, name: str) -> list[str]:
    """The output artifacts that the pods of this name have, in the order of the nodes' names."""
    nodes = [node for node in run["nodes"] if node["name"] == name and node["type"] == "Pod"]
    return [text for node in nodes for text in node["artifacts"].values()]


def phases(run: Any) -> dict[str, str]:
    return {node["name"]: node["phase"] for node in run["nodes"]}


@pytest.mark.parametrize(
    ("pipeline", "task", "texts"),
    [
        ("static-loop", "double", ["2", "4", "6"]),
        ("loop-of-items", "say", ["x1", "y2"]),
        ("loop-over-output", "double-2", ["0", "4", "8"]),
        ("loop-over-argument", "say", ["p", "q"]),
        ("nested-loops", "say", ["1.0", "2.0", "2.1"]),
        ("limited-loop", "double", ["2", "4", "6"]),
        ("condition-in-loop", "double", ["4", "6"]),
        ("recursion", "double-2", ["32", "16", "8"]),
        ("helpers", "main", ["first-beside"]),
        ("environment", "read", ["hidden plain hidden\n"]),
        ("artifacts", "cat", ["abc line!"]),
        ("artifacts", "cat-2", ["a constantnone"]),
        ("artifacts", "collect", ["[0, 3, 6] abc line abc line!"]),
        ("artifacts", "write", ["0 1 2", "abc line"]),
        ("resources", "say", ["1"]),
    ],
)
def test_a_pipeline_of_the_sdk_writes_its_outputs(features: Any, pipeline: str, task: str, texts: list[str]) -> None:
    run = features[pipeline]

    assert run["status"] == "Succeeded", run
    assert written(run, task) == texts


def test_conditions_skip_what_does_not_hold(features: Any) -> None:
    run = features["conditions"]

    assert run["status"] == "Succeeded", run
    assert phases(run) == {
        run["nodes"][0]["name"]: "Succeeded",
        "double": "Succeeded",
        "condition-more-1": "Succeeded",
        "say": "Succeeded",
        "condition-ten-2": "Succeeded",
        "say-2": "Succeeded",
        "condition-other-3": "Skipped",
        "condition-less-4": "Skipped",
    }


def in_sequence(run: Any, *names: str) -> bool:
    """Whether no two pods of these names ran at the same time, as far as whole seconds tell."""
    spans = sorted((node["start"], node["end"]) for node in run["nodes"] if node["name"] in names)
    return all(before[1] <= after[0] for before, after in pairwise(spans))


def test_limits_of_parallelism_apply(features: Any) -> None:
    loop = features["limited-loop"]
    for number in range(3):
        inside = [node for node in loop["nodes"] if f"for-loop-2({number}:" in node["path"]]
        assert in_sequence({"nodes": inside}, "double", "double-2")

    assert in_sequence(features["configured"], "left", "right")


def test_the_exit_handler_runs_after_a_failure_and_knows_of_it(features: Any) -> None:
    run = features["exit-handler"]

    assert run["status"] == "Failed", run
    (handler,) = [node for node in run["nodes"] if node["name"].endswith(".onExit")]
    assert handler["artifacts"] == {"cleanup-status": "Failed\n"}


def test_a_task_is_tried_again_until_it_succeeds(features: Any) -> None:
    run = features["retries"]

    assert run["status"] == "Succeeded", run
    tries = {name: phase for name, phase in phases(run).items() if name.startswith("flaky(")}
    assert tries == {"flaky(0)": "Failed", "flaky(1)": "Failed", "flaky(2)": "Succeeded"}


def test_a_task_and_a_pipeline_end_at_their_timeouts(features: Any) -> None:
    task, whole = features["timeout"], features["timed-out-whole"]

    assert (task["status"], whole["status"]) == ("Failed", "Failed")
    assert "DeadlineExceeded" in task["error"]
    assert whole["error"] == "Max duration limit exceeded"


def test_a_task_need_not_write_what_the_dashboard_would_show(features: Any) -> None:
    assert features["unwritten"]["status"] == "Succeeded", features["unwritten"]


def test_a_volume_of_the_pipeline_is_deleted_by_kubectl(features: Any, desk: Desk) -> None:
    assert features["deleted-volume"]["status"] == "Succeeded", features["deleted-volume"]
    assert [claim for claim in desk.find("pvc") if claim["metadata"]["name"].endswith("-gone")] == []


def test_an_image_that_cannot_be_had_fails_the_run_with_the_reason(features: Any) -> None:
    run = features["unknown-image"]

    assert run["status"] == "Failed", run
    assert "registry.invalid/lost:1" in run["error"]


def test_settings_of_the_pipeline_reach_the_workflow_and_its_pods(features: Any, desk: Desk) -> None:
    run = features["configured"]

    assert run["status"] == "Succeeded", run
    assert run["spec"]["ttlStrategy"] == {"secondsAfterCompletion": 86_400}
    assert (run["spec"]["activeDeadlineSeconds"], run["spec"]["parallelism"]) == (600, 1)
    assert run["spec"]["podDisruptionBudget"] == {"minAvailable": "50%"}
    left, right = desk.find("pods", transformed="yes")
    for pod in (left, right):
        assert pod["spec"]["imagePullSecrets"] == [{"name": "kfp1-registry"}]
        assert pod["spec"]["nodeSelector"] == {"kubernetes.io/os": "linux"}
    assert features["placed-task"]["status"] == "Succeeded"


def test_a_second_run_takes_its_outputs_from_the_cache(features: Any) -> None:
    first, second = features["artifacts"], features["artifacts-again"]
    pods = [node for node in second["nodes"] if node["type"] == "Pod"]

    assert second["status"] == "Succeeded", second
    assert {node["message"] for node in pods} == {"This step output is taken from cache"}
    for task in ("cat", "cat-2", "collect", "write"):
        assert written(second, task) == written(first, task)
