"""A disk that fills up under a running server: writes are refused by name, reads go on, and room is all it needs."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Answer, Windlass, running

SIZE = 12 * 1024 * 1024
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def add(server: Windlass, name: str, size: int = 200_000) -> Answer:
    return server.request("POST", CONFIGMAPS, {"metadata": {"name": name}, "data": {"k": "x" * size}})


def test_a_full_disk_refuses_writes_answers_reads_and_recovers_without_a_restart(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (SIZE // 3))
    with running(small_disk) as server:
        kept: list[str] = []
        answer = add(server, "c-0")
        while answer.status == 201 and len(kept) < 60:
            kept.append(f"c-{len(kept)}")
            answer = add(server, f"c-{len(kept)}")

        status = answer.json()
        assert (answer.status, status["kind"], status["reason"]) == (507, "Status", "InsufficientStorage")
        assert "full" in status["message"]
        assert server.get(f"{CONFIGMAPS}/{kept[-1]}")["metadata"]["name"] == kept[-1]
        assert server.request("GET", f"{CONFIGMAPS}/c-{len(kept)}").status == 404, "what was refused is not there"

        ballast.unlink()

        assert add(server, "afterwards").status == 201
        names = {item["metadata"]["name"] for item in server.get(CONFIGMAPS)["items"]}
        assert {*kept, "afterwards"} <= names
