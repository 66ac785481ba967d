"""All users: those in the database, and those of the static file, which win."""

import json
import secrets
import time
from collections.abc import Sequence

from windlass.gateway.database import Database, Row
from windlass.gateway.identity import passwords
from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.static_file import StaticFile
from windlass.gateway.identity.user import User

FIRST_EMAIL, FIRST_USERNAME, FIRST_USER_ID = "user@example.com", "user", "15841185641784"
"""The user that Kubeflow's documents sign in as."""
_COLUMNS = "email, username, user_id, password_hash, groups, source"


class UserError(Exception):
    """Something about a user cannot be done; the message says what and why."""


class Users:
    def __init__(self, database: Database, file: StaticFile) -> None:
        self._database = database
        self._file = file
        self._known: dict[str, User | None] = {}
        self._as_of: object = None

    def find(self, email: str) -> User | None:
        """The user of a normalised address, as of now: changes by other processes count within milliseconds."""
        config = self._file.refresh()
        as_of = (self._database.generation, self._file.changes)
        if as_of != self._as_of:
            self._known = {user.email: user for user in config.users}
            self._as_of = as_of
        if email not in self._known:
            rows = self._database.read(f"SELECT {_COLUMNS} FROM users WHERE email = ?", email)
            if len(self._known) > 10_000:
                self._known = {user.email: user for user in config.users}
            self._known[email] = _user(rows[0]) if rows else None
        return self._known[email]

    def all(self) -> list[User]:
        static = {user.email: user for user in self._file.refresh().users}
        stored = [_user(row) for row in self._database.read(f"SELECT {_COLUMNS} FROM users ORDER BY email")]
        return sorted([*static.values(), *(user for user in stored if user.email not in static)], key=lambda u: u.email)

    def static_hashes(self) -> list[str]:
        """The password hashes of the users file; those of the database are all of one kind."""
        return [user.password_hash for user in self._file.refresh().users if user.password_hash]

    def is_empty(self) -> bool:
        return not self._file.refresh().users and not self._database.read("SELECT 1 FROM users LIMIT 1")

    def add(
        self, email: str, password: str, *, username: str = "", user_id: str = "", groups: Sequence[str] = ()
    ) -> User:
        user = User(
            email=checked_email(email),
            username=username or normalised(email).partition("@")[0],
            user_id=user_id or secrets.token_hex(8),
            password_hash=passwords.hash_password(password),
            groups=checked_groups(groups),
        )
        if self.find(user.email) is not None:
            raise UserError(f"there is a user {user.email} already. Change it: windlass user passwd")
        self._insert(user, is_published=password == passwords.PUBLISHED)
        return user

    def set_password(self, email: str, password: str) -> None:
        is_published = password == passwords.PUBLISHED
        self.set_password_hash(email, passwords.hash_password(password), is_published=is_published)

    def set_password_hash(self, email: str, password_hash: str, *, is_published: bool = False) -> None:
        self._refuse_static(email)
        changed = self._database.write(
            "UPDATE users SET password_hash = ?, is_published = ? WHERE email = ? AND source = 'local'",
            password_hash,
            is_published,
            email,
        )
        if not changed:
            raise UserError(f"there is no local user {email}")

    def set_groups(self, email: str, groups: Sequence[str]) -> None:
        self._refuse_static(email)
        encoded = json.dumps(checked_groups(groups))
        if not self._database.write("UPDATE users SET groups = ? WHERE email = ?", encoded, email):
            raise UserError(f"there is no user {email}")

    def remove(self, email: str) -> None:
        """The user, and every credential that they hold."""
        self._refuse_static(email)
        with self._database.transaction():
            if not self._database.write("DELETE FROM users WHERE email = ?", email):
                raise UserError(f"there is no user {email}")
            for table in ("sessions", "access_tokens", "refresh_tokens", "codes", "sign_in_links"):
                self._database.write(f"DELETE FROM {table} WHERE email = ?", email)

    def remember_external(self, user: User) -> None:
        """What an external issuer says of a user now; refuses an address that a local user has."""
        known = self.find(user.email)
        if known is not None and known.source != user.source:
            raise UserError(f"{user.email} is a user of {known.source}, not of {user.source}")
        self._database.write(
            "INSERT INTO users VALUES (?, ?, ?, '', ?, ?, 0, ?) ON CONFLICT (email) DO UPDATE SET"
            " username = excluded.username, user_id = excluded.user_id, groups = excluded.groups",
            user.email, user.username, user.user_id, json.dumps(user.groups), user.source, time.time(),
        )  # fmt: skip

    def has_published_password(self) -> bool:
        """Whether a user could sign in with the password of Kubeflow's documents."""
        if self._database.read("SELECT 1 FROM users WHERE is_published LIMIT 1"):
            return True
        hashes = {user.password_hash for user in self._file.refresh().users}
        return any(passwords.verify_password(hashed, passwords.PUBLISHED) for hashed in hashes)

    def _insert(self, user: User, *, is_published: bool) -> None:
        self._database.write(
            "INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            user.email, user.username, user.user_id, user.password_hash, json.dumps(user.groups), user.source,
            is_published, time.time(),
        )  # fmt: skip

    def _refuse_static(self, email: str) -> None:
        found = self.find(email)
        if found is not None and found.source == "file":
            raise UserError(f"{email} is a user of the users file. Change the file instead")


def checked_email(email: str) -> str:
    address = normalised(email)
    if why := problem(address):
        raise UserError(f"{email!r} is not an e-mail address: {why}")
    return address


def checked_groups(groups: Sequence[str]) -> tuple[str, ...]:
    for group in groups:
        if why := group_problem(group):
            raise UserError(f"group {group!r}: {why}")
    return tuple(dict.fromkeys(groups))


def _user(row: Row) -> User:
    email, username, user_id, password_hash, groups, source = row
    return User(email, username, user_id, password_hash, tuple(json.loads(groups)), source)
