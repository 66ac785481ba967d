"""The package index is asked before a job starts: what it has, what it has not, and what if it is away."""

from pathlib import Path

import pytest

from tests.apps.training.jobs.wheels import tiny_wheel
from windlass.apps.training.jobs.submit.package_index import IndexAnswer, check


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that is the whole index."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    tiny_wheel(tmp_path)
    return tmp_path


def test_packages_that_it_does_not_have_are_named(folder: Path) -> None:
    assert check(["tiny"]) == IndexAnswer()
    assert check(["tiny", "nowhere-a", "nowhere_b"]) == IndexAnswer(unknown=("nowhere-a", "nowhere_b"))


def test_an_index_that_cannot_be_reached_knows_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")

    assert check(["elsewhere", "tiny"]) == IndexAnswer(unreachable=True)
