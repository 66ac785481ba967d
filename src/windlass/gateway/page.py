"""Pages of the gateway itself: HTML with its style inside, no script, and a policy that allows nothing else."""

import base64
import hashlib
from html import escape
from pathlib import Path

from aiohttp import web

from windlass.gateway.page_words import Language, speech_of

STYLE = Path(__file__).with_name("page.css").read_text()
_MARK = Path(__file__).with_name("mark.svg").read_text().strip()
_ICON_MARK = _MARK.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" color="#0a8794" ', 1)
_ICON = f"data:image/svg+xml;base64,{base64.b64encode(_ICON_MARK.encode()).decode()}"
"""Within the page: a browser that is not signed in gets nothing from /favicon.ico."""
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


def policy(form_targets: str = "'self'") -> str:
    return (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src 'self' data:; form-action {form_targets}; "
        "frame-ancestors 'none'; base-uri 'none'"
    )


def page(
    title: str,
    body: str,
    *,
    language: Language,
    status: int = 200,
    form_targets: str = "'self'",
    wide: bool = False,
) -> web.Response:
    """`body` is HTML whose values are escaped already."""
    document = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<link rel="icon" href="{_ICON}">'
        f"<title>{escape(title)} · Windlass</title><style>{STYLE}</style></head>"
        f'<body><main{" class=wide" if wide else ""}><div class="mark">{_MARK}Windlass</div>{body}</main></body></html>'
    )
    return web.Response(text=document, status=status, content_type="text/html", headers=headers(form_targets))


def headers(form_targets: str = "'self'") -> dict[str, str]:
    """What every page of the gateway is sent with."""
    return {
        "Cache-Control": "no-store",
        "Vary": "Accept-Language",
        "Content-Security-Policy": policy(form_targets),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }


def message(
    request: web.Request, title: str, text: str, *, status: int, action: tuple[str, str] | None = None, **values: str
) -> web.Response:
    """A heading, a sentence with its values, and one thing to do, in the language of the request."""
    say = speech_of(request.headers)
    link = f'<a class="button" href="{escape(action[0])}">{escape(say(action[1]))}</a>' if action else ""
    body = f"<h1>{escape(say(title))}</h1><p>{escape(say(text, **values))}</p>{link}"
    return page(say(title), body, language=say.language, status=status)
