"""A working folder is packed without what nobody wants in a pod, the same each time, and not beyond what fits."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from windlass.cli import job_files
from windlass.cli.failure import Failure
from windlass.cli.job_ignore import Ignored


def names_in(archive: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return tar.getnames()


def make(root: Path, *paths: str) -> Path:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return root


def test_caches_environments_and_histories_stay_at_home(tmp_path: Path) -> None:
    make(tmp_path, "train.py", "lib/model.py", ".git/HEAD", "lib/__pycache__/model.pyc", ".venv/bin/python", "old.pyc")
    make(tmp_path, "node_modules/a/index.js", "data/digits.csv")

    assert names_in(job_files.pack(tmp_path)) == ["data/digits.csv", "lib/model.py", "train.py"]


def test_gitignore_leaves_out_and_windlassignore_has_the_last_word(tmp_path: Path) -> None:
    make(tmp_path, "train.py", "data/small.csv", "data/big.bin", "logs/1", "notes.md")
    (tmp_path / ".gitignore").write_text("/logs\ndata/*\n")
    (tmp_path / ".windlassignore").write_text("*.md\n!data/small.csv\n")

    assert names_in(job_files.pack(tmp_path)) == [".gitignore", ".windlassignore", "data/small.csv", "train.py"]


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
    make(tmp_path, "train.py", "lib/model.py")
    first = job_files.pack(tmp_path)
    os.utime(tmp_path / "train.py", (0, 0))

    assert job_files.pack(tmp_path) == first


def test_a_program_stays_executable(tmp_path: Path) -> None:
    make(tmp_path, "go.sh").joinpath("go.sh").chmod(0o755)

    with tarfile.open(fileobj=io.BytesIO(job_files.pack(tmp_path))) as tar:
        assert tar.getmember("go.sh").mode == 0o755


def test_what_does_not_fit_is_refused_with_the_largest_files_by_name(tmp_path: Path) -> None:
    make(tmp_path, "train.py")
    (tmp_path / "weights.bin").write_bytes(os.urandom(2_000_000))
    (tmp_path / "more.bin").write_bytes(os.urandom(20_000))

    with pytest.raises(Failure) as refused:
        job_files.pack(tmp_path)

    assert "too large to ship" in refused.value.message
    assert ".windlassignore" in refused.value.message
    assert [line.split()[-1] for line in refused.value.lines] == ["weights.bin", "more.bin", "train.py"]


def test_a_folder_of_too_many_files_is_refused_before_all_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_files, "MOST_FILES", 3)
    make(tmp_path, *(f"f{number}" for number in range(4)))

    with pytest.raises(Failure, match="more than 3 files"):
        job_files.pack(tmp_path)


def test_links_to_files_are_shipped_as_files(tmp_path: Path) -> None:
    make(tmp_path / "elsewhere", "config.yaml")
    make(tmp_path / "here", "train.py").joinpath("config.yaml").symlink_to(tmp_path / "elsewhere" / "config.yaml")

    with tarfile.open(fileobj=io.BytesIO(job_files.pack(tmp_path / "here"))) as tar:
        assert tar.getmember("config.yaml").isfile()
