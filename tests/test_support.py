"""Logs that several tests write into."""

from pathlib import Path

from tests.support import Windlass, end_of, text_after

MUCH = "2026-01-01 00:00:00,000 INFO    windlass.apiserver: a line\n" * 100


def test_a_test_reads_all_that_was_logged_since_it_began_and_nothing_else(tmp_path: Path) -> None:
    server, log = Windlass(tmp_path / "data", 0), tmp_path / "data-server.log"
    log.write_text("Traceback of an earlier test\n")
    began = server.end_of_log()
    with log.open("a") as opened:
        opened.write(f"Traceback\n{MUCH}")

    assert server.log_after(began) == f"Traceback\n{MUCH}"
    assert server.log_after(server.end_of_log()) == ""
    assert "Traceback" not in server.log()


def test_a_log_that_was_rotated_or_is_missing_is_read_from_its_start(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    absent = end_of(log), text_after(log, 0)
    log.write_text("new\n")

    assert absent == (0, "")
    assert text_after(log, 1000) == "new\n"
