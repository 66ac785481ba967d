"""A pipeline, its version and its schedule by kubectl alone, from the example of the documents."""

from pathlib import Path

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp
from tests.support import eventually

EXAMPLE = Path(__file__).parents[3] / "examples" / "pipelines" / "kubectl.yaml"
SCHEDULE = "train-every-hour"
pytestmark = pytest.mark.timeout(600)


def test_a_pipeline_is_applied_scheduled_run_and_removed_by_kubectl(kfp: Kfp, desk: Desk) -> None:
    desk.apply(EXAMPLE.read_text().replace("0 0 * * * *", "*/2 * * * * *"))

    def finished() -> list[str]:
        names = [workflow["metadata"]["name"] for workflow in desk.find("workflows") if is_succeeded(workflow)]
        return [name for name in names if name.startswith(SCHEDULE)]

    eventually(lambda: len(finished()) >= 2, 120, "two runs have succeeded")
    desk.kubectl("patch", "swf", SCHEDULE, "--type=merge", "-p", '{"spec": {"enabled": false}}')
    version = desk.get("pipelineversion", "train-and-predict-1")
    pipeline = desk.get("pipeline.pipelines.kubeflow.org", "train-and-predict")
    run_id = desk.get("workflow", finished()[0])["metadata"]["labels"]["pipeline/runid"]
    assert kfp.tells("log_of", run_id, "predict").strip() == "5 [2.0, 4.0, 6.0]"

    found = kfp.tells("run_of_version", pipeline["metadata"]["uid"], version["metadata"]["uid"])

    assert found == {"state": "SUCCEEDED", "version": "1", "listed": True}
    desk.kubectl("delete", "-f", str(EXAMPLE))
    assert kfp.tells("pipeline_status", pipeline["metadata"]["uid"]) == 404


def is_succeeded(workflow: dict[str, object]) -> bool:
    status = workflow.get("status")
    return isinstance(status, dict) and status.get("phase") == "Succeeded"
