"""The secrets of the gateway itself: random, made at the first start, and read for each use, so that new ones count."""

import secrets

from windlass.gateway.database import Database

CLIENT, SIGNING = "client", "signing"


class OwnSecrets:
    def __init__(self, database: Database) -> None:
        self._database = database
        for name in (CLIENT, SIGNING):
            self._value(name)

    @property
    def client(self) -> str:
        """The secret of the gateway's own OAuth client."""
        return self._value(CLIENT)

    @property
    def signing(self) -> str:
        """Keys the values that browsers carry."""
        return self._value(SIGNING)

    def renew(self) -> None:
        """Replace both. What browsers carry from before counts no more: a sign-in that is under way starts again."""
        with self._database.transaction():
            for name in (CLIENT, SIGNING):
                self._database.replace_secret(name, _random())

    def _value(self, name: str) -> str:
        return self._database.secret(name, _random())


def _random() -> str:
    return secrets.token_urlsafe(32)
