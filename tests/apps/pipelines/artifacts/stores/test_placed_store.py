"""Artifacts in the stores that they name, against a real S3 server: from the manager, and from a pod."""

import gzip
import io
import tarfile
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
import pytest
import yaml

from tests.apps.pipelines.artifacts.stores.object_store import ObjectStore, object_store
from tests.apps.pipelines.web.s3.conftest import add_namespace, keys_secret
from windlass.apps.pipelines.artifacts import transfer
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.apps.pipelines.artifacts.stores.placed_store import PlacedStore
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_locations import ArchiveFormat, Place, PlacedArtifact, SecretKey
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings, secret_value
from windlass.apps.pipelines.artifacts.transfer_plan import TransferPlan, TransferReport, as_arguments
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.testing import MemoryServer

NAMESPACE = "ml"
SECRETS = (SecretKey(name="keys", key="id"), SecretKey(name="keys", key="secret"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture
def store(running: ObjectStore) -> ObjectStore:
    running.reset()
    running.make_bucket("data")
    return running


@pytest.fixture
def server() -> MemoryServer:
    server = MemoryServer(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    server.put(secret("keys", id="testing", secret="a-secret-key"))
    return server


def secret(name: str, **values: str) -> Object:
    data = {key: b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": NAMESPACE}, "data": data}


@pytest.fixture
def folder(server: MemoryServer, tmp_path: Path) -> Path:
    return add_namespace(server, tmp_path / "volumes", NAMESPACE)


@pytest.fixture
async def placed(server: MemoryServer, folder: Path) -> AsyncIterator[PlacedStore]:
    client = Client(server)
    folders = ClaimFolders(client, folder.parent)
    remote = RemoteStore(StoreSettings(client), folders, allow_local=True)
    yield PlacedStore(remote, folders, partial(secret_value, client))
    await remote.close()


def artifact(
    store: ObjectStore,
    key: str,
    path: str,
    *,
    archive: ArchiveFormat = "tgz",
    name: str = "",
    secrets: tuple[SecretKey, ...] = SECRETS,
) -> PlacedArtifact:
    place = Place(scheme="s3", bucket="data", key=key, endpoint=store.endpoint, insecure=True, secrets=secrets)
    return PlacedArtifact(place=place, path=path, archive=archive, name=name)


def packed(**files: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content.encode()))
    return gzip.compress(made.getvalue(), mtime=0)


async def test_inputs_are_fetched_and_unpacked(store: ObjectStore, placed: PlacedStore, folder: Path) -> None:
    store.put("data/plain", b"text")
    store.put("data/one.tgz", packed(x="one"))
    store.put("data/below/a", b"1")
    store.put("data/below/b/c", b"2")

    for key in ("plain", "one.tgz", "below"):
        await placed.fetch(NAMESPACE, artifact(store, key, f".argo/p/inputs/{key}"))
    await placed.fetch(NAMESPACE, artifact(store, "one.tgz", ".argo/p/inputs/raw", archive="none"))

    inputs = folder / ".argo/p/inputs"
    assert (inputs / "plain").read_text() == "text"
    assert (inputs / "one.tgz").read_text() == "one"
    assert ((inputs / "below/a").read_text(), (inputs / "below/b/c").read_text()) == ("1", "2")
    assert (inputs / "raw").read_bytes() == packed(x="one")
    assert sorted(path.name for path in inputs.iterdir()) == ["below", "one.tgz", "plain", "raw"]
    assert list((folder / ".remote").iterdir()) == [], "nothing is left of what was fetched for one pod"


async def test_an_object_that_does_not_exist_is_named(store: ObjectStore, placed: PlacedStore, folder: Path) -> None:
    missing = artifact(store, "nothing", ".argo/p/inputs/x")

    await placed.fetch(NAMESPACE, missing, must_exist=False)
    with pytest.raises(StoreError, match="Cannot fetch s3://data/nothing with the Secret ml/keys: there is no such"):
        await placed.fetch(NAMESPACE, missing)

    assert not (folder / ".argo/p/inputs/x").exists()


async def test_outputs_are_packed_and_published(store: ObjectStore, placed: PlacedStore, folder: Path) -> None:
    made = folder / ".argo/p/outputs/model"
    made.mkdir(parents=True)
    (made / "a").write_text("1")

    archives: list[tuple[str, ArchiveFormat]] = [("m.tgz", "tgz"), ("m.zip", "zip"), ("m", "none")]
    for key, archive in archives:
        assert await placed.publish(NAMESPACE, artifact(store, key, ".argo/p/outputs/model", archive=archive, name="m"))
    assert not await placed.publish(NAMESPACE, artifact(store, "no", ".argo/p/outputs/nothing"))

    assert store.keys("data") == ["m.tgz", "m.zip", "m/a"]
    with tarfile.open(fileobj=io.BytesIO(store.get("data/m.tgz"))) as tar:
        assert tar.getnames() == ["m/a"]
    assert await placed.names(NAMESPACE, artifact(store, "m", "").place) == ["a"]
    await placed.remove(NAMESPACE, artifact(store, "m", "").place)
    assert store.keys("data") == ["m.tgz", "m.zip"]


@pytest.mark.parametrize(
    ("secrets", "reason"),
    [
        ((SecretKey(name="no", key="id"), SecretKey(name="keys", key="secret")), "the Secret ml/no does not exist"),
        ((SecretKey(name="keys", key="no"), SecretKey(name="keys", key="secret")), "Secret ml/keys has no key 'no'"),
        (
            (SecretKey(name="mlpipeline-minio-artifact", key="accesskey"), SECRETS[1]),
            "the keys of the Secret ml/mlpipeline-minio-artifact are for minio-service alone",
        ),
    ],
)
async def test_secrets_that_cannot_be_used_are_named(
    store: ObjectStore, server: MemoryServer, placed: PlacedStore, secrets: tuple[SecretKey, ...], reason: str
) -> None:
    generated = keys_secret(NAMESPACE, NAMESPACE, "x" * 64)
    generated["metadata"]["labels"] = {"pipelines.windlass.dev/generated-keys": "true"}
    server.put(generated)

    with pytest.raises(StoreError, match=reason):
        await placed.fetch(NAMESPACE, artifact(store, "x", "x", secrets=secrets))


async def test_an_endpoint_on_this_machine_is_refused_unless_it_is_permitted(
    store: ObjectStore, server: MemoryServer, folder: Path
) -> None:
    client = Client(server)
    folders = ClaimFolders(client, folder.parent)
    remote = RemoteStore(StoreSettings(client), folders)
    placed = PlacedStore(remote, folders, partial(secret_value, client))

    with pytest.raises(StoreError, match=r"127\.0\.0\.1, an address of this machine"):
        await placed.fetch(NAMESPACE, artifact(store, "x", "x"))
    await remote.close()


def test_a_pod_copies_its_artifacts_by_itself(store: ObjectStore, tmp_path: Path) -> None:
    """On a cluster, with credentials from mounted Secrets."""
    volume, secrets = tmp_path / "volume", tmp_path / "secrets"
    for name, value in (("id", "testing"), ("secret", "a-secret-key")):
        (secrets / "keys").mkdir(parents=True, exist_ok=True)
        (secrets / "keys" / name).write_text(value)
    (volume / ".argo/p/outputs").mkdir(parents=True)
    (volume / ".argo/p/outputs/made").write_text("out")
    store.put("data/in.tgz", packed(x="in"))
    store.make_bucket("mlpipeline")
    providers = yaml.safe_dump({"minio": {"default": {"endpoint": store.endpoint, "disableSSL": True}}})
    plan = TransferPlan(
        namespace=NAMESPACE,
        providers=providers,
        placed_inputs=[artifact(store, "in.tgz", ".argo/p/inputs/data")],
        placed_outputs=[
            artifact(store, "out.tgz", ".argo/p/outputs/made"),
            artifact(store, "no.tgz", ".argo/p/outputs/nothing"),
        ],
        report="minio://mlpipeline/.windlass/r.json",
    )

    codes = [
        transfer.main(
            [verb, *as_arguments(plan)],
            volume=volume,
            secrets=secrets,
            workspace=tmp_path,
            message=tmp_path / "message",
        )
        for verb in ("fetch", "publish")
    ]

    assert codes == [0, 0], (tmp_path / "message").read_text()
    assert (volume / ".argo/p/inputs/data").read_text() == "in"
    report = msgspec.json.decode(store.get("mlpipeline/.windlass/r.json"), type=TransferReport)
    assert report.published == ["s3://data/out.tgz"]
    assert "out.tgz" in store.keys("data")


def test_a_verb_that_does_not_exist_is_named(tmp_path: Path) -> None:
    message = tmp_path / "message"

    assert [transfer.main(words, message=message) for words in ([], ["delete", "{}"])] == [1, 1]
    assert message.read_text() == "'delete' is none of fetch, publish"
