"""A large file goes into a volume in pieces, the gateway is killed in the middle of one, and the upload continues."""

import hashlib
import io
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.e2e.notebooks.desk import Desk
from tests.e2e.notebooks.test_tensorboard import CLAIM, VIEWER
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

FILE_BYTES = 200 << 20
PIECE = 64 << 20
"""The largest that the file browser takes: a gateway that held one in memory would show it."""
MOST_GROWTH = 32 << 20
"""How much larger the gateway may get than it was before."""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(300),
]


class InterruptedPiece(io.BytesIO):
    """A request's body that does something once half of it has been read."""

    def __init__(self, data: bytes, interrupt: Callable[[], None]) -> None:
        super().__init__(data)
        self._half, self._interrupt, self.was_interrupted = len(data) // 2, interrupt, False

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() >= self._half and not self.was_interrupted:
            self.was_interrupted = True
            self._interrupt()
        return super().read(size)


class Memory:
    """The resident memory of a running gateway from now on."""

    def __init__(self, platform: Platform) -> None:
        self._process = Path(f"/proc/{platform.pid('gateway')}")
        (self._process / "clear_refs").write_text("5")  # the peak counts from here
        self._before = self._peak()

    def growth(self) -> int:
        return self._peak() - self._before

    def _peak(self) -> int:
        found = re.search(r"VmHWM:\s+(\d+) kB", (self._process / "status").read_text())
        assert found is not None
        return int(found[1]) << 10


class Upload:
    """One file on its way through the gateway."""

    def __init__(self, desk: Desk, base: str, name: str, size: int) -> None:
        self._session, self._url = desk.browser.session, f"{desk.platform.url}{base}"
        self._session.headers["x-xsrf-token"] = desk.browser.cookies.get("XSRF-TOKEN", "")
        started = self._session.post(f"{self._url}api/uploads", json={"path": name, "size": size}, timeout=60)
        assert started.status_code == 200, started.text
        self._part = f"{self._url}api/uploads/{started.json()['id']}"

    def send(self, piece: io.BytesIO, offset: int) -> dict[str, Any]:
        headers = {"upload-offset": str(offset), "content-type": "application/octet-stream"}
        answer = self._session.patch(self._part, data=piece, headers=headers, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def offset(self) -> int:
        """Once the file browser has written all that reached it."""
        seen = [-1]

        def settled() -> bool:
            answer = self._session.get(self._part, timeout=60)
            seen.append(answer.json()["offset"] if answer.status_code == 200 else -1)
            return seen[-1] == seen[-2] != -1

        eventually(settled, 30, "where the upload continues")
        return seen[-1]

    def checksum_of(self, name: str) -> str:
        """Of the file, downloaded through the gateway."""
        found = hashlib.sha256()
        with self._session.get(f"{self._url}api/file", params={"path": name}, stream=True, timeout=60) as answer:
            assert answer.status_code == 200, answer.text
            for data in answer.iter_content(1 << 20):
                found.update(data)
        return found.hexdigest()


def test_an_upload_continues_after_the_gateway_was_killed_and_never_lies_in_its_memory(desk: Desk) -> None:
    desk.apply(CLAIM, VIEWER)
    desk.until_ready("pvcviewer", "logs")
    base = desk.get("pvcviewer", "logs")["status"]["url"]
    eventually(lambda: desk.browser.get(f"{base}api/list?path=").status_code == 200, 60, "the route")
    data = random.Random(25).randbytes(FILE_BYTES)
    upload, memory = Upload(desk, base, "model.bin", FILE_BYTES), Memory(desk.platform)

    assert upload.send(io.BytesIO(data[:PIECE]), 0)["offset"] == PIECE
    assert memory.growth() < MOST_GROWTH
    piece = InterruptedPiece(data[PIECE : 2 * PIECE], desk.platform.kill_gateway)
    with pytest.raises(requests.ConnectionError):
        upload.send(piece, PIECE)
    offset, memory = upload.offset(), Memory(desk.platform)
    assert PIECE < offset < 2 * PIECE, "the part that had arrived is kept"

    while offset < FILE_BYTES:
        offset = upload.send(io.BytesIO(data[offset : offset + PIECE]), offset)["offset"]

    assert upload.checksum_of("model.bin") == hashlib.sha256(data).hexdigest()
    assert memory.growth() < MOST_GROWTH
