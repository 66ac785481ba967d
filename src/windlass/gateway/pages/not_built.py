"""The page in the dashboard's place where its files have not been built: who is signed in, and how to build them."""

from collections.abc import Sequence

from aiohttp import web

from windlass.gateway.login.account import account_page
from windlass.gateway.page_words import Speech
from windlass.gateway.request import Identity
from windlass.gateway.sessions.store import Session

NOTICE = (
    "This Windlass runs without its dashboard. Run make ui-build in the clone of its source and, if it was installed "
    "from there, pip install . again; then load this page again. Everything else works: kubectl, the windlass command, "
    "and the REST APIs of the web apps."
)


def not_built_page(identity: Identity, sessions: Sequence[Session], now: float, say: Speech) -> web.Response:
    return account_page(identity, sessions, now, say, notice=("The dashboard is not built", NOTICE))
