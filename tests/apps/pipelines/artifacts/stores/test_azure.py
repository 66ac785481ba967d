"""Artifacts in a real server of Azure Blob Storage, and in the claims of their namespaces."""

import base64
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
import yaml

from tests.apps.pipelines.artifacts.stores.azure_store import ACCOUNT, ACCOUNT_KEY, BlobStore, blob_store
from tests.support import free_port
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, artifacts_claim
from windlass.apps.pipelines.artifacts.stores.placed_store import PlacedStore
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_locations import Place, PlacedArtifact, SecretKey
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings, secret_value
from windlass.apps.pipelines.web.artifacts import ClaimArtifacts
from windlass.kube.client import Client
from windlass.kube.testing import MemoryServer

NAMESPACE = "ml"
REFERENCE = {"secretRef": {"secretName": "azure", "accountNameKey": "name", "accountKeyKey": "key"}}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlobStore]:
    with blob_store(tmp_path_factory.mktemp("azurite")) as store:
        yield store


@pytest.fixture
def container(store: BlobStore) -> str:
    name = f"data-{uuid4().hex[:8]}"
    store.make_container(name)
    return name


@pytest.fixture
def server(store: BlobStore) -> MemoryServer:
    server = MemoryServer(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    claim = artifacts_claim(NAMESPACE)
    claim["spec"]["volumeName"] = "artifacts"
    server.put(claim)
    csi = {"driver": "shared.windlass.dev", "volumeHandle": "artifacts"}
    metadata = {"name": "artifacts"}
    server.put({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": {"csi": csi}})
    configure(server, endpoint=store.endpoint, credentials=REFERENCE)
    put_secret(server, name=ACCOUNT, key=ACCOUNT_KEY)
    return server


def configure(server: MemoryServer, **default: object) -> None:
    text = yaml.safe_dump({"az": {"default": {"disableSSL": True, "maxRetries": 1, **default}}})
    metadata = {"name": "kfp-launcher", "namespace": NAMESPACE}
    server.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"providers": text}})


def put_secret(server: MemoryServer, **values: str) -> None:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    metadata = {"name": "azure", "namespace": NAMESPACE}
    server.put({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data})


def new_remote(server: MemoryServer, volumes: Path, *, allow_local: bool = True) -> RemoteStore:
    client = Client(server)
    return RemoteStore(StoreSettings(client), ClaimFolders(client, volumes), allow_local=allow_local)


@pytest.fixture
async def remote(server: MemoryServer, tmp_path: Path) -> AsyncIterator[RemoteStore]:
    remote = new_remote(server, tmp_path)
    yield remote
    await remote.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "artifacts" / "az"


async def test_a_blob_is_fetched_as_a_file_and_again_when_it_has_changed(
    remote: RemoteStore, store: BlobStore, container: str, folder: Path
) -> None:
    uri, file = f"az://{container}/in/a table.csv", folder / container / "in" / "a table.csv"
    store.put(f"{container}/in/a table.csv", b"a,b\n")

    await remote.fetch(NAMESPACE, uri)

    assert file.read_bytes() == b"a,b\n"
    before = file.stat().st_ino
    await remote.fetch(NAMESPACE, uri)
    assert file.stat().st_ino == before
    store.put(f"{container}/in/a table.csv", b"c,d\n")
    await remote.fetch(NAMESPACE, uri)
    assert file.read_bytes() == b"c,d\n"


async def test_an_artifact_names_its_account_by_the_endpoint_and_its_key_by_a_secret(
    remote: RemoteStore, server: MemoryServer, store: BlobStore, container: str, tmp_path: Path
) -> None:
    """As artifacts of Workflows do."""
    client = Client(server)
    placed = PlacedStore(remote, ClaimFolders(client, tmp_path), partial(secret_value, client))
    place = Place(
        scheme="az",
        bucket=container,
        key="made.tgz",
        endpoint=f"http://{store.endpoint}",
        secrets=(SecretKey(name="azure", key="key"),),
    )
    volume = tmp_path / "artifacts"
    (volume / "out").mkdir(parents=True)
    (volume / "out/made").write_text("weights")

    assert await placed.publish(NAMESPACE, PlacedArtifact(place=place, path="out/made"))
    await placed.fetch(NAMESPACE, PlacedArtifact(place=place, path="in/made"))

    assert (volume / "in/made").read_text() == "weights"
    put_secret(server, key="no key!")
    wrong = msgspec.structs.replace(place, key="other")
    with pytest.raises(StoreError, match="with the Secret ml/azure, key: is not the key of a storage account"):
        await placed.fetch(NAMESPACE, PlacedArtifact(place=wrong, path="in/made"))


async def test_all_blobs_below_a_prefix_are_fetched_as_a_folder(
    remote: RemoteStore, store: BlobStore, container: str, folder: Path
) -> None:
    for key, content in (("model/weights", b"1"), ("model/deep/config", b"2"), ("model-2/weights", b"3")):
        store.put(f"{container}/{key}", content)

    await remote.fetch(NAMESPACE, f"az://{container}/model/")
    store.delete(f"{container}/model/weights")
    await remote.fetch(NAMESPACE, f"az://{container}/model")

    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [str(path.relative_to(folder)) for path in files] == [f"{container}/model/deep/config"]


async def test_files_and_folders_are_published(
    remote: RemoteStore, store: BlobStore, container: str, folder: Path
) -> None:
    root = folder / container / "out"
    (root / "model" / "deep").mkdir(parents=True)
    (root / "model" / "deep" / "weights").write_bytes(os.urandom(40 << 20))
    (root / "metrics").write_bytes(b"")

    for name in ("model", "metrics", "nothing"):
        await remote.publish(NAMESPACE, f"az://{container}/out/{name}")

    assert store.keys(container) == ["out/metrics", "out/model/deep/weights"]
    assert store.get(f"{container}/out/model/deep/weights") == (root / "model" / "deep" / "weights").read_bytes()
    assert await remote.exists(NAMESPACE, f"az://{container}/out/model")
    assert not await remote.exists(NAMESPACE, f"az://{container}/out/nothing")


async def test_a_blob_or_all_below_a_key_is_removed(remote: RemoteStore, store: BlobStore, container: str) -> None:
    for key in ("run/one", "run/model/a", "run/model/b/c", "run/model-2/x"):
        store.put(f"{container}/{key}", b"1")

    for name in ("one", "model", "nothing"):
        await remote.remove(NAMESPACE, f"az://{container}/run/{name}")

    assert store.keys(container) == ["run/model-2/x"]


async def test_the_page_of_an_artifact_reads_a_blob(
    server: MemoryServer, store: BlobStore, container: str, tmp_path: Path
) -> None:
    store.put(f"{container}/a", b"stored")
    artifacts = ClaimArtifacts(Client(server), str(tmp_path), allow_local_endpoints=True)

    content = await artifacts.open(NAMESPACE, f"az://{container}/a", Client(server))

    assert content is not None
    assert await content.read(100) == b"stored"
    content.close()
    assert await artifacts.open(NAMESPACE, f"az://{container}/none", Client(server)) is None
    await artifacts.close()


@pytest.mark.parametrize(
    ("path", "reason"),
    [("{container}/none", "there is no such object"), ("no-such-container/a", "ContainerNotFound")],
)
async def test_what_does_not_exist_is_named(remote: RemoteStore, container: str, path: str, reason: str) -> None:
    uri = f"az://{path.format(container=container)}"
    with pytest.raises(StoreError) as failure:
        await remote.fetch(NAMESPACE, uri)

    assert str(failure.value).startswith(f"Cannot fetch {uri} with the Secret ml/azure: {reason}")
    assert "\n" not in str(failure.value)


async def test_a_wrong_key_is_named_by_its_secret_and_never_shown(
    remote: RemoteStore, server: MemoryServer, store: BlobStore, container: str
) -> None:
    store.put(f"{container}/a", b"content")
    wrong = base64.b64encode(b"another key").decode()
    put_secret(server, name=ACCOUNT, key=wrong)

    with pytest.raises(StoreError) as failure:
        await remote.fetch(NAMESPACE, f"az://{container}/a")

    assert "with the Secret ml/azure: 403 Forbidden" in str(failure.value)
    assert wrong not in repr(failure.getrepr())


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"name": ACCOUNT}, "the Secret ml/azure has no key 'key'"),
        ({"name": "evil.example/", "key": ACCOUNT_KEY}, "ml/azure, name: is not the name of a storage account"),
        ({"name": ACCOUNT_KEY, "key": ACCOUNT}, "ml/azure, name: is not the name of a storage account"),
        ({"name": ACCOUNT, "key": ""}, "ml/azure, key: is not the key of a storage account"),
        ({"name": ACCOUNT, "key": "not base64!"}, "ml/azure, key: is not the key of a storage account"),
    ],
)
async def test_the_values_of_a_secret_are_checked_and_not_shown(
    remote: RemoteStore, server: MemoryServer, values: dict[str, str], reason: str
) -> None:
    put_secret(server, **values)

    with pytest.raises(StoreError, match=reason) as failure:
        await remote.fetch(NAMESPACE, "az://data/a")

    assert ACCOUNT_KEY not in str(failure.value)


async def test_a_public_container_needs_an_account_and_no_credentials(
    remote: RemoteStore, server: MemoryServer, store: BlobStore, container: str, folder: Path
) -> None:
    public = f"{container}-public"
    store.make_container(public, is_public=True)
    store.put(f"{public}/model/weights", b"content")
    store.put(f"{container}/model", b"private")
    configure(server, endpoint=store.endpoint, account=ACCOUNT)

    await remote.fetch(NAMESPACE, f"az://{public}/model")

    assert (folder / public / "model" / "weights").read_bytes() == b"content"
    with pytest.raises(StoreError, match=f"Cannot fetch az://{container}/model without credentials"):
        await remote.fetch(NAMESPACE, f"az://{container}/model")


async def test_an_endpoint_on_this_machine_is_refused_unless_it_is_allowed(
    server: MemoryServer, tmp_path: Path, container: str
) -> None:
    remote = new_remote(server, tmp_path, allow_local=False)

    with pytest.raises(StoreError, match=r"127.0.0.1 is at 127.0.0.1, .* which is not permitted"):
        await remote.open(NAMESPACE, f"az://{container}/a")
    await remote.close()


async def test_nothing_is_taken_from_the_environment_of_the_process(
    remote: RemoteStore, store: BlobStore, container: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(f"{container}/a", b"content")
    nowhere = f"http://127.0.0.1:{free_port()}"
    for name in ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT", "AZURITE_BLOB_STORAGE_URL", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, nowhere)
    for name in ("AZURE_STORAGE_USE_EMULATOR", "AZURE_SKIP_SIGNATURE", "AZURE_USE_AZURE_CLI"):
        monkeypatch.setenv(name, "true")
    for name in ("ACCOUNT_NAME", "ACCOUNT_KEY", "SAS_KEY", "TOKEN", "CLIENT_ID", "CLIENT_SECRET", "TENANT_ID"):
        monkeypatch.setenv(f"AZURE_STORAGE_{name}", "b3RoZXI=")
    monkeypatch.setenv("AZURE_CREDENTIAL_TYPE", "bearer_token")

    await remote.fetch(NAMESPACE, f"az://{container}/a")

    assert (folder / container / "a").read_bytes() == b"content"
