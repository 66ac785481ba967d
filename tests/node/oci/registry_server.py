"""A real registry (Debian's docker-registry) on this machine, and images pushed to it."""

import base64
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bcrypt
import pytest
import yaml

from tests.node.oci.builders import MANIFEST, digest, manifest
from tests.support import eventually, free_port


@dataclass(frozen=True)
class RegistryServer:
    port: int
    user: str = ""
    password: str = ""

    @property
    def name(self) -> str:
        return f"localhost:{self.port}"

    def push(self, repository: str, tag: str, layers: Sequence[bytes]) -> str:
        """Push an image; answers its digest."""
        content = manifest(layers)
        for blob in (b"{}", *layers):
            where = self._request("POST", f"/v2/{repository}/blobs/uploads/").headers["Location"]
            self._request("PUT", f"{where}&digest={digest(blob)}", blob, "application/octet-stream")
        self.push_manifest(repository, tag, content, MANIFEST)
        return digest(content)

    def push_manifest(self, repository: str, tag: str, content: bytes, media_type: str) -> None:
        self._request("PUT", f"/v2/{repository}/manifests/{tag}", content, media_type)

    def pull_secret(self, name: str) -> dict[str, Any]:
        """A Secret with the registry's user and password."""
        auth = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        config = json.dumps({"auths": {self.name: {"auth": auth}}})
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name},
            "type": "kubernetes.io/dockerconfigjson",
            "stringData": {".dockerconfigjson": config},
        }

    @contextmanager
    def named_in(self, data: Path) -> Iterator[None]:
        """Name the registry in the images.yaml of a node's data directory, as its operator must."""
        file = data / "images.yaml"
        before = file.read_text() if file.exists() else None
        rules: dict[str, Any] = yaml.safe_load(before or "") or {}
        rules["registries"] = {**rules.get("registries", {}), self.name: {"plain_http": True}}
        file.write_text(yaml.safe_dump(rules))
        try:
            yield
        finally:
            if before is None:
                file.unlink()
            else:
                file.write_text(before)

    def is_up(self) -> bool:
        try:
            self._request("GET", "/v2/")
        except (urllib.error.URLError, ConnectionError):
            return False
        return True

    def _request(self, method: str, where: str, body: bytes | None = None, media_type: str = "") -> Any:
        url = where if where.startswith("http") else f"http://{self.name}{where}"
        request = urllib.request.Request(url, method=method, data=body if body is not None or method == "GET" else b"")
        if media_type:
            request.add_header("Content-Type", media_type)
        if self.user:
            auth = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
            request.add_header("Authorization", f"Basic {auth}")
        with urllib.request.urlopen(request, timeout=10) as response:
            response.read()
            return response


@contextmanager
def registry_server(folder: Path, *, user: str = "", password: str = "") -> Iterator[RegistryServer]:
    """A registry with its data in `folder`; with a user and password it answers no one else."""
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not installed")
    server = RegistryServer(free_port(), user, password)
    config: dict[str, Any] = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
        "http": {"addr": f"127.0.0.1:{server.port}"},
    }
    if user:
        hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
        (folder / "htpasswd").write_text(f"{user}:{hashed}\n")
        config["auth"] = {"htpasswd": {"realm": "test", "path": str(folder / "htpasswd")}}
    (folder / "config.json").write_text(json.dumps(config))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "serve", str(folder / "config.json")], stdout=log, stderr=log)
    try:
        eventually(lambda: process.poll() is not None or server.is_up(), 30, "the registry answers")
        assert process.poll() is None, (folder / "log").read_text()
        yield server
    finally:
        process.terminate()
        process.wait(10)
