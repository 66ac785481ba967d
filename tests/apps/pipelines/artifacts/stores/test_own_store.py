"""The S3 endpoint of Windlass itself as a provider, and its keys, which no other store gets to see."""

from base64 import b64encode

import pytest
import yaml

from windlass.apps.pipelines.artifacts.stores.store_settings import Credentials, StoreSettings
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.testing import NOW, MemoryServer

SECRET = "mlpipeline-minio-artifact"
GENERATED = {"pipelines.windlass.dev/generated-keys": "true"}
NAMED = {"secretRef": {"secretName": SECRET, "accessKeyKey": "accesskey", "secretKeyKey": "secretkey"}}


def settings(*objects: Object, has_own_store: bool = True) -> StoreSettings:
    server = MemoryServer(lambda: NOW)
    for obj in objects:
        server.put(obj)
    return StoreSettings(Client(server), has_own_store=has_own_store)


def launcher(**default: object) -> Object:
    providers = yaml.safe_dump({"s3": {"default": default}, "minio": {"default": default}})
    metadata = {"name": "kfp-launcher", "namespace": "ml"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"providers": providers}}


def keys(access_key: str, labels: dict[str, str]) -> Object:
    values = {"accesskey": access_key, "secretkey": "secret"}
    data = {name: b64encode(value.encode()).decode() for name, value in values.items()}
    metadata = {"name": SECRET, "namespace": "ml", "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


async def credentials(store: StoreSettings, uri: str) -> Credentials:
    provider = await store.provider("ml", uri)
    assert provider is not None
    return await store.credentials("ml", provider)


@pytest.mark.parametrize("endpoint", ["store.example.com:9000", ""])
async def test_generated_keys_are_never_sent_to_another_store(endpoint: str) -> None:
    sent = await credentials(settings(launcher(endpoint=endpoint), keys("ml", GENERATED)), "s3://public/a")

    assert (sent.access_key, sent.secret_key) == ("", "")
    assert "are for minio-service alone" in sent.source


async def test_generated_keys_that_are_named_for_another_store_are_refused() -> None:
    store = settings(launcher(endpoint="store.example.com", credentials=NAMED), keys("ml", GENERATED))

    with pytest.raises(ValueError, match="the keys of the Secret ml/mlpipeline-minio-artifact are for minio-service"):
        await credentials(store, "s3://data/a")


@pytest.mark.parametrize(("access_key", "labels"), [("AKIA", GENERATED), ("AKIA", {}), ("ml", {})])
async def test_keys_that_a_user_has_put_into_the_secret_are_sent(access_key: str, labels: dict[str, str]) -> None:
    sent = await credentials(settings(launcher(endpoint="store.example.com"), keys(access_key, labels)), "s3://data/a")

    assert (sent.access_key, sent.secret_key) == (access_key, "secret")


@pytest.mark.parametrize("name", ["minio-service.kubeflow:9000", "minio-service.kubeflow.svc.cluster.local:9000"])
async def test_uris_through_the_own_endpoint_are_kept_in_the_claim(name: str) -> None:
    objects = (launcher(endpoint=name, disableSSL=True), keys("ml", GENERATED))

    for uri in ("minio://mlpipeline/a", "s3://mlpipeline/a"):
        assert await settings(*objects).provider("ml", uri) is None
        assert await settings(*objects, has_own_store=False).provider("ml", uri) is not None, (
            "a cluster has MinIO there"
        )
    elsewhere = "s3://mlpipeline/a?endpoint=store.example.com:9000"
    assert await settings(*objects).provider("ml", elsewhere) is not None
