"""Sessions and users on a real database: sliding life, other writers, a full disk, a clock that jumps."""

import contextlib
import logging
import resource
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gateway.builders import settings
from windlass.gateway.context import open_context, warn_of_clock
from windlass.gateway.database import BadDatabase, Database, DatabaseUnavailable
from windlass.gateway.identity.static_file import StaticFile
from windlass.gateway.identity.users import Users
from windlass.gateway.sessions.store import ABSOLUTE, IDLE, MAX_PER_USER, Session, Sessions

HOUR = 3600.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "gateway.db")
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(database: Database, clock: Clock) -> Sessions:
    return Sessions(database, clock)


def test_use_keeps_a_session_alive_up_to_seven_days(sessions: Sessions, clock: Clock) -> None:
    cookie, began = sessions.start("a@b"), clock.now
    while clock.now - began <= ABSOLUTE.total_seconds() - 20 * HOUR:
        clock.now += 20 * HOUR
        assert sessions.find(cookie) is not None
    clock.now = began + ABSOLUTE.total_seconds() + 1

    assert sessions.find(cookie) is None


def test_without_use_a_session_ends_after_a_day(sessions: Sessions, clock: Clock) -> None:
    cookie = sessions.start("a@b")
    clock.now += IDLE.total_seconds()
    assert sessions.list("a@b")
    clock.now += 1

    assert sessions.find(cookie) is None
    assert sessions.list("a@b") == []


def test_data_of_an_open_connection_keeps_a_session_alive_up_to_seven_days(sessions: Sessions, clock: Clock) -> None:
    cookie, began = sessions.start("a@b"), clock.now
    (session,) = sessions.list("a@b")
    while clock.now - began <= ABSOLUTE.total_seconds() - 20 * HOUR:
        clock.now += 20 * HOUR
        sessions.touch(session.name)
    assert sessions.list("a@b")[0].last_used == clock.now
    clock.now = began + ABSOLUTE.total_seconds() + 1
    sessions.touch(session.name)

    assert sessions.find(cookie) is None


def test_data_revives_no_session_that_has_ended(sessions: Sessions, clock: Clock) -> None:
    cookies = [sessions.start("idle@b"), sessions.start("revoked@b")]
    names = [sessions.list(email)[0].name for email in ("idle@b", "revoked@b")]
    sessions.revoke_all("revoked@b")
    clock.now += IDLE.total_seconds() + 1
    for name in (*names, "unknown"):
        sessions.touch(name)

    assert [sessions.find(cookie) for cookie in cookies] == [None, None]


def test_data_is_written_down_once_a_minute(database: Database, sessions: Sessions, clock: Clock) -> None:
    sessions.start("a@b")
    name, began = sessions.list("a@b")[0].name, clock.now
    clock.now = began + 61
    sessions.touch(name)
    before = database.generation
    for seconds in (62, 121):
        clock.now = began + seconds
        sessions.touch(name)
    assert (database.generation, sessions.list("a@b")[0].last_used) == (before, began + 61)
    clock.now = began + 122
    sessions.touch(name)

    assert sessions.list("a@b")[0].last_used == began + 122


def test_data_passes_while_the_database_is_unavailable(clock: Clock) -> None:
    database = Mock(read=Mock(side_effect=DatabaseUnavailable("the disk fails")))
    Sessions(database, clock).touch("a")

    database.read.assert_called_once()


def test_a_clock_that_was_set_back_ends_no_session(sessions: Sessions, clock: Clock) -> None:
    cookie = sessions.start("a@b")
    clock.now -= 30 * 24 * HOUR

    assert sessions.find(cookie) is not None


def test_a_clock_that_is_behind_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        warn_of_clock(0.0)
        assert caplog.text == ""
        warn_of_clock(4_000_000_000.0)

    assert "the clock is behind" in caplog.text


def test_a_gateway_that_starts_with_its_clock_behind_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def start() -> None:
        with caplog.at_level(logging.WARNING), open_context(settings(folder=tmp_path), Mock(), {}) as context:
            Sessions(context.database, lambda: time.time() + HOUR).start("a@b")

    start()
    assert caplog.text == ""
    start()
    assert "the clock is behind by at least 3" in caplog.text


def test_only_digests_are_kept(database: Database, sessions: Sessions) -> None:
    cookie = sessions.start("a@b")

    assert len(cookie) >= 43, "256 bits"
    assert cookie not in str(database.read("SELECT * FROM sessions"))


def test_what_another_process_writes_counts(
    tmp_path: Path, database: Database, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlass.gateway.database.REUSE_SECONDS", 0.0)
    cookie = sessions.start("a@b")
    users = Users(database, StaticFile(None, {}))
    assert users.find("a@b") is None
    assert sessions.find(cookie) is not None
    other = Database(tmp_path / "gateway.db")
    Users(other, StaticFile(None, {})).add("a@b", "a password")
    assert users.find("a@b") is not None
    Sessions(other).revoke_all("a@b")
    other.close()

    assert sessions.find(cookie) is None


def test_a_person_has_a_limited_number_of_sessions(sessions: Sessions, clock: Clock) -> None:
    cookies: list[str] = []
    for _ in range(MAX_PER_USER + 1):
        cookies.append(sessions.start("a@b"))
        clock.now += 1

    assert len(sessions.list("a@b")) == MAX_PER_USER
    assert sessions.find(cookies[0]) is None
    assert sessions.find(cookies[-1]) is not None


@given(last_used=st.floats(0, 1e6), created=st.floats(0, 1e6), now=st.floats(0, 2e6))
def test_a_session_is_over_exactly_when_its_expiry_has_passed(last_used: float, created: float, now: float) -> None:
    session = Session(b"", "", "", created, last_used, "", "", by_link=False)

    assert session.is_over(now) == (now > session.expires()) or abs(now - session.expires()) < 1e-3


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Files cannot grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_on_a_full_disk_sessions_stay_and_new_ones_are_refused(sessions: Sessions, clock: Clock) -> None:
    cookie = sessions.start("a@b")
    clock.now += HOUR
    with full_disk():
        assert sessions.find(cookie) is not None
        with pytest.raises(DatabaseUnavailable):
            sessions.start("a@b")

    assert sessions.find(cookie) is not None
    assert sessions.start("a@b"), "space was made"


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gateway.db"
    path.write_text("hello, this is no database" * 100)
    with pytest.raises(BadDatabase, match=r"gateway\.db cannot be used"):
        Database(path)


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gateway.db"
    Database(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(BadDatabase, match="newer Windlass"):
        Database(path)


def test_a_database_of_an_earlier_version_is_upgraded_with_its_sessions(tmp_path: Path) -> None:
    path = tmp_path / "gateway.db"
    opened = Database(path)
    cookie = Sessions(opened).start("a@b", by_link=True)
    opened.close()
    earlier = sqlite3.connect(path)
    earlier.execute("ALTER TABLE sessions DROP COLUMN by_link")
    earlier.execute("PRAGMA user_version = 1")
    earlier.close()

    for _ in range(2):
        opened = Database(path)
        session = Sessions(opened).find(cookie)
        opened.close()
        assert session is not None
        assert not session.by_link


def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with database.transaction():
            database.write("INSERT INTO secrets VALUES ('a', 'b')")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert database.read("SELECT * FROM secrets") == []
    assert database.secret("a", "c") == "c"
    assert database.secret("a", "d") == "c"
