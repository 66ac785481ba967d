"""A file browser of a folder, and a client of it."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from windlass.node.images.programs.file_browser import server

TOKEN = "a" * 64
GATEWAY = {"x-windlass-server-token": TOKEN}
WRITER = {"x-windlass-may-write": "true"}


class Browser:
    """Asks a file browser as the gateway does; by default for someone who may change files."""

    def __init__(self, port: int) -> None:
        self._port = port

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request(method, path, body, {**GATEWAY, **(WRITER if headers is None else headers)})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        status, _, body = self.ask("GET", path)
        return json.loads(body) if status == 200 else status

    def post(self, action: str, value: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        wanted = {"content-type": "application/json", **(WRITER if headers is None else headers)}
        status, _, body = self.ask("POST", f"/api/{action}", json.dumps(value).encode(), wanted)
        return status, json.loads(body)

    def names(self, path: str = "") -> list[str]:
        return sorted(entry["name"] for entry in self.get(f"/api/list?path={path}")["entries"])


@contextmanager
def browsing(root: Path) -> Iterator[Browser]:
    made = server.serve(str(root), 0, TOKEN, "127.0.0.1")
    serving = threading.Thread(target=made.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield Browser(made.server_address[1])
    finally:
        made.shutdown()
        made.server_close()
        serving.join()
