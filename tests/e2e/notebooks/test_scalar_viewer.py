"""A board on a node that cannot install TensorBoard: the built-in viewer shows its scalars at the same address."""

from collections.abc import Iterator

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.notebooks.test_tensorboard import BOARD, CLAIM
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]

UNAVAILABLE = """
images:
- image: windlass/tensorboard
  python: "3"
  packages: [tensorboard==0.0.0.1]
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
        image: windlass/scalar-viewer
        command: [python3, -c]
        args:
        - |
          import pathlib, struct, sys
          sys.path.insert(0, "/opt/windlass/scalar_viewer/lib")
          from windlass.formats.tfrecord import masked_crc32c
          value = b"\\x0a\\x04loss\\x15" + struct.pack("<f", 0.5)
          event = b"\\x09" + struct.pack("<d", 1.0) + b"\\x10\\x07" + b"\\x2a\\x0d\\x0a\\x0b" + value
          length = struct.pack("<Q", len(event))
          checksums = [struct.pack("<I", masked_crc32c(part)) for part in (length, event)]
          parts = (length, checksums[0], event, checksums[1])
          pathlib.Path("/logs/run").mkdir()
          pathlib.Path("/logs/run/events.out.tfevents.1").write_bytes(b"".join(parts))
        volumeMounts: [{name: logs, mountPath: /logs}]
      volumes: [{name: logs, persistentVolumeClaim: {claimName: logs}}]
"""


@pytest.fixture
def without_tensorboard(platform: Platform) -> Iterator[None]:
    """TensorBoard's image needs a version that no index has."""
    rules = platform.data_dir / "images.yaml"
    before = rules.read_text() if rules.exists() else None
    rules.write_text(UNAVAILABLE)
    yield
    if before is None:
        rules.unlink()
    else:
        rules.write_text(before)


def test_scalars_are_shown_without_tensorboard(desk: Desk, without_tensorboard: None) -> None:
    desk.apply(CLAIM, WRITER)
    desk.kubectl("wait", "--for=condition=Complete", "job/writer", "--timeout=90s")
    desk.apply(BOARD)
    base = f"/tensorboard/{desk.namespace}/board/"

    assert "built-in viewer shows scalars only" in desk.opened("tensorboard", "board", base).text
    eventually(lambda: desk.browser.get(f"{base}data/runs").json() == ["."], 30, "the run is found")
    assert desk.browser.get(f"{base}data/plugin/scalars/scalars?run=.&tag=loss").json() == [[1.0, 7, 0.5]]
    reasons = [reason for reason, _ in desk.events("Tensorboard", "board")]
    assert {"ErrImagePull", "ImagePullBackOff"} & set(reasons)
