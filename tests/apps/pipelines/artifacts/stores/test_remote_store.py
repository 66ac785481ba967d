"""Artifacts in a real object store, and in the claims of their namespaces."""

import base64
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from aiohttp import web

from tests.apps.pipelines.artifacts.stores.object_store import KEYS, ObjectStore, object_store
from tests.support import free_port
from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, artifacts_claim
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
from windlass.apps.pipelines.web.artifacts import ClaimArtifacts
from windlass.kube.address_ranges import is_local_or_metadata
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.serving import serving_from
from windlass.kube.testing import MemoryServer

NAMESPACE = "ml"


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
def server(tmp_path: Path) -> MemoryServer:
    server = MemoryServer(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    claim = artifacts_claim(NAMESPACE)
    claim["spec"]["volumeName"] = "artifacts"
    server.put(claim)
    csi = {"driver": "shared.windlass.dev", "volumeHandle": "artifacts"}
    server.put(
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "artifacts"}, "spec": {"csi": csi}}
    )
    return server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "volumes" / "artifacts"


@pytest.fixture
async def remote(server: MemoryServer, tmp_path: Path) -> AsyncIterator[RemoteStore]:
    remote = new_remote(server, tmp_path)
    yield remote
    await remote.close()


def new_remote(server: MemoryServer, folder: Path, *, allow_local: bool = True) -> RemoteStore:
    client = Client(server)
    return RemoteStore(StoreSettings(client), ClaimFolders(client, folder / "volumes"), allow_local=allow_local)


def secret(name: str = "mlpipeline-minio-artifact", **values: str) -> Object:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in (values or KEYS).items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": NAMESPACE}, "data": data}


def launcher(endpoint: str, **more: object) -> Object:
    default = {"endpoint": endpoint, "disableSSL": True, "maxRetries": 1, **more}
    text = yaml.safe_dump({"s3": {"default": default}, "minio": {"default": default}})
    metadata = {"name": "kfp-launcher", "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"providers": text}}


@pytest.fixture
def configured(server: MemoryServer, store: ObjectStore) -> MemoryServer:
    server.put(launcher(store.endpoint))
    server.put(secret())
    return server


@pytest.mark.usefixtures("configured")
async def test_an_object_is_fetched_as_a_file_and_again_when_it_has_changed(
    remote: RemoteStore, store: ObjectStore, folder: Path
) -> None:
    store.put("data/in/table.csv", b"a,b\n")
    assert not await remote.is_fetched(NAMESPACE, "s3://data/in/table.csv")

    await remote.fetch(NAMESPACE, "s3://data/in/table.csv")

    file = folder / "s3" / "data" / "in" / "table.csv"
    assert file.read_bytes() == b"a,b\n"
    assert await remote.is_fetched(NAMESPACE, "s3://data/in/table.csv")
    before = file.stat().st_ino
    await remote.fetch(NAMESPACE, "s3://data/in/table.csv")
    assert file.stat().st_ino == before
    store.put("data/in/table.csv", b"c,d\n")
    await remote.fetch(NAMESPACE, "s3://data/in/table.csv")
    assert file.read_bytes() == b"c,d\n"


@pytest.mark.usefixtures("configured")
async def test_a_prefix_is_fetched_as_a_folder_and_follows_what_the_store_has(
    remote: RemoteStore, store: ObjectStore, folder: Path
) -> None:
    store.put("data/model/weights", b"1")
    store.put("data/model/deep/er/config", b"2")
    store.make_folder("data/model/empty")
    store.put("data/model-2/weights", b"3")
    own = folder / "s3" / "data" / "model" / "made-here"
    own.mkdir(parents=True)

    await remote.fetch(NAMESPACE, "s3://data/model/")
    store.delete("data/model/weights")
    store.put("data/model/deep/er/config", b"4")
    await remote.fetch(NAMESPACE, "s3://data/model")

    assert sorted(str(path.relative_to(folder / "s3")) for path in (folder / "s3").rglob("*") if path.is_file()) == [
        "data/model/deep/er/config"
    ]
    assert (folder / "s3/data/model/deep/er/config").read_bytes() == b"4"
    assert own.is_dir()


@pytest.mark.usefixtures("configured")
async def test_files_and_folders_are_published_without_links(
    remote: RemoteStore, store: ObjectStore, folder: Path
) -> None:
    root = folder / "s3" / "data" / "out"
    (root / "model" / "deep").mkdir(parents=True)
    (root / "model" / "deep" / "weights").write_bytes(os.urandom(40 << 20))
    (root / "model" / "link").symlink_to("/etc/passwd")
    (root / "metrics").write_bytes(b"")

    for name in ("model", "metrics", "nothing"):
        await remote.publish(NAMESPACE, f"s3://data/out/{name}")

    assert store.get("data/out/model/deep/weights") == (root / "model" / "deep" / "weights").read_bytes()
    assert store.get("data/out/metrics") == b""
    assert store.keys("data") == ["out/metrics", "out/model/deep/weights"]
    assert await remote.exists(NAMESPACE, "s3://data/out/model")
    assert await remote.exists(NAMESPACE, "s3://data/out/metrics")
    assert not await remote.exists(NAMESPACE, "s3://data/out/nothing")


@pytest.mark.usefixtures("configured")
async def test_an_object_is_read_in_parts(remote: RemoteStore, store: ObjectStore) -> None:
    large = os.urandom(9 << 20)
    store.put("data/large", large)

    content = await remote.open(NAMESPACE, "s3://data/large")

    assert content is not None
    assert (content.kind, content.size) == ("file", len(large))
    assert await content.read(4) == large[:4]
    assert b"".join([chunk async for chunk in content.chunks()]) == large[4:]
    assert await remote.open(NAMESPACE, "s3://data/none") is None


@pytest.mark.usefixtures("configured")
async def test_the_gateway_reads_the_claim_first_and_then_the_store(
    server: MemoryServer, store: ObjectStore, folder: Path
) -> None:
    store.put("data/a", b"stored")
    store.put("data/b", b"stored")
    (folder / "s3" / "data").mkdir(parents=True)
    (folder / "s3" / "data" / "b").write_bytes(b"fetched")
    artifacts = ClaimArtifacts(Client(server), str(folder.parent), allow_local_endpoints=True)

    for name, expected in (("a", b"stored"), ("b", b"fetched")):
        content = await artifacts.open(NAMESPACE, f"s3://data/{name}", Client(server))
        assert content is not None
        assert await content.read(100) == expected
        content.close()
    for absent in ("s3://data/none", "s3://elsewhere/a", "s3://data/a?profile=mine"):
        assert await artifacts.open(NAMESPACE, absent, Client(server)) is None
    await artifacts.close()


@pytest.mark.usefixtures("configured")
async def test_minio_uris_are_in_the_store_where_an_endpoint_is_configured(
    remote: RemoteStore, store: ObjectStore, folder: Path
) -> None:
    store.put("data/a", b"content")
    assert await remote.is_remote(NAMESPACE, "minio://data/a")

    await remote.fetch(NAMESPACE, "minio://data/a")

    assert (folder / "minio/data/a").read_bytes() == b"content"


async def test_minio_uris_are_in_the_claim_otherwise(remote: RemoteStore) -> None:
    assert not await remote.is_remote(NAMESPACE, "minio://data/a")
    with pytest.raises(StoreError, match="it is in no object store"):
        await remote.fetch(NAMESPACE, "minio://data/a")


@pytest.mark.usefixtures("configured")
async def test_a_transfer_that_was_interrupted_is_not_taken_for_the_whole_and_is_repeated(
    remote: RemoteStore, store: ObjectStore, folder: Path, server: MemoryServer, tmp_path: Path
) -> None:
    store.put("data/model/a", b"1")
    store.put("data/model/b", b"2")
    await remote.fetch(NAMESPACE, "s3://data/model")
    store.put("data/model/b", b"3")
    (folder / "s3/data/model/b").unlink()
    (folder / "s3/data/model/b").mkdir()
    with pytest.raises(StoreError, match="s3://data/model"):
        await remote.fetch(NAMESPACE, "s3://data/model")
    (folder / "s3/data/model/b").rmdir()

    restarted = new_remote(server, tmp_path)

    assert not await restarted.is_fetched(NAMESPACE, "s3://data/model")
    await restarted.fetch(NAMESPACE, "s3://data/model")
    assert (folder / "s3/data/model/b").read_bytes() == b"3"
    assert await restarted.is_fetched(NAMESPACE, "s3://data/model")
    await restarted.close()


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("s3://data/none", "there is no such object"),
        ("s3://no-such-bucket/a", "NoSuchBucket"),
        ("s3://x/a", "'x' is not the name of a bucket"),
        ("s3://data/../other", "empty, . or .. part"),
        ("s3://data/a?profile=mine", "query parameter 'profile'"),
    ],
)
async def test_what_cannot_be_fetched_is_named_with_the_reason(remote: RemoteStore, uri: str, reason: str) -> None:
    with pytest.raises(StoreError) as failure:
        await remote.fetch(NAMESPACE, uri)

    assert f"Cannot fetch {uri}" in str(failure.value)
    assert reason in str(failure.value)


@pytest.mark.usefixtures("configured")
async def test_a_refused_key_is_named_by_its_secret_and_never_shown(remote: RemoteStore, store: ObjectStore) -> None:
    store.put("data/a", b"content")
    store.require_keys()

    with pytest.raises(StoreError) as failure:
        await remote.fetch(NAMESPACE, "s3://data/a")

    assert "with the Secret ml/mlpipeline-minio-artifact: 403 Forbidden" in str(failure.value)
    assert KEYS["secretkey"] not in repr(failure.getrepr())


async def test_a_store_that_does_not_answer_is_named_after_some_attempts(
    remote: RemoteStore, server: MemoryServer
) -> None:
    port = free_port()
    server.put(launcher(f"127.0.0.1:{port}"))

    with pytest.raises(StoreError, match=rf"Cannot fetch s3://data/a .*: cannot connect to 127.0.0.1:{port}"):
        await remote.fetch(NAMESPACE, "s3://data/a")


async def test_a_namespace_without_the_secret_reads_public_buckets_only(
    remote: RemoteStore, server: MemoryServer, store: ObjectStore, folder: Path
) -> None:
    server.put(launcher(store.endpoint))
    store.put_public("data/public", b"content")
    store.put("data/private", b"content")

    await remote.fetch(NAMESPACE, "s3://data/public")

    assert (folder / "s3/data/public").read_bytes() == b"content"
    with pytest.raises(StoreError, match="without credentials: there is no Secret ml/mlpipeline-minio-artifact: 403"):
        await remote.fetch(NAMESPACE, "s3://data/private")


@pytest.mark.parametrize(
    ("present", "reason"),
    [({}, "the Secret ml/own does not exist"), ({"id": "a"}, "the Secret ml/own has no key 'key'")],
)
async def test_a_secret_that_is_named_must_have_its_keys(
    remote: RemoteStore, server: MemoryServer, store: ObjectStore, present: dict[str, str], reason: str
) -> None:
    reference = {"secretName": "own", "accessKeyKey": "id", "secretKeyKey": "key"}
    server.put(launcher(store.endpoint, credentials={"secretRef": reference}))
    if present:
        server.put(secret("own", **present))

    with pytest.raises(StoreError, match=reason):
        await remote.exists(NAMESPACE, "s3://data/a")


@pytest.mark.usefixtures("configured")
async def test_an_endpoint_on_this_machine_is_refused_unless_it_is_allowed(
    server: MemoryServer, tmp_path: Path, store: ObjectStore
) -> None:
    store.put("data/a", b"content")
    remote = new_remote(server, tmp_path, allow_local=False)

    with pytest.raises(StoreError, match=r"127.0.0.1 is at 127.0.0.1, .* which is not permitted"):
        await remote.open(NAMESPACE, "s3://data/a")
    await remote.close()


async def test_settings_that_are_not_valid_are_named(remote: RemoteStore, server: MemoryServer) -> None:
    server.put(launcher("user:password@host"))

    with pytest.raises(ValueError, match=r"ConfigMap kfp-launcher, .*providers.minio.default.endpoint"):
        await remote.is_remote(NAMESPACE, "s3://data/a")


async def test_a_redirect_to_this_machine_is_not_followed(server: MemoryServer, tmp_path: Path) -> None:
    host = own_address()
    secret_server = socket.create_server(("127.0.0.1", 0))

    async def redirect(request: web.Request) -> web.Response:
        raise web.HTTPFound(f"http://127.0.0.1:{secret_server.getsockname()[1]}/secret")

    async def answer(request: web.Request) -> web.Response:
        requested.append(request.path)
        return web.Response(body=b"secret", headers={"ETag": '"a"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"})

    requested: list[str] = []
    listener = socket.create_server((host, 0))
    server.put(launcher(f"{host}:{listener.getsockname()[1]}"))
    remote = new_remote(server, tmp_path, allow_local=False)
    async with serving_from(app_of(redirect), listener), serving_from(app_of(answer), secret_server):
        with pytest.raises(StoreError, match=r"Cannot read s3://data/a"):
            await remote.open(NAMESPACE, "s3://data/a")
        await remote.close()

    assert requested == []


def app_of(handler: Callable[[web.Request], Awaitable[web.Response]]) -> web.Application:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    return app


def own_address() -> str:
    """An address of this machine that others could have; skips where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        host = probe.getsockname()[0]
    if is_local_or_metadata(host):
        pytest.skip("this machine has a loopback interface only")
    return host


@pytest.mark.usefixtures("configured")
async def test_nothing_is_taken_from_the_environment_of_the_process(
    remote: RemoteStore, store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put("data/a", b"content")
    nowhere = f"http://127.0.0.1:{free_port()}"
    for name in ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, nowhere)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"):
        monkeypatch.setenv(name, "other")
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")

    await remote.fetch(NAMESPACE, "s3://data/a")

    assert (folder / "s3/data/a").read_bytes() == b"content"


async def test_a_public_bucket_of_google_needs_no_credentials(
    remote: RemoteStore, store: ObjectStore, server: MemoryServer, folder: Path
) -> None:
    store.put_public("data/model/weights", b"content")
    text = yaml.safe_dump({"gs": {"default": {"endpoint": store.endpoint, "disableSSL": True}}})
    metadata = {"name": "kfp-launcher", "namespace": NAMESPACE}
    server.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"providers": text}})

    await remote.fetch(NAMESPACE, "gs://data/model/weights")

    assert (folder / "gcs/data/model/weights").read_bytes() == b"content"


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("no JSON", "is not the JSON key of a service account"),
        ('{"type": "external_account"}', "is not the JSON key of a service account"),
        ('{"type": "service_account", "client_email": "a"}', "has no private_key"),
    ],
)
async def test_the_key_of_a_service_account_is_checked(
    remote: RemoteStore, server: MemoryServer, key: str, reason: str
) -> None:
    reference = {"secretRef": {"secretName": "google", "tokenKey": "key.json"}}
    text = yaml.safe_dump({"gs": {"default": {"credentials": reference}}})
    metadata = {"name": "kfp-launcher", "namespace": NAMESPACE}
    server.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"providers": text}})
    server.put(secret("google", **{"key.json": key}))

    with pytest.raises(StoreError, match=reason):
        await remote.fetch(NAMESPACE, "gs://data/a")


@pytest.mark.usefixtures("configured")
async def test_an_object_or_all_below_a_key_is_removed(remote: RemoteStore, store: ObjectStore) -> None:
    for key in ("data/run/one", "data/run/model/a", "data/run/model/b/c", "data/run/model-2/x"):
        store.put(key, b"1")

    await remote.remove(NAMESPACE, "s3://data/run/one")
    await remote.remove(NAMESPACE, "s3://data/run/model")
    await remote.remove(NAMESPACE, "s3://data/run/nothing")

    assert not await remote.exists(NAMESPACE, "s3://data/run/one")
    assert not await remote.exists(NAMESPACE, "s3://data/run/model")
    assert await remote.exists(NAMESPACE, "s3://data/run/model-2")
    with pytest.raises(StoreError, match="bucket"):
        await remote.remove(NAMESPACE, "s3://data")


async def test_the_api_removes_what_a_run_has_in_a_store(
    configured: MemoryServer, store: ObjectStore, tmp_path: Path
) -> None:
    store.put("data/run/model", b"1")
    client = Client(configured)
    artifacts = ClaimArtifacts(client, str(tmp_path / "volumes"), allow_local_endpoints=True)

    assert await artifacts.remove(NAMESPACE, "s3://data/run/model", client) == ""
    assert await artifacts.open(NAMESPACE, "s3://data/run/model", client) is None
    assert "Cannot delete s3://none/model" in await artifacts.remove(NAMESPACE, "s3://none/model", client)
    await artifacts.close()
