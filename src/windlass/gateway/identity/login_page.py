"""The page on which a person signs in: dex's field names and element ids, for the scripts that know them."""

from collections.abc import Sequence
from html import escape

from aiohttp import web

from windlass.gateway.page import page


def login_form(
    action: str,
    *,
    login: str = "",
    error: str = "",
    status: int = 200,
    others: Sequence[tuple[str, str]] = (),
    form_targets: str = "'self'",
) -> web.Response:
    """`others` are (URL, name) of external issuers to sign in with instead."""
    notice = f'<div class="error" id="login-error" role="alert">{escape(error)}</div>' if error else ""
    focus = ("", " autofocus") if login else (" autofocus", "")
    fields = (
        f'<form method="post" action="{escape(action)}">{notice}'
        '<label for="login">E-mail address</label>'
        f'<input id="login" name="login" type="text" inputmode="email" autocomplete="username" autocapitalize="none" '
        f'spellcheck="false" required value="{escape(login)}"{focus[0]}>'
        '<label for="password">Password</label>'
        f'<input id="password" name="password" type="password" autocomplete="current-password" required{focus[1]}>'
        '<button id="submit-login" type="submit">Sign in</button></form>'
    )
    separator = '<div class="or">or</div>' if others else ""
    links = "".join(
        f'<a class="button quiet" href="{escape(url)}">Continue with {escape(name)}</a>' for url, name in others
    )
    body = f"<h1>Sign in</h1><p>to your machine-learning platform</p>{fields}{separator}{links}"
    return page("Sign in", body, status=status, form_targets=form_targets)
