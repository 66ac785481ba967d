"""Who has typed a name and a password: a local user, or one whose password an LDAP directory checks."""

import asyncio
import hmac
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlass.gateway.identity import passwords
from windlass.gateway.identity.emails import normalised
from windlass.gateway.identity.user import User
from windlass.gateway.identity.users import UserError

if TYPE_CHECKING:
    from windlass.gateway.context import GatewayContext
    from windlass.gateway.identity.connectors.connector import LdapConnector

LOCAL = "local"
LONGEST_LOGIN = 254
WRONG = "That e-mail address and password do not match."
PUBLISHED = (
    "That password is published, and counts only on the machine that Windlass runs on, at 127.0.0.1 or localhost."
)
WRONG_USERNAME = "That user name and password do not match."
UNAVAILABLE = "The directory does not answer as it should. Try again later, or ask an administrator."
UNUSABLE = "Your entry in the directory cannot be used here. Ask an administrator."

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Refusal:
    """Why a person is not signed in. `text` is for them, `reason` for the audit log."""

    status: int
    text: str
    reason: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is a failed try; an outage is not the person's."""
        return self.status != 503


class LocalPasswords:
    """Users of the database and of the users file."""

    id = LOCAL
    name = ""
    prompt = ""

    def __init__(self, context: "GatewayContext") -> None:
        self._context = context

    def throttled_name(self, login: str) -> str:
        return normalised(login)[:LONGEST_LOGIN]

    async def verified(self, login: str, password: str, *, is_near: bool) -> User | Refusal:
        """`is_near`: whether the request came from this machine, where alone the published password counts."""
        if password == passwords.PUBLISHED and not is_near:
            return Refusal(403, PUBLISHED, "the published password counts on this machine only")
        name = normalised(login)[:LONGEST_LOGIN]
        user = self._context.users.find(name)
        hashed = user.password_hash if user is not None and user.password_hash else self._nobodys_hash(name)
        async with self._context.hashing:
            is_right = await asyncio.to_thread(passwords.verify_password, hashed, password)
        return user if user is not None and is_right else Refusal(401, WRONG)

    def _nobodys_hash(self, name: str) -> str:
        """A hash for a name without a password, of the kinds that users have: always the same one for a name, so that
        the time of a refusal does not show who is a user."""
        kinds = sorted({passwords.nobodys_hash(like) for like in ("", *self._context.users.static_hashes())})
        digest = hmac.digest(
            self._context.own_secrets.signing.encode(), f"nobody {name}".encode(errors="replace"), "sha256"
        )
        return kinds[digest[0] % len(kinds)]


def passwords_of(context: "GatewayContext", connector_id: str) -> "LocalPasswords | DirectoryPasswords | None":
    """Who checks the passwords of a connector; None where nobody does."""
    if connector_id == LOCAL:
        return LocalPasswords(context)
    connector = context.connector(connector_id)
    if connector is None:
        return None
    from windlass.gateway.identity.connectors.connector import LdapConnector

    return DirectoryPasswords(context, connector) if isinstance(connector, LdapConnector) else None


class DirectoryPasswords:
    """Users of an LDAP directory, who become users of Windlass with their first sign-in."""

    def __init__(self, context: "GatewayContext", connector: "LdapConnector") -> None:
        self._context = context
        self._connector = connector
        self.id, self.name = connector.id, connector.name
        self.prompt = connector.prompt or "Username"

    def throttled_name(self, login: str) -> str:
        from windlass.gateway.identity.connectors.directory_entries import folded

        return f"{self.id}/{folded(login[:LONGEST_LOGIN])}"

    async def verified(self, login: str, password: str, *, is_near: bool) -> User | Refusal:
        """Where the request came from is not looked at: the directory decides about its passwords."""
        from windlass.gateway.identity.connectors import ldap  # its library is large
        from windlass.gateway.identity.connectors.departure import ConnectorFailed

        if not 0 < len(login) <= LONGEST_LOGIN:
            return Refusal(401, WRONG_USERNAME)
        try:
            async with self._context.binding:
                user = await ldap.sign_in(self._connector, login, password)
            if user is None:
                return Refusal(401, WRONG_USERNAME)
            self._context.users.remember_external(user)
        except ldap.DirectoryUnavailable as error:
            log.warning("the directory of the connector %s cannot be used: %s", self.id, error)
            return Refusal(503, UNAVAILABLE, str(error))
        except (ConnectorFailed, UserError) as error:
            log.warning("the connector %s refuses %r: %s", self.id, login, error)
            return Refusal(403, UNUSABLE, str(error))
        return user
