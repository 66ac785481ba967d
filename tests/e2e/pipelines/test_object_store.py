"""Artifacts of pipelines in an S3 server on this machine: imported, published, and read through the API."""

import base64
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.e2e.notebooks.desk import Desk, desk_of_a_profile, kept_images
from tests.e2e.pipelines.sdk import HERE, KFP2, Kfp
from tests.e2e.training.sdk_environment import run_story, sdk_python
from tests.gateway.platform import Platform
from tests.pipelines.artifacts.object_store import KEYS, ObjectStore, object_store

pytestmark = pytest.mark.timeout(600)


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
