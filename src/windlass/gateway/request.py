"""Who sent a request, and what decisions read of it.

The authentication middleware sets the identity; handlers read `request[IDENTITY]`.
"""

import asyncio
import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from aiohttp import web
from multidict import CIMultiDict

from windlass.apis.machine_viewers import MACHINE_VIEWERS

Proof: TypeAlias = Literal["session", "id-token", "service-account", "access-token"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A person or a service account, proven by a credential."""

    user: str
    """E-mail address, or `system:serviceaccount:<namespace>:<name>`."""
    groups: tuple[str, ...] = ()
    proof: Proof = "session"
    session: str = ""
    """The public name of the session; empty for other proofs."""
    token: str = ""
    """The digest of an access token, in hexadecimal; empty for other proofs."""
    ends: float = math.inf
    """When the credential expires, in seconds of the epoch; sessions and access tokens are looked up instead."""

    is_by_link: bool = False
    """Whether the session began with a link of `windlass open`."""

    has_machine_view: bool = False
    """Whether this person sees the whole machine; only `login/authentication` grants it, to sessions."""

    @property
    def rbac_groups(self) -> tuple[str, ...]:
        """The groups by which the API server decides. No token, header or page names more than `groups`."""
        return (*self.groups, MACHINE_VIEWERS) if self.has_machine_view else self.groups

    @property
    def without_machine_view(self) -> "Identity":
        """For what enters pods and servers, which the machine view opens none of."""
        return replace(self, has_machine_view=False) if self.has_machine_view else self

    @property
    def is_service_account(self) -> bool:
        return self.user.startswith("system:serviceaccount:")


IDENTITY = web.RequestKey("identity", Identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Http2Request:
    """A request of an HTTP/2 client, with the attributes of aiohttp's that decisions read."""

    method: str
    path: str
    """Normalised."""
    raw_path: str
    host: str
    headers: CIMultiDict[str]
    transport: asyncio.Transport | None


Asked: TypeAlias = web.Request | Http2Request
"""What decisions are made on, by whatever version of HTTP it came."""
