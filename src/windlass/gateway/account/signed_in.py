"""The page that a sign-in in a small window ends at: it closes the window, and says so to the page that opened it."""

from html import escape

from aiohttp import web

from windlass.gateway.page import page
from windlass.gateway.page_words import speech_of

PATH, SCRIPT_PATH = "/signed-in", "/signed-in.js"
SCRIPT = """\
if (window.opener) window.opener.postMessage("windlass:signed-in", window.location.origin);
window.close();
"""


async def answer(request: web.Request) -> web.Response:
    say = speech_of(request.headers)
    head = f"<h1>{escape(say('You are signed in'))}</h1><p>{escape(say('You can close this window.'))}</p>"
    response = page(say("Signed in"), f'{head}<script src="/signed-in.js"></script>', language=say.language)
    policy = response.headers["Content-Security-Policy"]
    response.headers["Content-Security-Policy"] = f"{policy}; script-src 'self'"
    return response


async def script(request: web.Request) -> web.Response:
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return web.Response(text=SCRIPT, content_type="text/javascript", headers=headers)
