"""The data directory is made ready, refused by name, and held by one Windlass at a time."""

import os
import socket
import stat
from pathlib import Path

import pytest

from windlass.supervisor.datadir import DataDir, acquire_lock, is_held, write_atomically
from windlass.supervisor.errors import SupervisorError

from .builders import a_data_dir, a_lock


def test_a_new_data_dir_is_for_its_owner_alone(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "deep" / "down")
    data.prepare()

    assert stat.S_IMODE(data.root.stat().st_mode) == 0o700
    assert stat.S_IMODE(data.run.stat().st_mode) == 0o700


def test_preparing_twice_changes_nothing(tmp_path: Path) -> None:
    data = a_data_dir(tmp_path)
    before = data.version.stat().st_mtime_ns
    data.prepare()

    assert data.version.stat().st_mtime_ns == before


def test_a_data_dir_of_a_newer_windlass_is_refused(tmp_path: Path) -> None:
    data = a_data_dir(tmp_path)
    data.version.write_text('{"layout": 99, "windlass": "7.1.0"}')

    with pytest.raises(
        SupervisorError, match=r"was written by Windlass 7\.1\.0, which is newer than this one .* --data-dir"
    ):
        data.prepare()


def test_a_data_dir_of_the_same_layout_by_a_newer_windlass_is_used(tmp_path: Path) -> None:
    data = a_data_dir(tmp_path)
    data.version.write_text('{"layout": 1, "windlass": "7.1.0", "more": true}')

    data.prepare()


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SupervisorError, match=f"{tmp_path}/file is a file. Choose another with --data-dir"):
        DataDir(tmp_path / "file").prepare()


def test_a_place_one_may_not_write_to_is_named() -> None:
    with pytest.raises(SupervisorError, match=r"data dir /sys/windlass .*Choose another with --data-dir"):
        DataDir(Path("/sys/windlass")).prepare()  # not even root may


def test_a_path_too_long_for_a_socket_is_reached_by_a_short_one(tmp_path: Path) -> None:
    data = DataDir(tmp_path / ("x" * 100) / ("y" * 100))
    data.prepare()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(data.socket))

    assert data.socket.resolve() == data.run / "api.sock"
    assert (data.run / "api.sock").is_socket()
    assert DataDir(tmp_path / "short").short_root == tmp_path / "short"


def test_a_runtime_folder_that_others_could_write_to_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / f"windlass-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)

    with pytest.raises(SupervisorError, match="is not a directory that only you can access"):
        _ = DataDir(tmp_path / ("x" * 100), runtime=tmp_path).socket


def test_the_lock_is_held_once(tmp_path: Path) -> None:
    data = a_data_dir(tmp_path)
    assert not is_held(data)
    lock = a_lock(data)

    assert is_held(data)
    assert acquire_lock(data) is None
    lock.release()
    assert not is_held(data)


def test_the_lock_is_held_for_as_long_as_a_child_has_it(tmp_path: Path) -> None:
    data = a_data_dir(tmp_path)
    lock = a_lock(data)
    copy = os.dup(lock.fd)  # what a child inherits: the same open file
    lock.release()

    assert is_held(data)
    os.close(copy)
    assert not is_held(data)


def test_a_data_dir_that_is_not_there_is_not_held(tmp_path: Path) -> None:
    assert not is_held(DataDir(tmp_path / "nothing"))


def test_an_atomic_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    with pytest.raises(TypeError):
        write_atomically(path, "not bytes", mode=0o600)  # pyright: ignore[reportArgumentType] - to make it fail
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
