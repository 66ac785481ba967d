"""What requests about tokens and passwords ask for, and what is shown of tokens and sessions. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windlass.gateway.identity.passwords import LONGEST
from windlass.gateway.sessions.store import Session
from windlass.gateway.tokens.access_tokens import DEFAULT_SCOPES, SCOPES, AccessToken
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, is_list

DEFAULT_DAYS = 30.0
MAX_TOKENS = 100
"""Of one person, those that have ended not counted."""


@dataclass(frozen=True, slots=True)
class NewToken:
    name: str
    life: timedelta
    scopes: tuple[str, ...]


def new_token(body: Object) -> NewToken:
    """Raises BadRequest; the limits of name, life and scopes are checked where the token is made."""
    _refuse_unknown(body, ("name", "days", "scopes"))
    name = _text(body, "name")
    days = body.get("days", DEFAULT_DAYS)
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= 366:
        raise BadRequest("days: a number above 0, up to 366")
    scopes = body.get("scopes", list(DEFAULT_SCOPES))
    if not is_list(scopes) or not scopes or not all(isinstance(scope, str) for scope in scopes):
        raise BadRequest(f"scopes: a list of {', '.join(SCOPES)}")
    return NewToken(name, timedelta(days=days), tuple(str(scope) for scope in scopes))


def new_password(body: Object) -> tuple[str, str]:
    """The current one and the new one. Raises BadRequest."""
    _refuse_unknown(body, ("current", "new"))
    current, new = _text(body, "current"), _text(body, "new")
    if len(current.encode("utf-8", "surrogatepass")) > LONGEST:
        raise BadRequest(f"current: at most {LONGEST} bytes")
    try:
        new.encode()
    except UnicodeEncodeError as error:
        raise BadRequest("new: it is not valid Unicode") from error
    return current, new


def token_row(token: AccessToken) -> dict[str, Any]:
    return {
        "id": token.name,
        "name": token.name,
        "scopes": list(token.scopes),
        "created": int(token.created),
        "expires": int(token.expires),
    }


def session_row(session: Session, current: str) -> dict[str, Any]:
    return {
        "id": session.name,
        "created": int(session.created),
        "lastUsed": int(session.last_used),
        "expires": int(session.expires()),
        "address": session.address,
        "userAgent": session.user_agent,
        "current": session.name == current,
    }


def remaining(session: Session, now: float) -> dict[str, int]:
    """Seconds until a session ends if it is not used again, and at the latest."""
    idle, absolute = session.idle_left(now), session.absolute_left(now)
    return {"expiresIn": int(min(idle, absolute)), "idleSeconds": int(idle), "absoluteSeconds": int(absolute)}


def _text(body: Object, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{name}: a text is required")
    return value


def _refuse_unknown(body: Object, known: Sequence[str]) -> None:
    unknown = sorted(set(body) - set(known))
    if unknown:
        raise BadRequest(f"{unknown[0]}: unknown field; there are {', '.join(known)}")
