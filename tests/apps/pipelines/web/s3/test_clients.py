"""Unmodified S3 clients against the endpoint: boto3, s3fs and MinIO's own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from obstore.exceptions import AlreadyExistsError
from obstore.store import S3Store

from tests.apps.pipelines.web.s3.conftest import ANNA, Endpoint
from tests.e2e.training.sdk_environment import sdk_python

CLIENTS = ("s3fs==2026.9.0", "boto3==1.43.117", "minio==7.2.20")
STORIES = Path(__file__).with_name("client_stories.py")


def results(endpoint: Endpoint, client: str, folder: Path) -> Any:
    """What the story of a client reports."""
    words = [sdk_python(*CLIENTS), STORIES, client, endpoint.url, *ANNA, str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AWS_"))}
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def test_boto3(endpoint: Endpoint, tmp_path: Path) -> None:
    """A multipart upload of 20 MiB, pages, ranges, presigned URLs, copies, buckets, checksums and errors."""
    assert results(endpoint, "boto3", tmp_path) == {
        "large": [True, {"who": "boto"}, '-3"'],
        "list": [4, True],
        "prefixes": [["many/00/", "many/01/", "many/02/"], 7],
        "range": [1, 2, 3],
        "presigned": "0",
        "copy": 20 << 20,
        "buckets": ["mlpipeline", "other-bucket"],
        "deleted": 25,
        "left": ["big/copy", "big/large.bin", "dir/"],
        "missing": "NoSuchKey",
        "wrong": "SignatureDoesNotMatch",
    }


def test_s3fs(endpoint: Endpoint, tmp_path: Path) -> None:
    """Files and folders: written in blocks, listed, copied, moved and removed with all that is in them."""
    assert results(endpoint, "s3fs", tmp_path) == {
        "text": "a,b\n1,2\n",
        "large": True,
        "ls": [f"mlpipeline/fs/{name}" for name in ("deep", "empty", "large", "table.csv")],
        "find": [f"mlpipeline/fs/{name}" for name in ("deep/er/copy.csv", "empty/", "large", "table.csv")],
        "is": [True, True, False],
        "left": [],
    }


def test_minio(endpoint: Endpoint, tmp_path: Path) -> None:
    """The client of the store that Kubeflow has in this place, with the calls that its components use."""
    assert results(endpoint, "minio", tmp_path) == {
        "exists": True,
        "small": "small",
        "large": [11 << 20, "minio"],
        "list": ["m/copy", "m/large", "m/small ü"],
        "folders": ["m/"],
        "file": True,
        "presigned": "small",
        "errors": [],
        "left": ["m/put"],
    }


def test_obstore(endpoint: Endpoint) -> None:
    """The client that Windlass itself uses for object stores."""
    store = S3Store(
        "mlpipeline",
        config={
            "endpoint": endpoint.url,
            "region": "us-east-1",
            "access_key_id": ANNA[0],
            "secret_access_key": ANNA[1],
        },
        client_options={"allow_http": True},
    )
    store.put("o/small", b"x")
    store.put("o/large", b"y" * (12 << 20), chunk_size=5 << 20)
    with pytest.raises(AlreadyExistsError):
        store.put("o/small", b"z", mode="create")
    store.rename("o/small", "o/renamed")

    listed = [(meta["path"], meta["size"]) for page in store.list("o") for meta in page]
    assert sorted(listed) == [("o/large", 12 << 20), ("o/renamed", 1)]
    assert bytes(store.get_range("o/large", start=3, length=2)) == b"yy"
    store.delete(["o/large", "o/renamed"])
    assert [meta["path"] for page in store.list("o") for meta in page] == []
