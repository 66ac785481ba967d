"""A folder that does not fit into the pods is refused with what to leave out."""

import os
from pathlib import Path

import pytest

from tests.apps.training.jobs.builders import make_files
from windlass.apps.training.commands.folder import pack_folder
from windlass.apps.training.jobs.submit import folder_archive
from windlass.cli.failure import Failure


def test_what_does_not_fit_is_refused_with_the_largest_files_by_name(tmp_path: Path) -> None:
    make_files(tmp_path, "train.py")
    (tmp_path / "weights.bin").write_bytes(os.urandom(2_000_000))
    (tmp_path / "more.bin").write_bytes(os.urandom(20_000))

    with pytest.raises(Failure) as refused:
        pack_folder(tmp_path)

    assert "too large to send" in refused.value.message
    assert ".windlassignore" in refused.value.message
    assert [line.split()[-1] for line in refused.value.lines] == ["weights.bin", "more.bin", "train.py"]


def test_a_folder_of_too_many_files_is_refused_before_all_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_archive, "MAX_FILES", 3)
    make_files(tmp_path, *(f"f{number}" for number in range(4)))

    with pytest.raises(Failure, match="more than 3 files"):
        pack_folder(tmp_path)
