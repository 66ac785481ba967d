"""A GitHub Enterprise of strangers over TLS: signs in whoever comes as the account that the test chose."""

import base64
import hashlib
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.gateway.certificates import self_signed

PAGE_SIZE = 2
ACCOUNT: dict[str, Any] = {"login": "octo", "id": 583231, "name": "Octo Cat"}
EMAILS = [
    {"email": "octo@private.example", "verified": True, "primary": False},
    {"email": "Octo@Example.com", "verified": True, "primary": True},
    {"email": "boss@example.com", "verified": False, "primary": False},
]


def a_team(organization: str, name: str, slug: str) -> dict[str, Any]:
    return {"name": name, "slug": slug, "organization": {"login": organization}}


@dataclass
class GithubSite:
    host: str = ""
    cert: Path = Path()
    account: dict[str, Any] = field(default_factory=lambda: dict(ACCOUNT))
    emails: list[dict[str, Any]] = field(default_factory=lambda: list(EMAILS))
    organizations: list[dict[str, Any]] = field(default_factory=lambda: [{"login": "acme"}])
    teams: list[dict[str, Any]] = field(
        default_factory=lambda: [a_team("acme", "ML Ops", "ml-ops"), a_team("other", "Rest", "rest")]
    )
    next_page: str = ""
    """What the lists name as their following page instead of their own."""
    token_answer: dict[str, Any] = field(default_factory=lambda: {"access_token": "the-token", "token_type": "bearer"})
    asked: dict[str, str] = field(default_factory=dict[str, str])

    def authorize(self, query: dict[str, str]) -> str:
        self.asked = query
        return f"{query['redirect_uri']}?{urlencode({'code': 'the-code', 'state': query['state']})}"

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        assert challenge.decode() == self.asked["code_challenge"]
        assert (form["code"], form["client_secret"]) == ("the-code", "their-secret")
        return self.token_answer

    def document(self, path: str) -> Any:
        return {
            "/api/v3/user": self.account,
            "/api/v3/user/emails": self.emails,
            "/api/v3/user/orgs": self.organizations,
            "/api/v3/user/teams": self.teams,
        }.get(path)


@contextmanager
def running_github(folder: Path) -> Iterator[GithubSite]:
    site = GithubSite()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if parts.path == "/login/oauth/authorize":
                self._answer(302, None, Location=site.authorize(query))
            elif parts.path == "/api/v3/meta":
                self._answer(200, {})
            elif self.headers.get("Authorization") != "Bearer the-token":
                self._answer(401, {"message": "Requires authentication"})
            elif isinstance(found := site.document(parts.path), list):
                self._page(parts.path, found, int(query.get("page", "1")))
            else:
                self._answer(404 if found is None else 200, found)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(200, site.token({name: values[0] for name, values in parse_qs(body).items()}))

        def _page(self, path: str, found: list[Any], number: int) -> None:
            following = site.next_page or f"https://{site.host}{path}?page={number + 1}"
            more = {"Link": f'<{following}>; rel="next"'} if len(found) > number * PAGE_SIZE else {}
            self._answer(200, found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE], **more)

        def _answer(self, status: int, document: Any, **headers: str) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    site.cert, key = self_signed(folder)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(site.cert, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    site.host = f"127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
