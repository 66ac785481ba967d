"""The documents' own pipeline, driven by the unmodified kfp SDK 1.8: an Argo Workflow, uploaded and run."""

import base64
import gzip
import io
import tarfile

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp

pytestmark = pytest.mark.timeout(600)


def test_the_pipeline_of_the_documents_runs_as_a_workflow(kfp: Kfp, desk: Desk) -> None:
    found = kfp.tells_with_v1("seed")

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
