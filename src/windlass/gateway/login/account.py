"""A page without the dashboard: who is signed in, where else they are signed in, and the way out."""

from collections.abc import Sequence
from html import escape

from aiohttp import web

from windlass.gateway.page import page
from windlass.gateway.page_words import Speech
from windlass.gateway.request import Identity
from windlass.gateway.sessions.store import Session

MINUTE, HOUR, DAY = 60, 3600, 86400


def account_page(
    identity: Identity, sessions: Sequence[Session], now: float, say: Speech, *, notice: tuple[str, str]
) -> web.Response:
    """`notice` is a heading and a text to begin with, of the catalogue."""
    groups = f" · {escape(', '.join(identity.groups))}" if identity.groups and not identity.is_service_account else ""
    rows = "".join(_row(session, session.name == identity.session, now, say) for session in sessions)
    listed = f"<h2>{escape(say('Where you are signed in'))}</h2><ul>{rows}</ul>" if rows else ""
    body = (
        f"<h1>{escape(say(notice[0]))}</h1><p>{escape(say(notice[1]))}</p><h2>{escape(say('You are signed in'))}</h2>"
        f"<p>{escape(identity.user)}{groups}</p>{listed}"
        '<form method="post" action="/oauth2/sign_out">'
        f'<button class="quiet" type="submit">{escape(say("Sign out"))}</button></form>'
    )
    return page(say(notice[0]), body, language=say.language, wide=True)


def _row(session: Session, is_current: bool, now: float, say: Speech) -> str:
    end = (
        f"<span>{escape(say('this browser'))}</span>"
        if is_current
        else f'<form method="post" action="/oauth2/sessions/{escape(session.name)}/revoke">'
        f'<button class="quiet small" type="submit">{escape(say("End"))}</button></form>'
    )
    name = escape(say(browser_name(session.user_agent)))
    used = escape(say("used {ago}", ago=ago(now - session.last_used, say)))
    return f"<li><div>{name} <small>{escape(session.address)} · {used}</small></div>{end}</li>"


def browser_name(user_agent: str) -> str:
    """What a person would call it."""
    for mark, name in (("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari")):
        if mark in user_agent:
            return name
    return user_agent.partition(" ")[0].partition("/")[0] or "A program"


def ago(seconds: float, say: Speech) -> str:
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= size:
            return say(f"{{count}} {unit} ago", count=int(seconds // size))
    return say("just now")
