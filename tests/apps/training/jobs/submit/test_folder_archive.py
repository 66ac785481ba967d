"""A working folder is packed without what nobody wants in a pod, the same each time, and not beyond what fits."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from tests.apps.training.jobs.builders import make_files
from windlass.apps.training.jobs.submit import folder_archive
from windlass.apps.training.jobs.submit.ignore_files import Ignored


def names_in(archive: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return tar.getnames()


def test_caches_environments_and_histories_stay_at_home(tmp_path: Path) -> None:
    make_files(
        tmp_path, "train.py", "lib/model.py", ".git/HEAD", "lib/__pycache__/model.pyc", ".venv/bin/python", "old.pyc"
    )
    make_files(tmp_path, "node_modules/a/index.js", "data/digits.csv")

    assert names_in(folder_archive.pack(tmp_path)) == ["data/digits.csv", "lib/model.py", "train.py"]


def test_gitignore_leaves_out_and_windlassignore_has_the_last_word(tmp_path: Path) -> None:
    make_files(tmp_path, "train.py", "data/small.csv", "data/big.bin", "logs/1", "notes.md")
    (tmp_path / ".gitignore").write_text("/logs\ndata/*\n")
    (tmp_path / ".windlassignore").write_text("*.md\n!data/small.csv\n")

    assert names_in(folder_archive.pack(tmp_path)) == [".gitignore", ".windlassignore", "data/small.csv", "train.py"]


@pytest.mark.parametrize(
    ("line", "path", "folder", "ignored"),
    [
        ("*.log", "a/b/run.log", False, True),
        ("*.log", "run.logs", False, False),
        ("/run.log", "a/run.log", False, False),
        ("build/", "a/build", True, True),
        ("build/", "a/build", False, False),
        ("data/**/raw", "data/a/b/raw", True, True),
        ("data/**", "data/a/b", False, True),
        ("data/*.csv", "data/a/x.csv", False, False),
        ("file?.txt", "file1.txt", False, True),
        ("file[!0-9].txt", "file1.txt", False, False),
        ("# note", "# note", False, False),
        ("a.b", "axb", False, False),
    ],
)
def test_patterns_mean_what_they_mean_to_git(line: str, path: str, folder: bool, ignored: bool) -> None:
    assert Ignored([line])(path, folder=folder) is ignored


def test_the_same_files_give_the_same_bytes_whenever_they_were_written(tmp_path: Path) -> None:
    make_files(tmp_path, "train.py", "lib/model.py")
    first = folder_archive.pack(tmp_path)
    os.utime(tmp_path / "train.py", (0, 0))

    assert folder_archive.pack(tmp_path) == first


def test_a_program_stays_executable(tmp_path: Path) -> None:
    make_files(tmp_path, "go.sh").joinpath("go.sh").chmod(0o755)

    with tarfile.open(fileobj=io.BytesIO(folder_archive.pack(tmp_path))) as tar:
        assert tar.getmember("go.sh").mode == 0o755


def test_links_to_files_are_shipped_as_files(tmp_path: Path) -> None:
    make_files(tmp_path / "elsewhere", "config.yaml")
    make_files(tmp_path / "here", "train.py").joinpath("config.yaml").symlink_to(tmp_path / "elsewhere" / "config.yaml")

    with tarfile.open(fileobj=io.BytesIO(folder_archive.pack(tmp_path / "here"))) as tar:
        assert tar.getmember("config.yaml").isfile()
