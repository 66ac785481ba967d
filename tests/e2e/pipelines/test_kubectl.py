"""A pipeline, its version and its schedule by kubectl alone, from the example of the documents."""

import json
from pathlib import Path

import pytest
import requests

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
    assert kfp.story("log_of", run_id, "predict").strip() == "5 [2.0, 4.0, 6.0]"

    found = kfp.story("run_of_version", pipeline["metadata"]["uid"], version["metadata"]["uid"])

    assert found == {"state": "SUCCEEDED", "version": "1", "listed": True}
    desk.kubectl("delete", "--ignore-not-found", "-f", str(EXAMPLE))  # versions go with their pipeline
    assert kfp.story("pipeline_status", pipeline["metadata"]["uid"]) == 404


WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: without-pods}
spec:
  entrypoint: main
  podGC: {strategy: OnPodCompletion}
  templates:
  - {name: main, steps: [[{name: a, template: say}, {name: b, template: say}]]}
  - {name: say, container: {image: busybox, command: [sh, -c, "echo one; echo two"]}}
"""


def test_logs_of_a_workflow_outlive_its_pods(kfp: Kfp, desk: Desk) -> None:
    desk.apply(WORKFLOW)
    labels = {"workflows.argoproj.io/workflow": "without-pods"}
    desk.kubectl("wait", "workflow/without-pods", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
    eventually(lambda: not desk.find("pods", **labels), 30, "the pods are gone")

    def log(query: str = "") -> list[str]:
        url = f"{kfp.url}/argo/api/v1/workflows/{desk.namespace}/without-pods/log?{query}"
        answer = requests.get(url, headers={"Authorization": f"Bearer {kfp.token}"}, timeout=30)
        assert answer.status_code == 200, answer.text
        return [json.loads(line)["result"]["content"] for line in answer.text.splitlines()]

    assert log() == ["one", "two"] * 2
    assert log("logOptions.tailLines=1&grep=t") == ["two"] * 2
    desk.kubectl("delete", "workflow", "without-pods")


def is_succeeded(workflow: dict[str, object]) -> bool:
    status = workflow.get("status")
    return isinstance(status, dict) and status.get("phase") == "Succeeded"
