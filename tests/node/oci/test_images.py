"""Images are pulled from registries and layouts, verified, kept, and given to those who may have them."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import web
from yarl import URL

from tests.node.oci.builders import INDEX, MANIFEST, described, digest, entry, index, layer, manifest, write_layout
from tests.node.oci.registry_server import RegistryServer, registry_server
from windlass.node.images.catalogue import RegistrySettings
from windlass.node.images.image import PullFailed
from windlass.node.images.reference import parse
from windlass.node.oci import images as images_module
from windlass.node.oci.credentials import Keyring, keyring
from windlass.node.oci.images import OciImages
from windlass.node.oci.manifests import this_platform
from windlass.node.oci.registry import Registry, is_loopback

NO_KEYS = Keyring()
MODEL = layer(entry("models/weights", b"1"))


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    with registry_server(tmp_path_factory.mktemp("registry"), user="ann", password="secret") as server:
        yield server


@pytest.fixture
def images(tmp_path: Path) -> OciImages:
    return OciImages(tmp_path / "data")


def keys(registry: RegistryServer, password: str = "") -> Keyring:
    secret = RegistryServer(registry.port, registry.user, password or registry.password).pull_secret("x")
    text = secret["stringData"][".dockerconfigjson"]
    return keyring([{"data": {".dockerconfigjson": base64.b64encode(text.encode()).decode()}}])


def configure(images: OciImages, rules: dict[str, Any]) -> None:
    """Write the images.yaml of the node."""
    data = next(folder for folder in images.folders.root.parents if folder.name == "data")
    data.mkdir(exist_ok=True)
    (data / "images.yaml").write_text(json.dumps(rules))


async def pull(images: OciImages, reference: str, secrets: Keyring = NO_KEYS) -> Path:
    registry = parse(reference).registry
    if is_loopback(registry):
        configure(images, {"registries": {registry: {"plain_http": True}}})
    return Path((await images.pull(parse(reference), secrets, lambda line: None)).files)


async def find(images: OciImages, reference: str, secrets: Keyring = NO_KEYS) -> Path | None:
    image = await images.find(parse(reference), secrets, lambda line: None)
    return None if image is None else Path(image.files)


async def failure(images: OciImages, reference: str, secrets: Keyring = NO_KEYS) -> str:
    with pytest.raises(PullFailed) as raised:
        await pull(images, reference, secrets)
    return str(raised.value)


async def test_an_image_is_pulled_with_credentials_and_only_for_those_who_have_them(
    images: OciImages, registry: RegistryServer
) -> None:
    registry.push("team/model", "1", [MODEL])
    reference = f"{registry.name}/team/model:1"

    files = await pull(images, reference, keys(registry))

    assert (files / "models" / "weights").read_text() == "1"
    assert await find(images, reference, keys(registry)) == files
    assert await find(images, reference, keys(registry, "wrong")) is None
    assert await find(images, reference) is None
    assert "may require authorization" in await failure(images, reference, keys(registry, "wrong"))
    assert "no basic auth credentials" in await failure(images, reference)


async def test_a_tag_that_has_moved_is_another_image_when_it_is_pulled_again(
    images: OciImages, registry: RegistryServer
) -> None:
    reference, secrets = f"{registry.name}/team/moving:1", keys(registry)
    first_digest = registry.push("team/moving", "1", [MODEL])
    first = await pull(images, reference, secrets)
    registry.push("team/moving", "1", [MODEL, layer(entry("models/weights", b"2"))])

    assert await find(images, reference, secrets) == first
    second = await pull(images, reference, secrets)
    pinned = await pull(images, f"{registry.name}/team/moving@{first_digest}", secrets)

    assert (second / "models" / "weights").read_text() == "2"
    assert pinned == first


async def test_an_index_leads_to_the_image_of_this_platform(images: OciImages, registry: RegistryServer) -> None:
    registry.push("team/many", "here", [MODEL])
    here = this_platform()
    platform = {"os": here.os, "architecture": here.architecture}
    other = {"os": "linux", "architecture": "none"}
    registry.push("team/many", "other", [layer(entry("other"))])
    listed = index(
        described(manifest([layer(entry("other"))]), MANIFEST, platform=other),
        described(manifest([MODEL]), MANIFEST, platform=platform),
    )
    registry.push_manifest("team/many", "1", listed, INDEX)

    files = await pull(images, f"{registry.name}/team/many:1", keys(registry))

    assert (files / "models" / "weights").exists()


async def test_an_image_that_is_not_there_is_reported_in_the_registrys_words(
    images: OciImages, registry: RegistryServer
) -> None:
    assert "manifest unknown" in await failure(images, f"{registry.name}/team/none:1", keys(registry))
    assert "cannot be reached" in await failure(images, "localhost:1/team/none:1")


async def test_pulls_of_one_image_share_it(images: OciImages, registry: RegistryServer) -> None:
    registry.push("team/shared", "1", [MODEL])
    reference, secrets = f"{registry.name}/team/shared:1", keys(registry)

    found = await asyncio.gather(*(pull(images, reference, secrets) for _ in range(4)))

    assert len(set(found)) == 1
    assert not list((images.folders.root / "downloads").iterdir())


async def test_a_full_disk_is_named(
    images: OciImages, registry: RegistryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.push("team/large", "1", [MODEL])
    monkeypatch.setattr(images_module, "spare_bytes", lambda folder: 10)

    assert "the disk has only 10 left" in await failure(images, f"{registry.name}/team/large:1", keys(registry))


async def test_a_damaged_image_leaves_nothing_behind(images: OciImages, registry: RegistryServer) -> None:
    registry.push("team/damaged", "1", [MODEL, b"no archive"])

    assert "not a tar archive" in await failure(images, f"{registry.name}/team/damaged:1", keys(registry))
    assert images.folders.all() == []
    assert not list((images.folders.root / "images").iterdir())


async def test_an_image_layout_stands_for_a_repository(tmp_path: Path) -> None:
    write_layout(tmp_path / "layout", "1", [MODEL])
    (tmp_path / "data").mkdir()
    rules = {"layouts": {"registry.example.com/team/*": str(tmp_path / "layout")}}
    (tmp_path / "data" / "images.yaml").write_text(json.dumps(rules))
    images = OciImages(tmp_path / "data")

    files = await find(images, "registry.example.com/team/model:1")

    assert files is not None
    assert (files / "models" / "weights").read_text() == "1"
    assert await pull(images, "registry.example.com/team/model:1") == files
    assert "has no image of the tag 2" in await failure(images, "registry.example.com/team/model:2")


async def test_a_layout_whose_layer_was_changed_is_refused(tmp_path: Path) -> None:
    write_layout(tmp_path / "layout", "1", [MODEL])
    (tmp_path / "layout" / "blobs" / "sha256" / digest(MODEL).partition(":")[2]).write_bytes(MODEL + b"x")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "images.yaml").write_text(json.dumps({"layouts": {"team/model": str(tmp_path / "layout")}}))

    assert "is damaged" in await failure(OciImages(tmp_path / "data"), "team/model:1")


async def test_images_in_use_are_not_pruned(tmp_path: Path) -> None:
    for name in ("used", "unused"):
        write_layout(tmp_path / name, "1", [layer(entry(name))])
    (tmp_path / "data").mkdir()
    rules = {"layouts": {"team/used": str(tmp_path / "used"), "team/unused": str(tmp_path / "unused")}}
    (tmp_path / "data" / "images.yaml").write_text(json.dumps(rules))
    images = OciImages(tmp_path / "data")
    used, unused = [await pull(images, f"team/{name}:1") for name in ("used", "unused")]
    volumes = tmp_path / "pods" / "uid" / "volumes"
    volumes.mkdir(parents=True)
    (volumes / "model").symlink_to(used)

    kept = images.folders.prune(3600, [tmp_path / "pods"])
    removed = images.folders.prune(0, [tmp_path / "pods"])

    assert (kept, [one.files for one in removed]) == ([], [str(unused)])
    assert (used.exists(), unused.exists()) == (True, False)


# A registry of the test's own, which answers as real ones do and Debian's does not


@asynccontextmanager
async def serving(*routes: web.RouteDef) -> AsyncIterator[str]:
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"localhost:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_a_token_is_fetched_from_where_the_registry_says(images: OciImages) -> None:
    asked: list[tuple[str, str]] = []

    async def token(request: web.Request) -> web.Response:
        asked.append((request.query["scope"], request.headers.get("Authorization", "")))
        return web.json_response({"token": "t1"})

    async def content(request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != "Bearer t1":
            realm = f'Bearer realm="http://{request.host}/token",service="s",scope="repository:a/b:pull"'
            return web.Response(status=401, headers={"WWW-Authenticate": realm})
        return web.Response(body=manifest([MODEL]) if "manifests" in request.path else MODEL)

    async with serving(web.get("/token", token), web.get("/v2/{rest:.*}", content)) as host:
        files = await pull(images, f"{host}/a/b:1")

    assert (files / "models" / "weights").exists()
    assert asked == [("repository:a/b:pull", "")]


async def test_credentials_do_not_follow_a_redirect(images: OciImages) -> None:
    given: list[str | None] = []

    async def blob(request: web.Request) -> web.Response:
        given.append(request.headers.get("Authorization"))
        return web.Response(body=MODEL)

    async with serving(web.get("/blob", blob)) as store:

        async def content(request: web.Request) -> web.Response:
            if "Authorization" not in request.headers:
                return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
            if "manifests" in request.path:
                return web.Response(body=manifest([MODEL]))
            raise web.HTTPTemporaryRedirect(f"http://{store}/blob")

        async with serving(web.get("/v2/{rest:.*}", content)) as host:
            port = int(host.partition(":")[2])
            await pull(images, f"{host}/a/b:1", keys(RegistryServer(port, "ann", "secret")))

    assert given == [None]


async def test_a_registry_may_not_send_the_node_to_a_plain_address(images: OciImages) -> None:
    async def content(request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("http://169.254.169.254/latest/meta-data")

    async with serving(web.get("/v2/{rest:.*}", content)) as host:
        assert "http://169.254.169.254, which is not an https URL" in await failure(images, f"{host}/a/b:1")


async def test_a_registry_may_not_send_the_node_to_another_loopback_address(images: OciImages) -> None:
    async def content(request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("https://127.0.0.1:6443/api")

    async with serving(web.get("/v2/{rest:.*}", content)) as host:
        assert "https://127.0.0.1:6443, a loopback address" in await failure(images, f"{host}/a/b:1")


class Downgrading:
    """A session in which every registry sends the client to itself, by plain HTTP."""

    @asynccontextmanager
    async def get(self, url: URL, **_: object) -> AsyncIterator[SimpleNamespace]:
        location = str(url.with_scheme("http").with_path("/latest/meta-data"))
        yield SimpleNamespace(status=307, headers={"Location": location})


async def test_a_registry_with_tls_may_not_send_the_node_to_itself_without() -> None:
    """Its name may lead to another address by then, such as that of a metadata service."""
    registry = Registry(cast(Any, Downgrading()), parse("registry.example/a/b:1"), RegistrySettings())

    with pytest.raises(PullFailed, match=r"http://registry\.example, which is not an https URL"):
        await registry.manifest("1")


@pytest.mark.parametrize(
    ("body", "reason"),
    [(MODEL + b"more", "is damaged"), (MODEL[:-1], "is damaged"), (bytes(len(MODEL)), "is damaged")],
)
async def test_a_layer_must_have_its_digest(images: OciImages, body: bytes, reason: str) -> None:
    async def content(request: web.Request) -> web.Response:
        return web.Response(body=manifest([MODEL]) if "manifests" in request.path else body)

    async with serving(web.get("/v2/{rest:.*}", content)) as host:
        assert reason in await failure(images, f"{host}/a/b:1")


@pytest.mark.parametrize(
    ("registry", "expected"),
    [
        ("localhost:5000", True),
        ("127.0.0.2", True),
        ("[::1]:5000", True),
        ("quay.io", False),
        ("10.0.0.1:5000", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
        ("LOCALHOST:5000", True),
        ("a.localhost", True),
        ("127.1:5000", True),
        ("0x7f.1", True),
        ("2130706433:5000", True),
        ("0.0.0.0:5000", True),
        ("[::]:5000", True),
        ("[::ffff:127.0.0.1]:5000", True),
        ("[64:ff9b::7f00:1]:5000", True),
        ("[fd00::1]:5000", False),
    ],
)
def test_every_form_of_a_loopback_address_is_known(registry: str, expected: bool) -> None:
    assert is_loopback(registry) is expected


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "0.0.0.0"])
@pytest.mark.parametrize("rules", [{}, {"registries": {"localhost:1": {"plain_http": True}}}])
async def test_nothing_is_sent_to_a_loopback_port_that_the_operator_has_not_named(
    images: OciImages, host: str, rules: dict[str, Any]
) -> None:
    visitors: list[object] = []

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visitors.append(writer.get_extra_info("peername"))
        writer.close()

    configure(images, rules)
    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        registry = f"{host}:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(PullFailed, match="there does not name this registry") as raised:
            await images.pull(parse(f"{registry}/a/b:1"), NO_KEYS, lambda line: None)

    assert visitors == []
    assert f'registries: {{"{registry}": {{plain_http: true}}}}' in str(raised.value)


async def test_a_registry_of_this_machine_is_asked_with_tls_unless_it_is_to_do_without(images: OciImages) -> None:
    asked: list[str] = []

    async def content(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=404)

    async with serving(web.get("/v2/{rest:.*}", content)) as host:
        configure(images, {"registries": {host: {}}})
        with pytest.raises(PullFailed, match="cannot be reached"):
            await images.pull(parse(f"{host}/a/b:1"), NO_KEYS, lambda line: None)

    assert asked == []


async def test_an_error_of_nested_json_is_the_registrys_status(images: OciImages) -> None:
    async def content(_: web.Request) -> web.Response:
        return web.Response(status=404, text="[" * 5_000)

    async with serving(web.get("/v2/{rest:.*}", content)) as host:
        assert "the registry answered 404" in await failure(images, f"{host}/a/b:1")


def test_other_users_cannot_read_pulled_images(images: OciImages) -> None:
    images.folders.prepare()

    assert (images.folders.root / "images").stat().st_mode & 0o077 == 0
