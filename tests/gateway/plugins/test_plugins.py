"""Pages that installed packages add: what is accepted, what is left out, and what a browser gets."""

from collections.abc import AsyncIterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from windlass.gateway.plugins import DashboardPlugin, MenuEntry
from windlass.gateway.plugins.installed import GROUP, usable
from windlass.gateway.plugins.plugin import problem
from windlass.gateway.plugins.routes import Plugins, routes

Client = TestClient[web.Request, web.Application]


@pytest.fixture
def plugin(tmp_path: Path) -> DashboardPlugin:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Costs</title>")
    (tmp_path / "secret.html").write_text("not for browsers")
    return DashboardPlugin(name="costs", files=folder, menu=(MenuEntry(text="Costs"),))


@pytest.fixture
async def client(plugin: DashboardPlugin, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setattr(Plugins, "installed", {"costs": plugin})
    app = web.Application()
    app.add_routes(routes(cast(Any, None)))
    async with TestClient(TestServer(app)) as client:
        yield client


async def test_a_plugin_is_in_the_menu_and_its_page_is_served_with_a_policy(client: Client) -> None:
    menu = await (await client.get("/api/plugins")).json()
    page = await client.get(menu["menu"][0]["link"])

    assert menu["menu"] == [{"plugin": "costs", "text": "Costs", "link": "/plugins/costs/index.html"}]
    assert "Costs" in await page.text()
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path", ["/plugins/costs/../secret.html", "/plugins/costs/%2e%2e/secret.html", "/plugins/other/index.html"]
)
async def test_nothing_outside_of_its_folder_is_served(client: Client, path: str) -> None:
    assert (await client.get(path)).status == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "Costs"}, "name"),
        ({"name": "../x"}, "name"),
        ({"files": Path("/nowhere")}, "files"),
        ({"menu": (MenuEntry(text="x", page="../../etc"),)}, "menu"),
        ({"menu": (MenuEntry(text="x", page="/dex/"),)}, "menu"),
        ({"menu": (MenuEntry(text=""),)}, "menu"),
    ],
)
def test_a_bad_declaration_is_refused_by_its_field(plugin: DashboardPlugin, change: dict[str, Any], field: str) -> None:
    declared = {"name": plugin.name, "files": plugin.files, "menu": plugin.menu, **change}

    assert (problem(DashboardPlugin(**declared)) or "").startswith(f"{field}:")


def test_broken_packages_are_left_out_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    declared = [
        EntryPoint(name="missing", value="there.is.no.such.module:PLUGIN", group=GROUP),
        EntryPoint(name="wrong", value="json:dumps", group=GROUP),
    ]

    assert usable(declared) == {}
    assert "there.is.no.such.module" in caplog.text
    assert "json:dumps" in caplog.text
