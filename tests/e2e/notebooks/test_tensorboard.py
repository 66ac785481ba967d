"""A real TensorBoard over the logs of a volume, and a viewer of that volume, through the gateway."""

from collections.abc import Callable

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(900),
]

IMAGE = "windlass/tensorboard:latest"
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: logs}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
BOARD = """
apiVersion: tensorboard.kubeflow.org/v1alpha1
kind: Tensorboard
metadata: {name: board}
spec: {logspath: "pvc://logs/run"}
"""
NO_PODS = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: no-pods}
spec: {hard: {pods: "0"}}
"""
VIEWER = """
apiVersion: kubeflow.org/v1alpha1
kind: PVCViewer
metadata: {name: logs}
spec:
  pvc: logs
  networking: {targetPort: 8080, basePrefix: /pvcviewers, rewrite: /, timeout: 30s}
"""
WRITER = """
apiVersion: batch/v1
kind: Job
metadata: {name: writer}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: writer
        image: windlass/tensorboard:latest
        command: [python, -c]
        args:
        - |
          from tensorboard.compat.proto.event_pb2 import Event
          from tensorboard.compat.proto.summary_pb2 import Summary
          from tensorboard.summary.writer.event_file_writer import EventFileWriter
          writer = EventFileWriter("/logs/run")
          for step in range(3):
              value = Summary.Value(tag="loss", simple_value=1.0 / (step + 1))
              writer.add_event(Event(step=step, wall_time=step + 1.0, summary=Summary(value=[value])))
          writer.close()
        volumeMounts: [{name: logs, mountPath: /logs}]
      volumes: [{name: logs, persistentVolumeClaim: {claimName: logs}}]
"""


def test_a_board_shows_scalars_and_says_when_there_are_none(desk: Desk, pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)
    desk.apply(CLAIM, BOARD)
    base = f"/tensorboard/{desk.namespace}/board/"

    assert "<title>TensorBoard</title>" in desk.opened("tensorboard", "board", base).text
    eventually(lambda: dict(desk.events("Tensorboard", "board")).get("NoEventFiles"), 90, "the board is empty")

    desk.apply(WRITER)
    desk.kubectl("wait", "--for=condition=Complete", "job/writer", "--timeout=90s")
    eventually(lambda: desk.browser.get(f"{base}data/runs").json() == ["."], 60, "the run is found")
    scalars = desk.browser.get(f"{base}data/plugin/scalars/scalars?run=.&tag=loss").json()
    assert [step for _, step, _ in scalars] == [0, 1, 2]

    desk.apply(VIEWER)
    eventually(lambda: desk.get("pvcviewer", "logs").get("status", {}).get("url"), 60, "the viewer has a URL")
    path = desk.get("pvcviewer", "logs")["status"]["url"] + "api/list?path=run"
    listing = desk.opened("pvcviewer", "logs", path).json()
    assert any(entry["name"].startswith("events.out.tfevents") for entry in listing["entries"])


def test_a_board_over_a_claim_that_is_missing_says_so(desk: Desk) -> None:
    desk.apply(BOARD)

    said = eventually(lambda: dict(desk.events("Tensorboard", "board")).get("ClaimNotFound"), 60, "it says so")
    assert '"logs" does not exist' in said


def test_a_board_whose_key_is_missing_says_so(desk: Desk) -> None:
    desk.apply(BOARD.replace("pvc://logs/run", "gs://bucket/logs"))

    said = eventually(lambda: dict(desk.events("Tensorboard", "board")).get("FailedMount"), 60, "it says so")
    assert "user-gcp-sa" in said


def test_a_board_whose_pod_is_refused_says_so(desk: Desk) -> None:
    desk.apply(NO_PODS, BOARD.replace("pvc://logs/run", "s3://bucket/logs"))

    said = eventually(lambda: dict(desk.events("Tensorboard", "board")).get("FailedCreate"), 60, "it says so")
    assert "exceeded quota: no-pods" in said
