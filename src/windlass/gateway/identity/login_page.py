"""The page on which a person signs in: dex's field names and element ids, for the scripts that know them."""

from collections.abc import Sequence
from html import escape

from aiohttp import web

from windlass.gateway.page import page
from windlass.gateway.page_words import Speech


def login_form(
    action: str,
    say: Speech,
    *,
    directory: str = "",
    prompt: str = "",
    login: str = "",
    error: str = "",
    status: int = 200,
    others: Sequence[tuple[str, str]] = (),
    form_targets: str = "'self'",
) -> web.Response:
    """`error` is a text of the catalogue; `others` are (URL, name) of what to sign in with instead.

    `directory` is the name of the directory that checks the password, and `prompt` what it calls its users' names; both
    are empty for local users, who have e-mail addresses.
    """
    notice = f'<div class="error" id="login-error" role="alert">{escape(say(error))}</div>' if error else ""
    focus = ("", " autofocus") if login else (" autofocus", "")
    label = say(prompt or "E-mail address")
    keyboard = "text" if prompt else "email"
    fields = (
        f'<form method="post" action="{escape(action)}">{notice}'
        f'<label for="login">{escape(label)}</label>'
        f'<input id="login" name="login" type="text" inputmode="{keyboard}" autocomplete="username" '
        f'autocapitalize="none" spellcheck="false" required value="{escape(login)}"{focus[0]}>'
        f'<label for="password">{escape(say("Password"))}</label>'
        f'<input id="password" name="password" type="password" autocomplete="current-password" required{focus[1]}>'
        f'<button id="submit-login" type="submit">{escape(say("Sign in"))}</button></form>'
    )
    separator = f'<div class="or">{escape(say("or"))}</div>' if others else ""
    links = "".join(
        f'<a class="button quiet" href="{escape(url)}">{escape(say("Continue with {name}", name=name))}</a>'
        for url, name in others
    )
    where = say("with {name}", name=directory) if directory else say("to your machine-learning platform")
    head = f"<h1>{escape(say('Sign in'))}</h1><p>{escape(where)}</p>"
    body = f"{head}{fields}{separator}{links}"
    return page(say("Sign in"), body, language=say.language, status=status, form_targets=form_targets)
