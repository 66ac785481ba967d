"""Sessions in the database. A browser holds 256 random bits; the database only their digest."""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from windlass.gateway.database import Database, DatabaseUnavailable, Row

IDLE = timedelta(hours=24)
ABSOLUTE = timedelta(days=7)
TOUCH_AFTER = timedelta(minutes=1)  # use within this is not written down
LONGEST_NOTE = 200  # characters of address and user agent
MAX_PER_USER = 100
"""The least recently used one ends when another starts."""
MAX_TOUCHED = 10_000
_COLUMNS = "hash, name, email, created, last_used, address, user_agent, by_link"


@dataclass(frozen=True, slots=True)
class Session:
    hash: bytes
    name: str
    """What the session is called in lists; it opens nothing."""
    email: str
    created: float
    last_used: float
    address: str
    user_agent: str
    by_link: bool
    """Whether it began with a link of `windlass open`, which proves access to the data directory."""

    def is_over(self, now: float) -> bool:
        """A clock that was set back makes no session older."""
        return self.idle_left(now) < 0 or self.absolute_left(now) < 0

    def idle_left(self, now: float) -> float:
        return self.last_used + IDLE.total_seconds() - now

    def absolute_left(self, now: float) -> float:
        return self.created + ABSOLUTE.total_seconds() - now

    def expires(self) -> float:
        """When it ends if it is not used again."""
        return min(self.last_used + IDLE.total_seconds(), self.created + ABSOLUTE.total_seconds())


class Sessions:
    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[bytes, Session] = {}
        self._as_of: object = None
        self._touch_times: dict[str, float] = {}

    def start(self, email: str, *, address: str = "", user_agent: str = "", by_link: bool = False) -> str:
        """The cookie's value of a new session."""
        now, cookie = self._clock(), secrets.token_urlsafe(32)
        notes = address[:LONGEST_NOTE], user_agent[:LONGEST_NOTE]
        session = Session(_digest(cookie), secrets.token_hex(8), email, now, now, *notes, by_link)
        with self._database.transaction():
            self._forget_over(now)
            self._database.write(
                "DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE email = ?"
                " ORDER BY last_used DESC LIMIT -1 OFFSET ?)",
                email,
                MAX_PER_USER - 1,
            )
            values = (getattr(session, name) for name in Session.__slots__)
            self._database.write(f"INSERT INTO sessions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *values)
        return cookie

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie if it is not over; using it keeps it alive."""
        digest, now = _digest(cookie), self._clock()
        generation = self._database.generation
        if generation != self._as_of:
            self._known.clear()
            self._as_of = generation
        session = self._known.get(digest)
        if session is None:
            rows = self._database.read(f"SELECT {_COLUMNS} FROM sessions WHERE hash = ?", digest)
            if not rows:
                return None
            session = self._known[digest] = Session(*rows[0])
        if session.is_over(now):
            return None
        return self._touched(session, now)

    def is_alive(self, name: str) -> bool:
        """Whether the session of this public name has not ended; asking does not count as use."""
        rows = self._database.read(f"SELECT {_COLUMNS} FROM sessions WHERE name = ?", name)
        return bool(rows) and not Session(*rows[0]).is_over(self._clock())

    def touch(self, name: str) -> None:
        """Count the session of this public name as used, if it has not ended. May be called for every packet."""
        now = self._clock()
        if abs(now - self._touch_times.get(name, float("-inf"))) <= TOUCH_AFTER.total_seconds():
            return
        if len(self._touch_times) >= MAX_TOUCHED:
            self._touch_times.clear()
        self._touch_times[name] = now
        try:
            rows = self._database.read(f"SELECT {_COLUMNS} FROM sessions WHERE name = ?", name)
        except DatabaseUnavailable:
            return
        session = Session(*rows[0]) if rows else None
        if session is not None and not session.is_over(now):
            self._touched(session, now)

    def list(self, email: str) -> list[Session]:
        now = self._clock()
        rows: list[Row] = self._database.read(
            f"SELECT {_COLUMNS} FROM sessions WHERE email = ? ORDER BY last_used DESC", email
        )
        return [session for session in (Session(*row) for row in rows) if not session.is_over(now)]

    def revoke(self, email: str, name: str) -> bool:
        return self._database.write("DELETE FROM sessions WHERE email = ? AND name = ?", email, name) > 0

    def revoke_all(self, email: str) -> int:
        return self._database.write("DELETE FROM sessions WHERE email = ?", email)

    def revoke_others(self, email: str, kept: str) -> int:
        """End all sessions of a user but the one of this public name."""
        return self._database.write("DELETE FROM sessions WHERE email = ? AND name != ?", email, kept)

    def count(self) -> int:
        """How many sessions there are that have not ended."""
        now = self._clock()
        oldest = (now - IDLE.total_seconds(), now - ABSOLUTE.total_seconds())
        (count,) = self._database.read("SELECT count(*) FROM sessions WHERE last_used >= ? AND created >= ?", *oldest)[
            0
        ]
        return int(count)

    def newest_use(self) -> float:
        """When a session was last used, by the clock of then; 0 if there are none."""
        (newest,) = self._database.read("SELECT max(last_used) FROM sessions")[0]
        return float(newest or 0.0)

    def _touched(self, session: Session, now: float) -> Session:
        if abs(now - session.last_used) <= TOUCH_AFTER.total_seconds():
            return session
        try:
            self._database.write("UPDATE sessions SET last_used = ? WHERE hash = ?", now, session.hash)
        except DatabaseUnavailable:
            return session  # on a full disk who is signed in stays so
        return session

    def _forget_over(self, now: float) -> None:
        self._database.write(
            "DELETE FROM sessions WHERE last_used < ? OR created < ?",
            now - IDLE.total_seconds(),
            now - ABSOLUTE.total_seconds(),
        )


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).digest()
