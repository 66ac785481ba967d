"""A users file is read again when it changes, and what is wrong with it is reported once."""

import os
from pathlib import Path

import pytest

from windlass.gateway.identity.file_fields import BadUsersFile
from windlass.gateway.identity.static_file import StaticFile

HASH = "$2y$12$4K/VkmDd1q1Orb3xAt82zu8gk7Ad6ReFR4LCP9UeYE90NLiN9Df72"
GOOD = f"staticPasswords: [{{email: ann@example.com, hash: {HASH}}}]\n"
BROKEN = "staticPasswords: [{email: ann@example.com, hash: secret}]\n"
UNKNOWN = "connectors: [{type: google, id: g, config: {clientID: a, clientSecret: b, color: red}}]\n"


def test_a_broken_edit_is_reported_once_and_keeps_what_was_there(tmp_path: Path) -> None:
    path, reports = tmp_path / "users.yaml", list[str]()
    path.write_text(GOOD)
    file = StaticFile(path, {}, reports.append)
    path.write_text(BROKEN)

    for _ in range(3):
        assert [user.email for user in file.refresh().users] == ["ann@example.com"]
    assert len(reports) == 1
    assert reports[0].startswith(f"{path}: staticPasswords[0].hash is neither bcrypt")
    path.unlink()
    assert file.refresh().users == ()
    path.write_text(GOOD)
    assert len(file.refresh().users) == 1


def test_unknown_fields_are_reported_when_the_file_is_read(tmp_path: Path) -> None:
    path, reports = tmp_path / "users.yaml", list[str]()
    path.write_text(UNKNOWN)
    file = StaticFile(path, {}, reports.append)
    file.refresh()

    assert reports == [f"{path}: connectors[0].config.color is not known and changes nothing"]


def test_a_file_that_could_not_be_read_is_read_when_its_mode_is_corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, reports = tmp_path / "users.yaml", list[str]()
    file = StaticFile(path, {}, reports.append)
    path.write_text(GOOD)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", refuse)
        assert file.refresh().users == ()
        assert file.refresh().users == ()
    path.chmod(0o600 if path.stat().st_mode & 0o777 != 0o600 else 0o644)

    assert len(file.refresh().users) == 1
    assert reports == [f"{path}: Permission denied. What it said before counts"]


def refuse(path: Path) -> str:
    raise PermissionError(f"{os.strerror(13)}")


def test_a_gateway_does_not_start_with_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "users.yaml"
    path.write_text(BROKEN)

    with pytest.raises(BadUsersFile, match="neither bcrypt"):
        StaticFile(path, {})
