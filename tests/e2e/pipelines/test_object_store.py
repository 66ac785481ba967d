"""Artifacts of pipelines in an S3 server on this machine: imported, published, and read through the API."""

import base64
import io
import subprocess
import tarfile
from collections.abc import Iterator
from typing import IO, Any, cast

import pytest
import yaml

from tests.apps.pipelines.artifacts.stores.object_store import KEYS, ObjectStore, object_store
from tests.e2e.notebooks.desk import Desk, desk_of_a_profile, kept_images
from tests.e2e.pipelines.sdk import HERE, KFP2, Kfp
from tests.e2e.training.sdk_environment import run_story, sdk_python
from tests.gateway.platform import Platform
from tests.support import eventually

pytestmark = pytest.mark.timeout(600)


WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: argo-stored}
spec:
  entrypoint: main
  serviceAccountName: default-editor
  artifactRepositoryRef: {key: mine}
  templates:
  - name: main
    steps:
    - - {name: list, template: list}
    - - name: shout
        template: shout
    - - name: again
        template: again
        arguments: {artifacts: [{name: data, from: "{{steps.shout.outputs.artifacts.loud}}"}]}
  - name: list
    data:
      source: {artifactPaths: {name: s, s3: {key: argo-in}}}
      transformation: [{expression: "filter(data, {# endsWith '.tgz'})"}]
  - name: shout
    inputs: {artifacts: [{name: words, path: /tmp/words, s3: {key: argo-in/words.tgz}}]}
    outputs: {artifacts: [{name: loud, path: /tmp/loud}]}
    container: {image: "python:3.11", command: [sh, -c, "tr a-z A-Z < /tmp/words > /tmp/loud"]}
  - name: again
    inputs: {artifacts: [{name: data, path: /tmp/data}]}
    script: {image: "python:3.11", command: [sh], source: cat /tmp/data}
"""


def packed(**files: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content.encode()))
    return made.getvalue()


def unpacked(content: bytes) -> dict[str, str]:
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        return {member.name: cast(IO[bytes], tar.extractfile(member)).read().decode() for member in tar}


class LocalStorePlatform(Platform):
    """A platform whose pipelines may use object stores on this machine."""

    def windlass(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return super().windlass(*words, stdin=stdin, WINDLASS_PIPELINES_LOCAL_ENDPOINTS="true", **more)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("store")) as store:
        store.make_bucket("data")
        yield store


@pytest.fixture(scope="module")
def store_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    platform = LocalStorePlatform(tmp_path_factory.mktemp("stored"), ["--images-dir", str(kept_images())])
    platform.up()
    try:
        with desk_of_a_profile(platform) as desk:
            yield desk
    finally:
        platform.down()


def configure(desk: Desk, endpoint: str) -> None:
    providers = {"s3": {"default": {"endpoint": endpoint, "disableSSL": True, "maxRetries": 1}}}
    data = {name: base64.b64encode(value.encode()).decode() for name, value in KEYS.items()}
    desk.apply(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "kfp-launcher"},
            "data": {"providers": yaml.safe_dump(providers)},
        },
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mlpipeline-minio-artifact"}, "data": data},
    )


def run_stored(kfp: Kfp, uri: str, root: str) -> Any:
    words = (f"{kfp.url}/pipeline", kfp.token, kfp.namespace, uri, root)
    return run_story(sdk_python(*KFP2), HERE / "kfp2_object_store_stories.py", words, 300)


def test_a_pipeline_reads_and_writes_an_object_store(store_desk: Desk, store: ObjectStore) -> None:
    configure(store_desk, store.endpoint)
    kfp = Kfp.of(store_desk)
    store.put("data/words/1.txt", b"one ")
    store.put("data/words/2.txt", b"two")

    first = run_stored(kfp, "s3://data/words", "s3://data/root")
    store.put("data/words/2.txt", b"three")
    second = run_stored(kfp, "s3://data/words", "s3://data/root")
    missing = run_stored(kfp, "s3://data/nothing", "s3://data/root")

    assert (first["state"], first["output"]) == ("SUCCEEDED", "ONE TWO"), first
    assert (second["state"], second["output"]) == ("SUCCEEDED", "ONE THREE"), second
    assert first["made"].startswith("s3://data/root/stored/")
    assert store.get(first["made"].removeprefix("s3://")) == b"ONE TWO"
    assert missing["state"] == "FAILED"
    assert any("Cannot fetch s3://data/nothing" in error for error in missing["errors"]), missing
    store.put("data/only-there", b"in the store alone")
    query = f"source=s3&bucket=data&key=only-there&namespace={store_desk.namespace}"
    assert store_desk.browser.get(f"/pipeline/artifacts/get?{query}").text == "in the store alone"


REPOSITORY = """
s3:
  endpoint: {endpoint}
  bucket: data
  insecure: true
  accessKeySecret: {{name: argo-keys, key: accesskey}}
  secretKeySecret: {{name: argo-keys, key: secretkey}}
  keyFormat: "argo/{{{{workflow.name}}}}/{{{{pod.name}}}}"
archiveLogs: true
"""


def test_a_workflow_reads_and_writes_the_store_that_it_names(store_desk: Desk, store: ObjectStore) -> None:
    """An input that is unpacked, an output in the repository that the next step reads, a list, and logs."""
    store.put("data/argo-in/words.tgz", packed(words="one two"))
    store.put("data/argo-in/other.txt", b"x")
    data = {name: base64.b64encode(value.encode()).decode() for name, value in KEYS.items()}
    repositories = {"mine": REPOSITORY.format(endpoint=store.endpoint)}
    store_desk.apply(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "argo-keys"}, "data": data},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "artifact-repositories"},
            "data": repositories,
        },
        WORKFLOW,
    )

    def status() -> Any:
        return store_desk.get("workflow", "argo-stored").get("status", {})

    eventually(lambda: status().get("phase") in ("Succeeded", "Failed", "Error"), 60, "the end of the Workflow")
    nodes = {node["displayName"]: node for node in status()["nodes"].values()}
    assert status()["phase"] == "Succeeded", {name: node.get("message") for name, node in nodes.items()}
    assert nodes["again"]["outputs"]["result"] == "ONE TWO"
    assert nodes["list"]["outputs"]["result"] == '["argo-in/words.tgz"]'
    keys = {key.rpartition("/")[2] for key in store.keys("data") if key.startswith("argo/argo-stored/")}
    assert keys == {"loud.tgz", "main.log"}
    (log,) = [key for key in store.keys("data") if key.endswith("main.log") and "-again-" in key]
    assert store.get(f"data/{log}") == b"ONE TWO"
    made = next(one for one in nodes["shout"]["outputs"]["artifacts"] if one["name"] == "loud")
    assert unpacked(store.get(f"data/{made['s3']['key']}")) == {"loud": "ONE TWO"}
