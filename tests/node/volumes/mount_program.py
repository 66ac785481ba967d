"""A program `mount` that mounts nothing: it records its arguments, and fails if the test says so."""

import os
from pathlib import Path

import pytest

from windlass.node.volumes import nfs
from windlass.node.volumes.nfs import Machine

ABLE = Machine(is_root=True, has_file_system=True, has_program=True, is_shared=True)


class MountProgram:
    def __init__(self, folder: Path) -> None:
        self._log, self._error = folder / "calls", folder / "error"
        self._log.touch()
        program = folder / "mount"
        program.write_text(
            f'#!/bin/sh\nif [ -e {self._error} ]; then cat {self._error} >&2; exit 32; fi\necho "$*" >> {self._log}\n'
        )
        program.chmod(0o755)

    def fail(self, message: str) -> None:
        self._error.write_text(message)

    def calls(self) -> list[str]:
        return self._log.read_text().splitlines()

    def mount_points(self) -> set[str]:
        return {call.split(" ")[-1] for call in self.calls()}


@pytest.fixture
def mount_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MountProgram:
    """The node's `mount`, on a machine that can mount NFS."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = MountProgram(folder)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(nfs, "mount_points", program.mount_points)
    monkeypatch.setattr(nfs, "this_machine", lambda _: ABLE)
    return program
