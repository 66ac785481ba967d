"""Passwords are checked in a time that does not tell who is a user."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import bcrypt
import pytest

from windlass.gateway.identity import password_checks, passwords
from windlass.gateway.identity.password_checks import LocalPasswords, Refusal
from windlass.gateway.identity.passwords import NOBODY, nobodys_hash, verify_password

RIGHT = "p" * 20
BCRYPT_HASH = bcrypt.hashpw(RIGHT.encode(), bcrypt.gensalt(4)).decode()


def test_nobodys_hash_takes_as_long_as_that_of_a_user() -> None:
    """It is a real one, with the same parameters."""
    from argon2 import extract_parameters

    assert extract_parameters(NOBODY) == extract_parameters(passwords.hash_password("x" * 9))
    assert not verify_password(NOBODY, "")
    assert nobodys_hash(BCRYPT_HASH)[:7] == BCRYPT_HASH[:7]
    assert bcrypt.hashpw(b"x", nobodys_hash(BCRYPT_HASH).encode())[:7] == BCRYPT_HASH[:7].encode()
    assert not verify_password(nobodys_hash(BCRYPT_HASH), RIGHT)


@pytest.mark.parametrize("password", ["p" * 73, "p" * 1024, "nul\0byte", "é" * 40])
def test_a_password_that_bcrypt_cannot_hash_takes_as_long(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[bytes] = []
    monkeypatch.setattr(bcrypt, "checkpw", lambda given, hashed: checked.append(given) is None)  # all would be right

    assert not verify_password(BCRYPT_HASH, password)
    assert [len(given) <= passwords.BCRYPT_LONGEST for given in checked] == [True]


def test_bcrypt_knows_the_right_password() -> None:
    assert verify_password(BCRYPT_HASH, RIGHT)
    assert not verify_password(BCRYPT_HASH, RIGHT[1:])


class Asked:
    """A context whose users have a password in the users file, or none at all, and what is verified in it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *users: str) -> None:
        self.hashes: list[str] = []
        monkeypatch.setattr(password_checks.passwords, "verify_password", self._verify)
        known = {name: SimpleNamespace(password_hash="", email=name) for name in users}
        context = SimpleNamespace(
            users=SimpleNamespace(find=known.get, static_hashes=lambda: [BCRYPT_HASH]),
            own_secrets=SimpleNamespace(signing="secret"),
            hashing=asyncio.Semaphore(1),
        )
        self.passwords = LocalPasswords(cast(Any, context))

    def _verify(self, hashed: str, password: str) -> bool:
        self.hashes.append(hashed)
        return verify_password(hashed, password)


async def test_a_name_without_a_password_has_always_the_same_kind_of_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, "external@example.com")
    monkeypatch.setattr(password_checks.passwords, "NOBODY", nobodys_hash(BCRYPT_HASH).replace("$04$", "$05$"))
    for number in range(40):
        for _ in range(2):
            refusal = await asked.passwords.verified(f"nobody{number}@example.com", RIGHT, is_near=False)
            assert isinstance(refusal, Refusal)
    assert asked.hashes[::2] == asked.hashes[1::2]
    assert len(set(asked.hashes)) == 2, "as both kinds of users have"

    assert isinstance(await asked.passwords.verified("external@example.com", RIGHT, is_near=False), Refusal)
