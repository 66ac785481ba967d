"""Static bearer tokens: Kubernetes' token file (CSV), and a timing-safe table of tokens.

A line is `token,user,uid` and, optionally, `"group1,group2"`. The table is keyed by a digest of the token, so the time
of a lookup reveals nothing about how much of a guess was right.
"""

import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path

from windlass.apiserver.auth.user import User, authenticated


class BadTokenFile(ValueError):
    """A token file that cannot be used; the message contains the file and the line."""


def read_token_file(path: Path) -> list[tuple[str, User]]:
    """Return (token, user) for each line; raises BadTokenFile on the first invalid one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadTokenFile(f"cannot read the token file {path}: {error}") from error
    found: list[tuple[str, User]] = []
    seen: dict[str, int] = {}
    for line, row in _rows(path, text):
        token, user = _parsed(path, line, row)
        if token in seen:
            raise BadTokenFile(f"token file {path}, line {line}: the same token is on line {seen[token]}")
        seen[token] = line
        found.append((token, user))
    return found


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text.splitlines(), strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise BadTokenFile(f"token file {path}, line {reader.line_num}: {error}") from error


def _parsed(path: Path, line: int, row: list[str]) -> tuple[str, User]:
    where = f"token file {path}, line {line}"
    if len(row) < 3:
        raise BadTokenFile(f"{where}: must have at least 3 columns (token, user name, user uid), found {len(row)}")
    token, name, uid = (cell.strip() for cell in row[:3])
    if not token:
        raise BadTokenFile(f"{where}: the token is empty")
    if not name:
        raise BadTokenFile(f"{where}: the user name is empty")
    groups = [group.strip() for group in row[3].split(",") if group.strip()] if len(row) > 3 else []
    return token, authenticated(name, uid, groups)


class StaticTokens:
    """Tokens that are known in advance and do not expire."""

    def __init__(self) -> None:
        self._users: dict[bytes, User] = {}

    def add(self, token: str, user: User) -> None:
        self._users[_digest(token.encode())] = user

    def find(self, token: bytes) -> User | None:
        return self._users.get(_digest(token))


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()
