"""A real S3 server (moto, in an environment of its own), for tests of artifacts in object stores."""

import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from obstore.store import S3Store

from tests.e2e.training.sdk_environment import sdk_python
from tests.support import eventually, free_port

MOTO = ("moto==5.2.1", "moto[server,s3]==5.2.1")
KEYS = {"accesskey": "testing", "secretkey": "a-secret-key"}


@dataclass(frozen=True)
class ObjectStore:
    port: int
    host: str = "127.0.0.1"

    @property
    def endpoint(self) -> str:
        return f"{self.host}:{self.port}"

    def request(self, method: str, path: str, body: bytes | None = None, access: str = "private") -> bytes:
        request = urllib.request.Request(f"http://{self.endpoint}{path}", method=method, data=body)
        request.add_header("Content-Type", "text/plain")
        request.add_header("x-amz-acl", access)
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()

    def is_up(self) -> bool:
        try:
            return bool(self.request("GET", "/moto-api/"))
        except (urllib.error.URLError, ConnectionError):
            return False

    def reset(self) -> None:
        self.request("POST", "/moto-api/reset", b"")
        self.request("POST", "/moto-api/reset-auth", b"1000000")

    def make_bucket(self, name: str) -> None:
        self.request("PUT", f"/{name}", b"")

    def bucket(self, name: str) -> S3Store:
        """A client with keys: without any, only empty objects can be replaced."""
        return S3Store(
            name,
            config={
                "endpoint": f"http://{self.endpoint}",
                "region": "us-east-1",
                "access_key_id": "testing",
                "secret_access_key": "testing",
            },
            client_options={"allow_http": True},
        )

    def put(self, path: str, content: bytes) -> None:
        """`path` is the bucket and the key."""
        bucket, _, key = path.partition("/")
        self.bucket(bucket).put(key, content)

    def put_public(self, path: str, content: bytes) -> None:
        """Create an object that can be read without keys."""
        self.request("PUT", f"/{path}", content, access="public-read")

    def make_folder(self, path: str) -> None:
        """Create the marker of an empty folder, as consoles do."""
        self.request("PUT", f"/{path}/", b"")

    def get(self, path: str) -> bytes:
        bucket, _, key = path.partition("/")
        return bytes(self.bucket(bucket).get(key).bytes())

    def keys(self, bucket: str) -> list[str]:
        return sorted(meta["path"] for page in self.bucket(bucket).list() for meta in page)

    def delete(self, path: str) -> None:
        bucket, _, key = path.partition("/")
        self.bucket(bucket).delete(key)

    def require_keys(self) -> None:
        """From now on requests need a key, and the server knows none."""
        self.request("POST", "/moto-api/reset-auth", b"0")


@contextmanager
def object_store(folder: Path, host: str = "127.0.0.1") -> Iterator[ObjectStore]:
    """`host` is the address to listen on: pods reach no loopback address."""
    python = sdk_python(*MOTO)
    store = ObjectStore(free_port(), host)
    with (folder / "object-store.log").open("wb") as log:
        words = [python, "-m", "moto.server", "-H", host, "-p", str(store.port)]
        process = subprocess.Popen(words, stdout=log, stderr=log)
        try:
            eventually(store.is_up, 60, "the object store answers")
            yield store
        finally:
            process.kill()
            process.wait()
