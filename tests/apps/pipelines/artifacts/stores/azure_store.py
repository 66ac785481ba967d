"""A real server of Azure Blob Storage (Azurite, an npm package), for tests of artifacts in object stores."""

import base64
import hashlib
import hmac
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

import pytest
from obstore.store import AzureStore

from tests.support import eventually, free_port
from tools.ui_build import CannotInstall, Npm

AZURITE = "3.35.0"
FOLDER = Path(__file__).parents[5] / ".make" / f"azurite-{AZURITE}"
ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = base64.b64encode(b"a-key-that-only-this-server-knows").decode()
API_VERSION = "2023-11-03"


@dataclass(frozen=True)
class BlobStore:
    port: int

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}/{ACCOUNT}"

    def is_up(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self.endpoint}", timeout=10):
                return True
        except urllib.error.HTTPError:
            return True  # the request has no credentials
        except (urllib.error.URLError, ConnectionError):
            return False

    def make_container(self, name: str, *, is_public: bool = False) -> None:
        """Create a container by a signed request, for which obstore has no function."""
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": API_VERSION}
        if is_public:
            headers["x-ms-blob-public-access"] = "container"
        lines = [f"{header}:{value}" for header, value in sorted(headers.items())]
        resource = f"/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
        signed = "\n".join(["PUT", *[""] * 11, *lines, resource])
        digest = hmac.digest(base64.b64decode(ACCOUNT_KEY), signed.encode(), hashlib.sha256)
        headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
        url = f"http://{self.endpoint}/{name}?restype=container"
        with urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers), timeout=10):
            pass

    def container(self, name: str) -> AzureStore:
        return AzureStore(
            name,
            config={"account_name": ACCOUNT, "account_key": ACCOUNT_KEY, "endpoint": f"http://{self.endpoint}"},
            client_options={"allow_http": True},
        )

    def put(self, path: str, content: bytes) -> None:
        """`path` is the container and the key."""
        container, _, key = path.partition("/")
        self.container(container).put(key, content)

    def get(self, path: str) -> bytes:
        container, _, key = path.partition("/")
        return bytes(self.container(container).get(key).bytes())

    def keys(self, container: str) -> list[str]:
        return sorted(meta["path"] for page in self.container(container).list() for meta in page)

    def delete(self, path: str) -> None:
        container, _, key = path.partition("/")
        self.container(container).delete(key)


@contextmanager
def blob_store(folder: Path) -> Iterator[BlobStore]:
    """Skips the test where Azurite cannot be installed."""
    npm = _npm()
    if not FOLDER.exists():
        _install(npm)
    store = BlobStore(free_port())
    program = FOLDER / "node_modules" / ".bin" / "azurite-blob"
    words = [program, "--blobPort", str(store.port), "--inMemoryPersistence", "--skipApiVersionCheck"]
    environment = {**npm.environment, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{ACCOUNT_KEY}"}
    with (folder / "azurite.log").open("wb") as log:
        process = subprocess.Popen([*words, "--disableTelemetry"], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            eventually(store.is_up, 60, "Azurite answers")
            yield store
        finally:
            process.kill()
            process.wait()


def _npm() -> Npm:
    try:
        return Npm.find()
    except CannotInstall as error:
        pytest.skip(f"npm is missing, which installs Azurite: {error}")


def _install(npm: Npm) -> None:
    building = FOLDER.with_name(f"{FOLDER.name}-{os.getpid()}")
    building.mkdir(parents=True)
    flags = ("--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(building))
    done = npm.run("install", *flags, f"azurite@{AZURITE}", capture=True)
    if done.returncode != 0:
        shutil.rmtree(building)
        pytest.skip(f"azurite {AZURITE} cannot be installed here: {done.stderr.strip()[-300:]}")
    try:
        building.rename(FOLDER)
    except OSError:  # another test run was faster
        shutil.rmtree(building)
