"""Logs: a fresh one a start, none beyond its size."""

from pathlib import Path

from windlass.supervisor import log_files


def test_each_start_has_a_fresh_log_and_the_last_three_stay(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    for start in range(6):
        log_files.rotate(log)
        log.write_text(f"start {start}")

    kept = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert kept == {
        "server.log": "start 5",
        "server.log.1": "start 4",
        "server.log.2": "start 3",
        "server.log.3": "start 2",
    }


def test_an_empty_log_is_not_worth_keeping(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.touch()
    log_files.rotate(log)

    assert [path.name for path in tmp_path.iterdir()] == ["server.log"]


def test_a_log_that_outgrew_its_size_starts_over_under_its_writer(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"a" * 100)
        log_files.trim(log, limit=99)
        writer.write(b"b")

    assert log.read_bytes() == b"b"
    assert (tmp_path / "server.log.1").read_bytes() == b"a" * 100


def test_the_tail_is_the_last_lines_that_say_something(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"one\ntwo\n\n\xff three\n\n")

    assert log_files.tail(log, 2) == ("two", "\N{REPLACEMENT CHARACTER} three")
    assert log_files.tail(tmp_path / "none") == ()
