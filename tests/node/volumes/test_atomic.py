"""Files of a volume change all at once."""

from pathlib import Path

from windlass.node.volumes.atomic import File, write
from windlass.node.volumes.owner import Owner

NOBODYS = Owner({}, root=False)


def test_files_are_seen_through_one_link_that_is_swapped(tmp_path: Path) -> None:
    assert write(tmp_path, {"a": File(b"1", 0o644), "d/b": File(b"2", 0o400)}, NOBODYS)
    first = (tmp_path / "..data").readlink()
    assert (tmp_path / "a").readlink() == Path("..data/a")
    assert (tmp_path / "d" / "b").read_bytes() == b"2"
    assert (tmp_path / "d" / "b").stat().st_mode & 0o777 == 0o400
    assert write(tmp_path, {"a": File(b"new", 0o644)}, NOBODYS)
    assert (tmp_path / "a").read_bytes() == b"new"
    assert not (tmp_path / "d").is_symlink()
    assert not (tmp_path / first).exists()


def test_what_is_the_same_is_not_written_again(tmp_path: Path) -> None:
    files = {"a": File(b"1", 0o644)}
    assert write(tmp_path, files, NOBODYS)
    assert not write(tmp_path, files, NOBODYS)
    assert write(tmp_path, {"a": File(b"1", 0o600)}, NOBODYS)


def test_what_an_interrupted_write_left_goes(tmp_path: Path) -> None:
    (tmp_path / "..2020_01_01_00_00_00.1").mkdir()
    (tmp_path / "..data_tmp").symlink_to("..2020_01_01_00_00_00.1")
    write(tmp_path, {"a": File(b"1", 0o644)}, NOBODYS)
    there = sorted(entry.name for entry in tmp_path.iterdir())
    assert len(there) == 3
    assert there[1:] == ["..data", "a"]
