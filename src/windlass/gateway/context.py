"""What every route group of the gateway is given, and how its parts are put together."""

import asyncio
import logging
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from windlass.gateway.access.machine_view import is_machine_viewer
from windlass.gateway.access.machine_viewers import MachineViewers
from windlass.gateway.database import Database
from windlass.gateway.identity.assertions import Assertions
from windlass.gateway.identity.clients import OWN_CLIENT, OAuthClient, own_client
from windlass.gateway.identity.own_secrets import OwnSecrets
from windlass.gateway.identity.signed import Signer
from windlass.gateway.identity.signing_keys import SigningKeys
from windlass.gateway.identity.static_file import StaticFile
from windlass.gateway.identity.users import Users
from windlass.gateway.login.audit import AuditLog
from windlass.gateway.login.throttle import Throttle
from windlass.gateway.metrics import GatewayMetrics
from windlass.gateway.request import Identity
from windlass.gateway.sessions.cookies import AWAY, COMPAT, SESSION, SIGN_IN
from windlass.gateway.sessions.store import Sessions
from windlass.gateway.settings import GatewaySettings
from windlass.gateway.tokens.access_tokens import AccessTokens
from windlass.gateway.tokens.bearer import BearerTokens

if TYPE_CHECKING:
    from windlass.gateway.identity.connectors.connector import Connector
    from windlass.gateway.identity.connectors.elsewhere import SignInElsewhere
    from windlass.gateway.identity.oauth import Provider
    from windlass.gateway.live.routes import LivePages
    from windlass.gateway.proxy.proxy import Proxy
    from windlass.gateway.views.services import ViewServices
    from windlass.kube.client import Client

T = TypeVar("T")
PARALLEL_HASHES = 2
PARALLEL_BINDS = 3
"""Sign-ins at directories at a time: a slow one must leave threads for other work."""
HIDDEN_COOKIES = frozenset({SESSION, COMPAT, SIGN_IN, AWAY})
"""Cookies that no backend ever sees or sets."""
CLOCK_TOLERANCE_SECONDS = 300.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class GatewayContext:
    settings: GatewaySettings
    client: "Client"
    """The API with the gateway's own rights: watches, access reviews. For a person's requests use `client_of`."""
    database: Database
    static_file: StaticFile
    users: Users
    sessions: Sessions
    access_tokens: AccessTokens
    signing_keys: SigningKeys
    bearer_tokens: BearerTokens
    machine_viewers: MachineViewers
    audit: AuditLog
    own_secrets: OwnSecrets
    throttle: Throttle = field(default_factory=Throttle)
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL_HASHES))
    binding: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL_BINDS))
    elsewhere: "dict[str, SignInElsewhere]" = field(default_factory=lambda: {})
    _services: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False)

    def client_of(self, identity: Identity) -> "Client":
        """The API with the rights of the person: RBAC, quotas and the audit log see them, not the gateway."""
        return self.client.impersonating(identity.user, identity.rbac_groups)

    @cached_property
    def proxy(self) -> "Proxy":
        """The way to what is behind the gateway: routes, rights and connections."""
        from windlass.gateway.proxy.proxy import Proxy

        return Proxy(
            self.client,
            self.settings,
            HIDDEN_COOKIES,
            self.metrics,
            Assertions(self.signing_keys, self.settings.origin),
            self.sessions,
        )

    @cached_property
    def metrics(self) -> GatewayMetrics:
        return GatewayMetrics(sessions=self.sessions.count, tunnels=lambda: len(self.proxy.tunnels))

    @cached_property
    def live(self) -> "LivePages":
        """The pages that are connected, and what they follow."""
        from windlass.gateway.live.routes import LivePages

        return LivePages(self)

    @cached_property
    def views(self) -> "ViewServices":
        """What the dashboard's views share."""
        from windlass.gateway.views.services import ViewServices

        return ViewServices(self)

    def service(self, make: "Callable[[GatewayContext], T]") -> T:
        """Return an object that an app keeps while the gateway runs, made at the first call with `make`."""
        if make not in self._services:
            self._services[make] = make(self)
        return self._services[make]

    def is_current(self, identity: Identity) -> bool:
        """Whether an identity still holds: the user is there, in the same groups, and the credential has not ended."""
        if identity.ends <= time.time():
            return False
        if identity.is_service_account:
            return True
        if identity.has_machine_view and not self.may_view_machine(identity):
            return False
        user = self.users.find(identity.user)
        if user is None or user.groups != identity.groups:
            return False
        if identity.token:
            return self.access_tokens.is_alive(identity.token)
        return identity.proof != "session" or self.sessions.is_alive(identity.session)

    def may_view_machine(self, identity: Identity) -> bool:
        """Whether the machine view that an identity has still holds."""
        return identity.has_machine_view and is_machine_viewer(identity, self.machine_viewers.viewer)

    @property
    def sign_ins_as_of(self) -> object:
        """Differs from what it was before any change of users, sessions, tokens or listeners, by whatever process."""
        return self.machine_viewers.as_of

    @property
    def own_client(self) -> OAuthClient:
        return own_client(self.own_secrets.client, self.settings.origin)

    def signer(self, purpose: str) -> Signer:
        """Signs the values that browsers carry, with the secret of now: keep none."""
        return Signer(self.own_secrets.signing, purpose)

    @cached_property
    def provider(self) -> "Provider":
        """The OpenID Connect provider; made at the first sign-in, since its libraries are large."""
        from windlass.gateway.identity.oauth import Provider

        return Provider(self.database, self.users, self.signing_keys, self.settings.issuer, self.oauth_client)

    def oauth_client(self, client_id: str) -> OAuthClient | None:
        if client_id == OWN_CLIENT:
            return self.own_client
        return next((one for one in self.static_file.refresh().clients if one.client_id == client_id), None)

    def connector(self, connector_id: str) -> "Connector | None":
        return next((one for one in self.static_file.refresh().connectors if one.id == connector_id), None)

    def sign_in_elsewhere(self, connector_id: str) -> "SignInElsewhere | None":
        """Where the browser leaves to, with what is known of it already; None for an unknown or an LDAP connector."""
        from windlass.gateway.identity.connectors.elsewhere import sign_in_of

        connector, known = self.connector(connector_id), self.elsewhere.get(connector_id)
        if known is not None and known.connector == connector:
            return known
        found = sign_in_of(connector, f"{self.settings.issuer}/callback/{connector_id}") if connector else None
        if found is not None:
            self.elsewhere[connector_id] = found
        return found


@contextmanager
def open_context(
    settings: GatewaySettings, client: "Client", environment: Mapping[str, str]
) -> Generator[GatewayContext]:
    """All parts over one database. Raises BadDatabase and BadUsersFile."""
    database = Database(settings.database)
    audit = AuditLog(settings.audit_log)
    try:
        file = StaticFile(settings.users_file, environment, lambda why: log.warning("users file: %s", why))
        users, keys = Users(database, file), SigningKeys(database, settings.issuer)
        sessions, access_tokens = Sessions(database), AccessTokens(database)
        warn_of_clock(sessions.newest_use())
        yield GatewayContext(
            settings=settings,
            client=client,
            database=database,
            static_file=file,
            users=users,
            sessions=sessions,
            access_tokens=access_tokens,
            signing_keys=keys,
            bearer_tokens=BearerTokens(users, keys, access_tokens, client, settings.issuer),
            machine_viewers=MachineViewers(settings, database, users, file),
            audit=audit,
            own_secrets=OwnSecrets(database),
        )
    finally:
        audit.close()
        database.close()


def warn_of_clock(newest_use: float) -> None:
    """A clock that was set back keeps sessions alive for longer, and others refuse tokens "of the future"."""
    behind = newest_use - time.time()
    if behind > CLOCK_TOLERANCE_SECONDS:
        log.warning("the clock is behind by at least %d s: a session was used later than now. Set the clock", behind)
