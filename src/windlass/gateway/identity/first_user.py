"""The first start: the user of Kubeflow's documents, with a random password."""

from windlass.gateway.database import Database
from windlass.gateway.identity import passwords
from windlass.gateway.identity.users import FIRST_EMAIL, FIRST_USER_ID, FIRST_USERNAME, Users

PROFILE_PENDING = "first-profile"
"""The name in `secrets` that is there until the first user's Profile is made."""


def make_first_user(database: Database, users: Users, *, demo: bool) -> str | None:
    """The password to show once, if there was no user yet; None if there was.

    With `demo` the first user has the published password from now on, whatever it was before.
    """
    if demo:
        known = users.find(FIRST_EMAIL)
        if known is None:
            _add(database, users, passwords.PUBLISHED)
        elif known.source == "local" and not passwords.verify_password(known.password_hash, passwords.PUBLISHED):
            users.set_password(FIRST_EMAIL, passwords.PUBLISHED)
        return passwords.PUBLISHED
    if not users.is_empty():
        return None
    password = passwords.generate()
    _add(database, users, password)
    return password


def _add(database: Database, users: Users, password: str) -> None:
    with database.transaction():
        users.add(FIRST_EMAIL, password, username=FIRST_USERNAME, user_id=FIRST_USER_ID)
        database.secret(PROFILE_PENDING, "yes")
