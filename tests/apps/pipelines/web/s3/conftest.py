"""An S3 endpoint on loopback, over the claims of two namespaces with keys of their own."""

import asyncio
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import requests

from tests.apps.pipelines.web.s3.signing import signed_headers
from windlass.apps.pipelines.artifacts.claim_folders import artifacts_claim
from windlass.apps.pipelines.web.pod_endpoints import object_store
from windlass.apps.pipelines.web.s3.handler import ObjectStore
from windlass.gateway.context import GatewayContext
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.serving import serving_at
from windlass.kube.testing import NOW, MemoryServer

ANNA, BERT = ("anna", "a" * 64), ("bert", "b" * 64)


def keys_secret(namespace: str, access_key: str, secret_key: str, **labels: str) -> Object:
    values = {"accesskey": access_key, "secretkey": secret_key}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "mlpipeline-minio-artifact", "namespace": namespace, "labels": labels},
        "data": {name: b64encode(value.encode()).decode() for name, value in values.items()},
    }


def add_namespace(server: MemoryServer, volumes: Path, namespace: str) -> Path:
    """Bind the claim of a namespace to a folder, which is returned."""
    claim = artifacts_claim(namespace)
    claim["spec"]["volumeName"] = f"volume-{namespace}"
    server.put(claim)
    csi = {"driver": "shared.windlass.dev", "volumeHandle": f"volume-{namespace}"}
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"volume-{namespace}"}}
    server.put({**volume, "spec": {"csi": csi}})
    folder = volumes / f"volume-{namespace}"
    folder.mkdir(parents=True)
    return folder


@dataclass
class Endpoint:
    url: str
    folders: dict[str, Path]
    server: MemoryServer
    keys: tuple[str, str] = field(default=ANNA)

    @property
    def folder(self) -> Path:
        """The folder of the buckets of the first namespace."""
        return self.folders["anna"] / "minio"

    def send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        keys: tuple[str, str] = ANNA,
        payload: str = "",
        **headers: Any,
    ) -> requests.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        signed = signed_headers(method, self.url + path, body, keys, named, payload)
        return requests.request(method, self.url + path, data=body, headers=signed, timeout=30, allow_redirects=False)

    def code(self, method: str, path: str, body: bytes = b"", **more: Any) -> str:
        """The code of the error that a request is answered with; empty without one."""
        answer = self.send(method, path, body, **more)
        assert answer.status_code < 500 or answer.status_code in (501, 503, 507), answer.text
        return answer.text.partition("<Code>")[2].partition("</Code>")[0]


@contextmanager
def serving(store: ObjectStore) -> Iterator[str]:
    """Serve the application of pods in a thread; gives its URL."""
    context = cast(GatewayContext, SimpleNamespace(service=lambda make: SimpleNamespace(answer_s3=store.answer)))
    ready, stop = threading.Event(), asyncio.Event()
    loop, urls = asyncio.new_event_loop(), list[str]()

    async def serve() -> None:
        async with serving_at(object_store(context), "127.0.0.1", 0, decompress=False) as (host, port):
            urls.append(f"http://{host}:{port}")
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(10)
    try:
        yield urls[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


@contextmanager
def open_endpoint(folder: Path) -> Iterator[Endpoint]:
    server = MemoryServer(lambda: NOW)
    volumes = folder / "volumes"
    folders = {name: add_namespace(server, volumes, name) for name in ("anna", "bert")}
    for name, secret_key in (ANNA, BERT):
        server.put(keys_secret(name, name, secret_key))
    with serving(ObjectStore(Client(server), str(volumes))) as url:
        yield Endpoint(url, folders, server)


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    with open_endpoint(tmp_path) as endpoint:
        yield endpoint
