"""The metadata store in pods, read with the unmodified client of ML Metadata. See kfp2_metadata_stories.py."""

from typing import Any

import pytest

from tests.apps.pipelines.wire.metadata.history import History
from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp
from tests.support import eventually
from windlass.apps.pipelines.rows import open_database

pytestmark = pytest.mark.timeout(600)

UNRELATED = """
from ml_metadata import errors
from ml_metadata.metadata_store import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as proto
store = MetadataStore(proto.MetadataStoreClientConfig(host="metadata-grpc-service.kubeflow", port=8080))
try:
    print(store.get_artifacts())
except errors.PermissionDeniedError as error:
    print("refused:", error)
"""


async def test_a_task_reads_the_history_of_its_namespace_and_of_no_other(kfp: Kfp, desk: Desk) -> None:
    database = await open_database(f"sqlite:///{desk.platform.data_dir}/pipelines/pipelines.db")
    elsewhere = await History(namespace="elsewhere").save(database)
    await database.close()
    story = kfp.look_back()

    assert story["state"] == "SUCCEEDED", story["failed"]
    found: dict[str, Any] = story["found"]
    assert found["run"] == ["system.PipelineRun", desk.namespace]
    assert found["pipeline"] == ["system.Pipeline", "looking-back", True]
    assert found["root"] == [f"run/{story['run_id']}", "system.DAGExecution", 2]
    assert found["train"] == ["system.ContainerExecution", "COMPLETE", True, 0.5, 1, True, "python:3.11"]
    assert found["look_back"] == "RUNNING"
    assert found["model"] == ["system.Model", True, 0.9, ["a", "b"], True, True, "system.Model"]
    assert found["events"] == [["INPUT", "weights", False], ["OUTPUT", "model", True]]
    assert found["newest"] is True
    assert found["lineage"] == [1, 2, 2]
    assert elsewhere.run_id not in found["contexts"]
    assert found["namespaces"] == [desk.namespace]
    assert "Windlass records executions itself" in found["written"]
    assert "nonsense" in found["missing"]


def test_a_pod_without_rights_to_runs_reads_nothing(desk: Desk) -> None:
    desk.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "unrelated",
                "annotations": {"images.windlass.dev/packages": "ml-metadata==1.17.1"},
            },
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "python:3.11", "command": ["python3", "-c", UNRELATED]}],
            },
        }
    )
    eventually(lambda: desk.get("pod", "unrelated")["status"].get("phase") in ("Succeeded", "Failed"), 120, "its end")

    log = desk.kubectl("logs", "unrelated")
    assert "refused:" in log, log
    assert f"system:serviceaccount:{desk.namespace}:default" in log
