"""The machine view: the only user of Windlass on one machine sees all of that machine. Pure.

It gives rights to read, never to change, and never to Secrets. It holds while nobody else can be a user: Windlass runs
on this machine alone, its listeners are loopback addresses, and it has a single local user. A second user, a connector
or another listener ends it at once. A published password proves nothing, so where there is one only sessions that
began with a link of `windlass open` have the view.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windlass.gateway.exposure import is_of_this_machine
from windlass.gateway.identity.user import User
from windlass.gateway.request import Identity
from windlass.gateway.settings import LOOPBACK, GatewaySettings

FORWARDED = frozenset({"forwarded", "via", "x-real-ip"})
FORWARDED_PREFIX = "x-forwarded-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The facts of an installation that decide who has the machine view."""

    settings: GatewaySettings
    api_listen: str | None
    """The address on which the API server listens; None where it is not known."""
    users: Sequence[User]
    has_connectors: bool
    """Whether people whom the gateway does not know yet may sign in."""
    has_published_password: bool
    """Whether a user has the password of Kubeflow's documents, which every account of the machine knows."""
    is_withdrawn: bool


@dataclass(frozen=True, slots=True)
class Viewer:
    """The user who has the machine view."""

    email: str
    by_link_alone: bool
    """Whether only sessions that began with a link of `windlass open` have it."""


def machine_viewer(installation: Installation) -> Viewer | None:
    """The user who has the machine view; None where nobody has."""
    settings, users = installation.settings, installation.users
    is_closed = settings.is_loopback and installation.api_listen in LOOPBACK and not settings.external_url
    is_shared = len(users) != 1 or installation.has_connectors or settings.ingress_tokens
    is_published = settings.demo or installation.has_published_password
    if settings.data_dir is None or not is_closed or is_shared or installation.is_withdrawn:
        return None
    return Viewer(users[0].email, by_link_alone=is_published) if users[0].source == "local" else None


def is_machine_viewer(identity: Identity, viewer: Viewer | None) -> bool:
    """Whether the view may be given to an identity at all."""
    if viewer is None or identity.user != viewer.email or identity.proof != "session":
        return False
    return identity.is_by_link or not viewer.by_link_alone


def has_machine_view(
    identity: Identity, viewer: Viewer | None, settings: GatewaySettings, headers: Mapping[str, str], client: str
) -> bool:
    """Whether a request is one of the machine viewer's, in a browser on this machine and by no proxy.

    Tokens have no part in it: they are made for programs, which are given no more than they need.
    """
    is_forwarded = any(name.lower() in FORWARDED or name.lower().startswith(FORWARDED_PREFIX) for name in headers)
    is_near = not is_forwarded and is_of_this_machine(settings, headers.get("Host", ""), client)
    return is_machine_viewer(identity, viewer) and is_near
