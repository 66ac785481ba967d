"""Another server's API group behind this one, found through an APIService."""

import asyncio
import base64
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests import loops
from tests.support import Windlass, eventually, running
from windlass.apiserver.aggregation import proxied_resources
from windlass.apiserver.pki import Pki

GROUP, VERSION = "weather.example.com", "v1"
RESOURCES = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": f"{GROUP}/{VERSION}",
    "resources": [
        {
            "name": "forecasts",
            "singularName": "forecast",
            "namespaced": True,
            "kind": "Forecast",
            "verbs": ["get", "list"],
        },
        {"name": "forecasts/status", "singularName": "", "namespaced": True, "kind": "Forecast", "verbs": ["get"]},
    ],
}


class Remote:
    """A small API server of its own, over TLS, that tells who it believes is asking."""

    def __init__(self, folder: Path) -> None:
        self.port = 0
        self.pki = Pki.load_or_create(folder / "pki", ["weather.default.svc"])
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._serve(), self._loop).result(60)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        loops.close(self._loop)

    async def _serve(self) -> None:
        app = web.Application()
        app.router.add_get(f"/apis/{GROUP}/{VERSION}", self._resources)
        app.router.add_get(f"/apis/{GROUP}/{VERSION}/namespaces/{{ns}}/forecasts", self._list)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(self.pki.server_file, self.pki.server_key_file)
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=tls).start()
        self.port = self._runner.addresses[0][1]

    async def _resources(self, request: web.Request) -> web.Response:
        return web.json_response(RESOURCES)

    async def _list(self, request: web.Request) -> web.Response:
        user = request.headers.get("X-Remote-User", "")
        item = {"metadata": {"name": user, "namespace": request.match_info["ns"]}}
        assert "Authorization" not in request.headers
        return web.json_response({"kind": "ForecastList", "apiVersion": f"{GROUP}/{VERSION}", "items": [item]})


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Remote]:
    found = Remote(tmp_path)
    found.start()
    yield found
    found.stop()


def register(server: Windlass, remote: Remote) -> None:
    metadata = {"name": "weather", "namespace": "default"}
    ports = [{"port": 443}]
    server.create("/api/v1/namespaces/default/services", {"metadata": metadata, "spec": {"ports": ports}})
    piece: dict[str, Any] = {
        "metadata": {**metadata, "labels": {"kubernetes.io/service-name": "weather"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["127.0.0.1"]}],
        "ports": [{"name": "", "port": remote.port}],
    }
    server.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", piece)
    spec = {
        "group": GROUP,
        "version": VERSION,
        "service": {"name": "weather", "namespace": "default"},
        "caBundle": base64.b64encode(remote.pki.ca_pem).decode(),
        "groupPriorityMinimum": 1000,
        "versionPriority": 10,
    }
    apiservices = "/apis/apiregistration.k8s.io/v1/apiservices"
    server.create(apiservices, {"metadata": {"name": f"{VERSION}.{GROUP}"}, "spec": spec})

    def available() -> bool:
        status = server.get(f"{apiservices}/{VERSION}.{GROUP}").get("status", {})
        return any(c["type"] == "Available" and c["status"] == "True" for c in status.get("conditions", []))

    eventually(available, what="the remote API is available")


def test_a_remote_api_is_discovered_and_reached_as_the_user(tmp_path: Path, remote: Remote) -> None:
    with running(tmp_path) as server:
        register(server, remote)

        listed = server.get(f"/apis/{GROUP}/{VERSION}")["resources"]
        assert [r["name"] for r in listed] == ["forecasts", "forecasts/status"]
        forecasts = server.get(f"/apis/{GROUP}/{VERSION}/namespaces/default/forecasts")
        assert forecasts["items"][0]["metadata"]["name"] == "kubernetes-admin"
        asked = server.request(
            "GET", f"/apis/{GROUP}/{VERSION}/namespaces/default/forecasts", headers={"impersonate-user": "jane"}
        )
        assert asked.status == 403, "RBAC guards remote resources like any other"


def test_own_group_versions_have_local_api_services(server: Windlass) -> None:
    def conditions() -> Any:
        found = server.request("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps").json()
        return found["kind"] == "APIService" and found.get("status", {}).get("conditions")

    assert eventually(conditions)[0]["reason"] == "Local"


def test_subresources_of_a_remote_list_belong_to_their_resource() -> None:
    (forecasts,) = proxied_resources(GROUP, VERSION, RESOURCES)

    assert forecasts.proxied
    assert forecasts.subresources == {"status"}
    assert forecasts.verbs == ("get", "list")
