"""What a browser gets at the addresses of the dashboard, with built files and without."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from aiohttp.typedefs import Handler

from tests.gateway.browser import a_person, signed_in
from tests.gateway.platform import Platform
from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.pages.routes import routes
from windlass.gateway.request import IDENTITY, Identity
from windlass.gateway.settings import GatewaySettings

INDEX = "<!doctype html><title>Windlass</title>"
PAGES = (
    "/", "/activity", "/manage-users", "/register", "/account", "/jupyter/", "/jupyter/new",
    "/jupyter/notebook/details/ml/one", "/tensorboards/", "/tensorboards/details/ml/one", "/volumes/", "/volumes/new",
    "/jobs/", "/jobs/new", "/jobs/PyTorchJob/ml/one", "/queues/", "/queues/default", "/cluster/", "/objects/",
    "/objects/core/v1/pods", "/objects/core/v1/pods/ml/one", "/_/grafana/", "/katib/", "/kserve-endpoints/",
    "/pipeline/", "/pipelines/", "/pipelines/runs/details/6b1c",
)  # fmt: skip

Client = TestClient[web.Request, web.Application]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "assets" / "app-1a2b.js").write_text("plain")
    (folder / "assets" / "app-1a2b.js.br").write_text("brotli")
    (folder / "assets" / "app-1a2b.js.gz").write_text("gzip")
    return folder


@pytest.fixture
def context(tmp_path: Path, built: Path) -> Iterator[GatewayContext]:
    settings = GatewaySettings(folder=tmp_path / "gateway", audit_log=tmp_path / "audit.log", ui_folder=built)
    with open_context(settings, cast(Any, None), {}) as opened:
        opened.__dict__["proxy"] = _NoRoutes()
        yield opened


class _NoRoutes:
    def serves(self, path: str, host: str) -> bool:
        return False


@pytest.fixture
async def client(context: GatewayContext) -> AsyncIterator[Client]:
    @web.middleware
    async def signed_in_as_ann(request: web.Request, handler: Handler) -> web.StreamResponse:
        request[IDENTITY] = Identity("ann@example.com")
        return await handler(request)

    app = web.Application(middlewares=[signed_in_as_ann])
    app.add_routes(routes(context))
    async with TestClient(TestServer(app), auto_decompress=False) as opened:
        yield opened


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_is_the_same_document(client: Client, path: str) -> None:
    answer = await client.get(path)

    assert (answer.status, await answer.text()) == (200, INDEX)
    assert "no-store" in answer.headers["Cache-Control"]
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    assert answer.cookies["XSRF-TOKEN"]["path"] == "/"


async def test_the_pages_of_all_apps_have_one_csrf_token(client: Client) -> None:
    token = (await client.get("/jupyter/")).cookies["XSRF-TOKEN"].value

    again = await client.get("/volumes/", headers={"Cookie": f"XSRF-TOKEN={token}"})

    assert again.cookies["XSRF-TOKEN"].value == token


@pytest.mark.parametrize("app", ["/jupyter", "/pipeline", "/katib", "/kserve-endpoints"])
async def test_an_app_without_its_slash_is_led_to_its_page(client: Client, app: str) -> None:
    answer = await client.get(f"{app}?ns=ml", allow_redirects=False)

    assert (answer.status, answer.headers["Location"]) == (302, f"{app}/?ns=ml")


@pytest.mark.parametrize(
    ("framed", "own"),
    [
        ("/_/jupyter/?ns=ml", "/jupyter/?ns=ml"),
        ("/_/volumes/details/ml/a%20b", "/volumes/details/ml/a%20b"),
        ("/_/", "/"),
    ],
)
async def test_a_page_of_the_dashboard_is_never_in_a_frame(client: Client, framed: str, own: str) -> None:
    answer = await client.get(framed, allow_redirects=False)

    assert (answer.status, answer.headers["Location"]) == (302, own)


@pytest.mark.parametrize(("accepted", "body"), [("br, gzip", "brotli"), ("gzip", "gzip"), ("identity", "plain")])
async def test_assets_are_sent_as_they_were_compressed_by_the_build(client: Client, accepted: str, body: str) -> None:
    answer = await client.get("/assets/app-1a2b.js", headers={"Accept-Encoding": accepted})

    assert (answer.status, (await answer.read()).decode()) == (200, body)
    assert answer.headers.get("Content-Encoding", "identity") == accepted.split(",")[0]
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["Cache-Control"]
    again = await client.get(
        "/assets/app-1a2b.js", headers={"Accept-Encoding": accepted, "If-None-Match": answer.headers["ETag"]}
    )
    assert again.status == 304


@pytest.mark.parametrize(
    "path", ["/assets/none.js", "/assets/", "/assets/..%2findex.html", "/assets/%2e%2e/index.html"]
)
async def test_what_is_no_asset_is_not_found(client: Client, path: str) -> None:
    assert (await client.get(path)).status == 404


async def test_the_icon_and_the_library_of_framed_apps_are_served(client: Client) -> None:
    icon, library = await client.get("/favicon.svg"), await client.get("/dashboard_lib.bundle.js")

    assert icon.headers["Content-Type"] == "image/svg+xml"
    assert "CentralDashboardEventHandler" in await library.text()


async def test_pages_say_how_to_build_what_is_not_built(client: Client, built: Path) -> None:
    (built / "index.html").unlink()

    answer = await client.get("/jobs/")

    assert answer.status == 200
    assert "make ui-build" in await answer.text()
    assert "XSRF-TOKEN" in answer.cookies


def test_pages_need_a_sign_in(platform: Platform) -> None:
    browser = signed_in(platform, a_person(platform, "pages@example.com"))

    assert [browser.get(path).status_code for path in PAGES] == [200] * len(PAGES)
    browser.session.cookies.clear()
    assert {browser.get(path).url.partition("?")[0] for path in PAGES[:3]} == {f"{platform.url}/dex/auth/local/login"}
    assert browser.get("/assets/app.js", headers={"Sec-Fetch-Mode": "no-cors"}).status_code == 401
