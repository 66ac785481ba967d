"""Artifacts in the claims of their namespaces."""

import io
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder, artifacts_claim
from windlass.apps.pipelines.artifacts.reader import ClaimReader
from windlass.kube.client import Client
from windlass.kube.errors import ServiceUnavailable
from windlass.kube.testing import MemoryServer
from windlass.kube.transport import Request, Response

CLAIM_PATH = "minio/mlpipeline/v2/artifacts"
URI = "minio://mlpipeline/v2/artifacts"


@pytest.fixture
def server() -> MemoryServer:
    return MemoryServer(lambda: datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def folders(server: MemoryServer, tmp_path: Path) -> ClaimFolders:
    return ClaimFolders(Client(server), tmp_path / "volumes")


def bind(server: MemoryServer, namespace: str, driver: str = "shared.windlass.dev", handle: str = "") -> str:
    handle = handle or f"pvc-{namespace}"
    claim = artifacts_claim(namespace)
    claim["spec"]["volumeName"] = f"pv-{namespace}"
    server.put(claim)
    server.put(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{namespace}"},
            "spec": {"csi": {"driver": driver, "volumeHandle": handle}},
        }
    )
    return handle


async def test_a_namespace_gets_its_claim_once(server: MemoryServer, folders: ClaimFolders) -> None:
    await folders.ensure("ml")
    await folders.ensure("ml")

    assert [claim["spec"]["accessModes"] for claim in server.created] == [["ReadWriteMany"]]


class Unreachable(Client):
    async def send(self, request: Request) -> Response:
        raise ServiceUnavailable("the API server does not answer")


async def test_a_server_that_does_not_answer_is_no_missing_folder(server: MemoryServer, tmp_path: Path) -> None:
    """A task whose outputs are read at that moment would fail: it is asked again instead."""
    folders = ClaimFolders(Unreachable(server), tmp_path / "volumes")

    with pytest.raises(ServiceUnavailable):
        await folders.read("ml", "outputs", 10)
    with pytest.raises(ServiceUnavailable):
        await ClaimReader(folders).open("ml", f"{URI}/model")


async def test_files_are_read_and_written_in_the_folder_of_the_bound_volume(
    server: MemoryServer, folders: ClaimFolders, tmp_path: Path
) -> None:
    root = tmp_path / "volumes" / bind(server, "ml")
    root.mkdir(parents=True)

    await folders.write("ml", "minio/a", b"content")

    assert (root / "minio" / "a").read_bytes() == b"content"
    assert await folders.read("ml", "minio/a", 3) == b"con"
    assert await folders.exists("ml", "minio/a")
    await folders.remove("ml", "minio")
    assert not await folders.exists("ml", "minio/a")


@pytest.mark.parametrize(
    ("driver", "handle", "made", "why"),
    [
        ("shared.windlass.dev", "", False, "no pod has used"),
        ("nfs.csi.k8s.io", "", True, "no folder of this machine"),
        ("shared.windlass.dev", "../other", True, "no folder of this machine"),
    ],
)
async def test_a_claim_without_a_folder_here_says_why(
    server: MemoryServer, folders: ClaimFolders, tmp_path: Path, driver: str, handle: str, made: bool, why: str
) -> None:
    bound = bind(server, "ml", driver, handle)
    if made:
        (tmp_path / "volumes" / bound).mkdir(parents=True)

    with pytest.raises(NoFolder, match=why):
        await folders.folder("ml")
    with pytest.raises(NoFolder, match="not found"):
        await folders.folder("elsewhere")


async def test_a_file_is_read_as_it_is_and_a_folder_as_an_archive_without_links(
    server: MemoryServer, folders: ClaimFolders, tmp_path: Path
) -> None:
    root = tmp_path / "volumes" / bind(server, "ml") / CLAIM_PATH
    (root / "model" / "deep").mkdir(parents=True)
    (root / "data.csv").write_text("a,b\n")
    (root / "model" / "deep" / "weights").write_bytes(b"\x00\x01")
    (root / "model" / "link").symlink_to("/etc/passwd")
    reader = ClaimReader(folders)

    assert await reader.read("ml", f"{URI}/data.csv", limit=100) == b"a,b\n"
    assert await reader.read("ml", f"{URI}/nothing", limit=100) is None
    assert await reader.read("ml", f"{URI}/model/link", limit=100) is None
    assert await reader.read("ml", "minio://mlpipeline/../../x", limit=100) is None
    content = await reader.open("ml", f"{URI}/model")

    assert content is not None
    packed = b"".join([chunk async for chunk in content.chunks()])
    assert (content.kind, content.size) == ("folder", len(packed))
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert tar.getnames() == ["deep/weights"]
