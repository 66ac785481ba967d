"""Who sent a request. The authentication middleware sets it; handlers read `request[IDENTITY]`."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aiohttp import web

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

    @property
    def is_service_account(self) -> bool:
        return self.user.startswith("system:serviceaccount:")


IDENTITY = web.RequestKey("identity", Identity)
