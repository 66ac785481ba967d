"""A board over a real S3-compatible server, with credentials by a PodDefault, and the reason when it may not read."""

from collections.abc import Callable

import pytest

from tests.e2e.notebooks.desk import Desk, desk_of_a_profile
from tests.e2e.notebooks.test_tensorboard import IMAGE
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]

STORE_IMAGE = """
images:
- image: example.com/object-store
  python: "3.11"
  packages: ["moto[server,s3]"]
"""
STORE = """
apiVersion: v1
kind: Pod
metadata: {name: store, labels: {app: store}}
spec:
  containers:
  - name: main
    image: example.com/object-store
    command: [moto_server, -H, 0.0.0.0, -p, "5000"]
    readinessProbe: {httpGet: {path: /moto-api/, port: 5000}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: store}
spec: {selector: {app: store}, ports: [{port: 80, targetPort: 5000}]}
---
apiVersion: kubeflow.org/v1alpha1
kind: PodDefault
metadata: {name: store}
spec:
  selector: {matchLabels: {use-store: "true"}}
  env:
  - {name: AWS_ACCESS_KEY_ID, value: testing}
  - {name: AWS_SECRET_ACCESS_KEY, value: testing}
  - {name: AWS_DEFAULT_REGION, value: us-east-1}
  - {name: AWS_EC2_METADATA_DISABLED, value: "true"}
  - {name: S3_ENDPOINT, value: "http://store"}
"""
CHECK_KEYS = """
from urllib.request import Request, urlopen
urlopen(Request("http://localhost:5000/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"}))
"""
"""From then on the store knows no key, and answers 403."""
WRITER = """
apiVersion: batch/v1
kind: Job
metadata: {name: writer}
spec:
  template:
    metadata: {labels: {use-store: "true"}}
    spec:
      restartPolicy: Never
      containers:
      - name: writer
        image: windlass/tensorboard:latest
        command: [python, -c]
        args:
        - |
          import os, boto3, glob
          from tensorboard.compat.proto.event_pb2 import Event
          from tensorboard.compat.proto.summary_pb2 import Summary
          from tensorboard.summary.writer.event_file_writer import EventFileWriter
          writer = EventFileWriter("/tmp/run")
          for step in range(3):
              value = Summary.Value(tag="loss", simple_value=1.0 / (step + 1))
              writer.add_event(Event(step=step, wall_time=step + 1.0, summary=Summary(value=[value])))
          writer.close()
          client = boto3.client("s3", endpoint_url=os.environ["S3_ENDPOINT"])
          client.create_bucket(Bucket="logs")
          for path in glob.glob("/tmp/run/*"):
              client.upload_file(path, "logs", "run/" + os.path.basename(path))
"""


def a_board(name: str, logspath: str) -> dict[str, object]:
    return {
        "apiVersion": "tensorboard.kubeflow.org/v1alpha1",
        "kind": "Tensorboard",
        "metadata": {"name": name, "labels": {"use-store": "true"}},
        "spec": {"logspath": logspath},
    }


def said(desk: Desk, board: str) -> str:
    return "\n".join(message for _, message in desk.events("Tensorboard", board))


def test_a_board_reads_a_bucket_and_says_why_it_cannot(platform: Platform, pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)
    (platform.data_dir / "images.yaml").write_text(STORE_IMAGE)
    pulled("example.com/object-store")
    with desk_of_a_profile(platform) as desk:
        desk.apply(STORE)
        desk.kubectl("wait", "--for=condition=Ready", "pod/store", "--timeout=120s")
        desk.apply(WRITER)
        desk.kubectl("wait", "--for=condition=Complete", "job/writer", "--timeout=90s")

        desk.apply(a_board("full", "s3://logs/run"), a_board("missing", "s3://no-such-bucket/run"))

        base = f"/tensorboard/{desk.namespace}/full/"
        eventually(lambda: desk.browser.get(f"{base}data/runs").text == '["."]', 120, "the run in the bucket")
        scalars = desk.browser.get(f"{base}data/plugin/scalars/scalars?run=.&tag=loss").json()
        assert [step for _, step, _ in scalars] == [0, 1, 2]
        eventually(lambda: "NoSuchBucket" in said(desk, "missing"), 90, "the missing bucket is named")
        assert "cannot read s3://no-such-bucket/run" in said(desk, "missing")

        desk.kubectl("exec", "store", "--", "python", "-c", CHECK_KEYS)
        desk.apply(a_board("denied", "s3://logs/run"))
        eventually(lambda: "(InvalidAccessKeyId)" in said(desk, "denied"), 90, "the refused key is named")
