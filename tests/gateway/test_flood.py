"""Thousands of requests of nobody leave next to nothing on the disk, whatever they ask for."""

import http.client
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from tests.gateway.platform import Platform

THREADS, REQUESTS, SECONDS = 4, 8000, 10.0
FEWEST = 1000
"""Requests that even a busy machine answers in that time."""
MOST_LOGGED, MOST_KEPT = 3 << 20, 1 << 20
"""Bytes of logs, which are rotated, and of all else."""
SOURCE = "127.0.77.%d"
"""Addresses that no other test signs in from: failures count by address."""
PASSWORDS = 100
"""How many are tried, each from an address of its own: more from one would have to wait."""
CLIENT = "kubeflow-oidc-authservice"
LONG = "x" * 6000
BODY = b"y" * 50_000
FORM = "application/x-www-form-urlencoded"
Ask = tuple[str, str, bytes | None, dict[str, str]]
"""Method, target, body and headers of a request."""


def asked_of_gateway(number: int, url: str) -> Iterator[Ask]:
    """One of each kind, each different from those before."""
    state = f"{number}-{LONG[:5000]}"
    bearer = {"Authorization": f"Bearer {number}.{LONG[:1000]}"}
    request = {"client_id": CLIENT, "redirect_uri": f"{url}/oauth2/callback", "response_type": "code"}
    sign_in = urlencode({**request, "scope": "openid profile email", "state": state})
    yield "GET", f"/{number}/{LONG}", None, {}
    yield "GET", f"/pipeline/apis/v2beta1/runs?filter={number}{LONG}", None, bearer
    yield "GET", f"/dex/auth?{sign_in}", None, {}
    yield "GET", f"/dex/auth/local?{sign_in}", None, {}
    yield "GET", f"/dex/auth?{urlencode({'client_id': state, 'redirect_uri': f'http://{number}/'})}", None, {}
    yield "GET", f"/oauth2/start?rd={quote(f'/{number}/{LONG}')}", None, {}
    yield "GET", f"/oauth2/callback?code={state}&state={state}", None, {}
    yield "GET", f"/oauth2/link?token={state}", None, {}
    yield "GET", "/", None, {"Cookie": f"oauth2_proxy_kubeflow={state}", "User-Agent": state}
    yield (
        "POST",
        "/dex/token",
        urlencode({"grant_type": "password", "username": state}).encode(),
        {"Content-Type": FORM},
    )
    yield "POST", f"/api/views/{number}", BODY, {"Content-Type": "application/json", **bearer}
    yield (
        "POST",
        f"/pipeline/apis/v2beta1/pipelines/upload?name={number}",
        BODY,
        {"Content-Type": "multipart/form-data"},
    )
    yield "POST", f"/notebook/ns{number}/{LONG[:60]}/", BODY, {"Content-Type": FORM}


def asked_of_server(number: int) -> Iterator[Ask]:
    bearer = {"Authorization": f"Bearer {number}.{LONG[:1000]}"}
    yield "GET", f"/api/v1/namespaces/ns{number}/pods?labelSelector={LONG}", None, {}
    yield "GET", f"/{number}/{LONG}", None, {"User-Agent": f"{number}{LONG[:2000]}"}
    yield "GET", f"/api/v1/namespaces/ns{number}/secrets/{LONG[:200]}", None, bearer
    yield "GET", "/api/v1/secrets", None, {}
    yield "POST", f"/api/v1/namespaces/ns{number}/secrets", BODY, {"Content-Type": "application/json"}
    yield "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", BODY, {"Content-Type": "application/yaml"}


@dataclass
class Flood:
    """Requests of nobody on a few connections, until there were enough of them or it has taken long enough."""

    platform: Platform
    answered: Counter[int] = field(default_factory=Counter[int])
    _numbers: Iterator[int] = field(default_factory=count)
    _deadline: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def run(self) -> None:
        with closing(self._to_gateway()) as gateway:
            login = login_page(gateway)
        threads = [threading.Thread(target=self._send, args=(login,), daemon=True) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS + 60)

    def _send(self, login: str) -> None:
        with closing(self._to_gateway()) as gateway, closing(self._to_server()) as server:
            for number in self._numbers:
                if self.answered.total() >= REQUESTS or time.monotonic() > self._deadline:
                    return
                for ask in asked_of_gateway(number, self.platform.url):
                    self._exchange(gateway, ask)
                for ask in asked_of_server(number):
                    self._exchange(server, ask)
                if number < PASSWORDS:
                    form = urlencode({"login": f"{number}{LONG[:200]}@example.com", "password": LONG}).encode()
                    with closing(self._to_gateway(number + 1)) as other:
                        self._exchange(other, ("POST", login, form, {"Content-Type": FORM}))

    def _exchange(self, connection: http.client.HTTPConnection, ask: Ask) -> None:
        try:
            connection.request(*ask)
            answer = connection.getresponse()
            answer.read()
            self.answered[answer.status] += 1
        except (OSError, http.client.HTTPException):  # it refused the body before all of it was sent
            connection.close()
            self.answered[0] += 1

    def _to_gateway(self, last: int = 0) -> http.client.HTTPConnection:
        place = urlsplit(self.platform.url)
        return http.client.HTTPConnection("127.0.0.1", place.port, timeout=60, source_address=(SOURCE % last, 0))

    def _to_server(self) -> http.client.HTTPConnection:
        port, trusting = self.platform.api.port, ssl.create_default_context(cafile=str(self.platform.api.ca))
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=trusting)


def login_page(connection: http.client.HTTPConnection) -> str:
    """The address that the form is sent to."""
    path = "/"
    while "/login" not in path:
        connection.request("GET", path, headers={"Accept": "text/html"})
        answer = connection.getresponse()
        answer.read()
        found = urlsplit(answer.getheader("Location", ""))
        path = f"{found.path}?{found.query}"
    return path


def bytes_in(folder: Path) -> dict[str, int]:
    """The size of each file below a folder."""
    found: dict[str, int] = {}
    for path in folder.rglob("*"):
        try:
            if path.is_file() and not path.is_symlink():
                found[str(path.relative_to(folder))] = path.stat().st_size
        except FileNotFoundError:
            continue
    return found


def test_a_flood_of_requests_of_nobody_leaves_the_disk_alone(platform: Platform) -> None:
    before, flood = bytes_in(platform.data_dir), Flood(platform)

    flood.run()

    after = bytes_in(platform.data_dir)
    grown = {name: size - before.get(name, 0) for name, size in after.items() if size > before.get(name, 0)}
    assert flood.answered.total() >= FEWEST
    assert all(302 <= status < 500 for status in flood.answered), flood.answered
    largest = sorted(grown.items(), key=lambda item: -item[1])[:5]
    logged = sum(size for name, size in grown.items() if name.startswith("logs/"))
    assert logged < MOST_LOGGED, largest
    assert sum(grown.values()) - logged < MOST_KEPT, largest
    assert platform.is_healthy()
    assert platform.is_api_ready()
