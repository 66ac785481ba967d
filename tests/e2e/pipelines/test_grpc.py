"""The pipelines API by gRPC, from a pod: the unmodified client of gRPC runs a pipeline. See grpc_stories.py."""

import json
from pathlib import Path

import pytest

from tests.apps.pipelines.wire.people import IR, PipelinesUser
from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp
from tests.support import eventually

pytestmark = pytest.mark.timeout(600)

STORY = Path(__file__).with_name("grpc_stories.py")


def test_a_pod_runs_a_pipeline_by_grpc_and_rest_shows_the_same(desk: Desk, kfp: Kfp) -> None:
    desk.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "by-grpc",
                "labels": {"access-ml-pipeline": "true"},
                "annotations": {"images.windlass.dev/packages": "grpcio-reflection>=1.70"},
            },
            "spec": {
                "restartPolicy": "Never",
                "serviceAccountName": "default-editor",
                "containers": [
                    {
                        "name": "main",
                        "image": "python:3.11",
                        "command": ["python3", "-c", STORY.read_text(), json.dumps(IR), "run by gRPC"],
                    }
                ],
            },
        }
    )
    eventually(lambda: desk.get("pod", "by-grpc")["status"].get("phase") in ("Succeeded", "Failed"), 240, "its end")

    log = desk.kubectl("logs", "by-grpc")
    assert desk.get("pod", "by-grpc")["status"]["phase"] == "Succeeded", log
    without_token, run = json.loads(log.strip().splitlines()[-1])
    assert without_token == "UNAUTHENTICATED"
    assert (run["state"], run["display_name"]) == ("SUCCEEDED", "run by gRPC")
    assert run["runtime_config"]["parameters"] == {"name": "gRPC", "n": 3.0}
    shown = PipelinesUser(kfp.url, kfp.token, kfp.namespace, desk.person.email).get(f"/runs/{run['run_id']}")
    assert {name: shown[name] for name in ("state", "created_at", "finished_at", "experiment_id")} == {
        name: run[name] for name in ("state", "created_at", "finished_at", "experiment_id")
    }
    states = {task["display_name"]: task["state"] for task in run["run_details"]["task_details"]}
    assert states["say"] == "SUCCEEDED"
