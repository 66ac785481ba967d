"""A create that has nobody to ask is decided in the tick in which it arrives: only the disk is waited for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.support import free_port
from windlass.apiserver.connection import Request, Response
from windlass.apiserver.http import Http
from windlass.apiserver.server import Server, ServerSettings
from windlass.kube.json import encode

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


async def test_a_create_is_accepted_before_anything_is_awaited_and_answered_when_it_is_durable(tmp_path: Path) -> None:
    server = Server(ServerSettings(data_dir=tmp_path, port=free_port()))
    await server.start()
    token = (tmp_path / "credentials" / "admin.token").read_bytes()
    connection: Any = SimpleNamespace(peer_certificate=None, remote="local")

    def post(name: str, query: bytes = b"") -> Any:
        headers = [(b"authorization", b"Bearer " + token), (b"content-type", b"application/json")]
        request = Request("POST", CONFIG_MAPS, query, headers, connection)
        request.body = encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        return Http(server.api).handle(request)

    try:
        store, key = server.api.store, ("/configmaps", "default", "a")
        first = post("a")
        assert store.newest(key) is not None
        assert store.get(key) is None
        again, dry = post("a"), post("b", b"dryRun=All")
        assert isinstance(again, Response)
        assert isinstance(dry, Response)
        assert (again.status, dry.status) == (409, 201)

        assert (await first).status == 201
        assert store.get(key) is not None
        assert store.newest(("/configmaps", "default", "b")) is None
    finally:
        await server.stop()
