"""An OpenID Connect issuer of strangers: signs in whoever comes as the person that the test chose."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

MOVED = "/moved"
"""What is below is redirected to the same path without it."""


@dataclass
class Issuer:
    url: str = ""
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "theirs"}, private=True))
    userinfo: dict[str, Any] = field(default_factory=dict[str, Any])
    endpoints: dict[str, str] = field(default_factory=dict[str, str])
    """What the discovery document has instead of the issuer's own."""
    asked: dict[str, str] = field(default_factory=dict[str, str])

    def document(self, path: str) -> Any:
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "userinfo_endpoint": f"{self.url}/userinfo",
                **self.endpoints,
            }
        if path == "/userinfo":
            return self.userinfo
        return {"keys": [self.key.as_dict(private=False)]} if path == "/keys" else None

    def authorize(self, query: dict[str, str]) -> str:
        self.asked = query
        return f"{query['redirect_uri']}?{urlencode({'code': 'the-code', 'state': query['state']})}"

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        assert challenge.decode() == self.asked["code_challenge"]
        assert (form["code"], form["client_secret"]) == ("the-code", "their-secret")
        now = int(time.time())
        standard = {"iss": self.url, "aud": "windlass", "iat": now, "exp": now + 60, "nonce": self.asked["nonce"]}
        return {"id_token": jwt.encode({"alg": "RS256", "kid": "theirs"}, {**standard, **self.claims}, self.key)}


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self._redirect(issuer.authorize(query))
            elif parts.path.startswith(MOVED):
                self._redirect(parts.path.removeprefix(MOVED))
            else:
                self._answer(issuer.document(parts.path))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(issuer.token({name: values[0] for name, values in parse_qs(body).items()}))

        def _redirect(self, location: str) -> None:
            self.send_response(302)
            self.send_header("Location", location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _answer(self, document: Any) -> None:
            content = json.dumps(document).encode()
            self.send_response(200 if document is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
