"""Password hashes: Argon2id for passwords set here, bcrypt for those of a dex configuration."""

import secrets

PUBLISHED = "12341234"
"""The password of Kubeflow's documents: everybody knows it."""
LONGEST = 1024  # bytes; a hash of more is only work for the server
BCRYPT_LONGEST = 72  # bytes; bcrypt ignores what follows
BCRYPT = ("$2a$", "$2b$", "$2y$")
# OWASP's parameters for Argon2id: 19 MiB, 2 passes, 1 lane. More memory would count in a platform of 300 MB.
MEMORY_KIB, PASSES, LANES = 19_456, 2, 1
NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$S3QoBTcS1h4VgkZ5Jp5wC2bnB2dA2w6yYz1V4lWn8b0"
"""A hash of no password."""
BCRYPT_COST_END = len("$2y$12$")
_NO_BCRYPT = "." * 22 + "/" * 31  # salt and digest
_READABLE = "abcdefghjkmnpqrstuvwxyz23456789"  # without 0 o 1 l i


def hash_password(password: str) -> str:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES).hash(password)


def verify_password(hashed: str, password: str) -> bool:
    """Whether `password` is the one; False for a hash that is none. Takes tens of milliseconds, on purpose."""
    encoded = password.encode("utf-8", "surrogatepass")
    if len(encoded) > LONGEST:
        return False
    if hashed.startswith(BCRYPT):
        import bcrypt

        hashable = encoded[:BCRYPT_LONGEST].replace(b"\0", b"?")  # also a password that cannot be right takes its time
        try:
            return bcrypt.checkpw(hashable, hashed.encode()) and hashable == encoded
        except ValueError:
            return False
    from argon2 import PasswordHasher
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return PasswordHasher().verify(hashed, encoded)
    except (InvalidHashError, VerificationError):
        return False


def nobodys_hash(like: str) -> str:
    """A hash of no password that takes as long to check as another one."""
    return like[:BCRYPT_COST_END] + _NO_BCRYPT if like.startswith(BCRYPT) else NOBODY


def is_hash(text: str) -> bool:
    return text.startswith((*BCRYPT, "$argon2id$"))


def generate() -> str:
    """A password that can be typed: 79 bits in four groups."""
    return "-".join("".join(secrets.choice(_READABLE) for _ in range(4)) for _ in range(4))


def weakness(password: str) -> str | None:
    """Why a password cannot be set; None if it can."""
    if password == PUBLISHED:
        return "that password is published. `windlass up --demo` sets it, for this machine only"
    if len(password) < 8:
        return "a password has at least 8 characters"
    if len(password.encode()) > LONGEST:
        return f"a password has at most {LONGEST} bytes"
    return None
