"""What sign-ins elsewhere have in common: what is remembered meanwhile, and how they fail."""

from typing import NamedTuple


class ConnectorFailed(Exception):
    """The other side cannot be used now, or says something that cannot be accepted."""


class Departure(NamedTuple):
    """What must be remembered while the browser is elsewhere."""

    state: str
    nonce: str
    verifier: str
