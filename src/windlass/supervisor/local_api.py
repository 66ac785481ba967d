"""A small blocking client for the running server's Unix socket."""

import http.client
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windlass.supervisor.errors import SupervisorError

APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("windlass", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Api:
    def __init__(self, path: Path, token: str, *, timeout: float = 10.0) -> None:
        self._path = path
        self._token = token
        self._timeout = timeout

    def text(self, target: str, *, method: str = "GET", body: bytes | None = None, **headers: str) -> str:
        """The response body. Raises SupervisorError with the server's message on an error status."""
        sent = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = UnixConnection(self._path, self._timeout)
        try:
            connection.request(method, target, body=body, headers=sent)
            answer = connection.getresponse()
            content = answer.read().decode()
        except OSError as error:
            raise SupervisorError(f"the server does not answer on {self._path}: {error}") from error
        finally:
            connection.close()
        if answer.status >= 300:
            raise SupervisorError(f"the server refuses {method} {target}: {_message(content)} ({answer.status})")
        return content

    def json(self, target: str, **request: Any) -> Any:
        return json.loads(self.text(target, **request))

    def table(self, target: str) -> Any:
        """The Table that `kubectl get` would print."""
        return self.json(target, Accept=TABLE)

    def apply(self, manifest: dict[str, Any], manager: str) -> Any:
        """Server-side apply of one object."""
        return self.json(
            f"{self.path_of(manifest)}?fieldManager={manager}&force=true",
            method="PATCH",
            body=json.dumps(manifest).encode(),
            Content_Type=APPLY,
        )

    def until(self, target: str, condition: Callable[[Any], bool], *, within: float = 30.0) -> Any:
        """Poll the object until it satisfies `condition`, and return it."""
        deadline = time.monotonic() + within
        while not condition(found := self.json(target)):
            if time.monotonic() > deadline:
                raise SupervisorError(f"{target} is not as expected after {within:.0f} s")
            time.sleep(0.05)
        return found

    def path_of(self, manifest: dict[str, Any]) -> str:
        version, kind = manifest["apiVersion"], manifest["kind"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        for resource in self.json(root)["resources"]:
            if resource["kind"] == kind and "/" not in resource["name"]:
                namespace = manifest["metadata"].get("namespace", "default")
                folder = f"{root}/namespaces/{namespace}" if resource["namespaced"] else root
                return f"{folder}/{resource['name']}/{manifest['metadata']['name']}"
        raise SupervisorError(f"the server does not serve {kind} in {version}")


def _message(content: str) -> str:
    try:
        return json.loads(content)["message"]
    except (ValueError, KeyError, TypeError):
        return content.strip()[:200]
