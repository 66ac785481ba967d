"""A person who may sign in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class User:
    email: str
    username: str
    user_id: str
    password_hash: str = ""
    """Empty for users of an external issuer."""
    groups: tuple[str, ...] = ()
    source: str = "local"
    """`local`, `file`, or the id of the connector that the user came through."""
