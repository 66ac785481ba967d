"""The audit log under a flood."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from windlass.gateway.login.audit import MAX_REPEATED, AuditLog

START = datetime(2030, 1, 1, tzinfo=UTC)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_a_stranger_repeats_is_recorded_once_a_minute_with_its_number(tmp_path: Path) -> None:
    now = START
    log = AuditLog(tmp_path / "audit.log", lambda: now)
    for _ in range(1000):
        log.record_once("login.throttled", "address 192.0.2.1", user="ann")
    log.record_once("login.throttled", "address 192.0.2.2", user="ben")
    now = START + timedelta(minutes=1)
    log.record_once("login.throttled", "address 192.0.2.1", user="ann")
    log.close()

    recorded = [(line["user"], line.get("repeats")) for line in lines(tmp_path / "audit.log")]
    assert recorded == [("ann", None), ("ben", None), ("ann", "999")]


def test_a_clock_that_is_set_back_silences_nothing(tmp_path: Path) -> None:
    now = START
    log = AuditLog(tmp_path / "audit.log", lambda: now)
    log.record_once("login.throttled", "address 192.0.2.1")
    now = START - timedelta(days=1)
    log.record_once("login.throttled", "address 192.0.2.1")
    log.close()

    assert len(lines(tmp_path / "audit.log")) == 2


def test_causes_are_remembered_up_to_a_limit(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.log", lambda: START)
    for number in range(MAX_REPEATED + 1):
        log.record_once("login.failed", str(number))
    for number in (0, MAX_REPEATED):
        log.record_once("login.failed", str(number), user="again")
    log.close()

    assert [line for line in lines(tmp_path / "audit.log") if "user" in line] == [lines(tmp_path / "audit.log")[-1]]
