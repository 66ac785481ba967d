"""The gateway is killed while people work behind it: sessions and notebooks outlive it."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import aiohttp
import pytest
import requests

from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(300),
]

NO_ANSWER = 0
BACK_WITHIN = 15.0
"""Seconds on a machine that is busy; tests/gateway/test_process.py measures it on an idle gateway."""
CLIENTS = 6

# Answers requests, and echoes what comes through a WebSocket, in the place of Jupyter.
SERVER = """
import base64, hashlib, http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        key = self.headers.get("Sec-WebSocket-Key")
        if key:
            return self.echo(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"here")
    def echo(self, proof):
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", "websocket")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(proof.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while (head := self.rfile.read(2)) and head[0] == 0x81:  # a short text; anything else ends it
            mask, text = self.rfile.read(4), self.rfile.read(head[1] & 0x7F)
            text = b"echo " + bytes(byte ^ mask[at % 4] for at, byte in enumerate(text))
            self.wfile.write(bytes([0x81, len(text)]) + text)
http.server.ThreadingHTTPServer(("0.0.0.0", 8888), Handler).serve_forever()
"""


def a_notebook(name: str) -> dict[str, Any]:
    server = {"name": name, "image": "windlass/file-browser", "command": ["python3", "-c", SERVER]}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"template": {"spec": {"containers": [server]}}},
    }


class Client(threading.Thread):
    """Asks for a page again and again, each time through a connection as the last one left it."""

    def __init__(self, url: str, cookies: dict[str, str], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.answers: list[int] = []
        self._url, self._cookies, self._stopping = url, cookies, stop

    def run(self) -> None:
        with requests.Session() as session:
            session.cookies.update(self._cookies)
            while not self._stopping.is_set():
                self.answers.append(self._ask(session))

    def _ask(self, session: requests.Session) -> int:
        """The status of an answer of the server."""
        try:
            answer = session.get(self._url, timeout=10, allow_redirects=False)
        except requests.RequestException:
            return NO_ANSWER
        return answer.status_code


@contextmanager
def load(url: str, cookies: dict[str, str]) -> Iterator[list[Client]]:
    stop = threading.Event()
    clients = [Client(url, cookies, stop) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        yield clients
    finally:
        stop.set()
        for client in clients:
            client.join(30)


def all_succeed_again(clients: list[Client], within: float) -> None:
    """Wait until each client has had an answer of the server since now."""
    seen = [len(client.answers) for client in clients]
    eventually(
        lambda: all(200 in client.answers[count:] for client, count in zip(clients, seen, strict=True)),
        within,
        "an answer to each client",
    )


def the_pod(desk: Desk, notebook: str) -> tuple[str, str, int]:
    """Name, uid and restarts of the pod of a notebook."""
    (pod,) = desk.find("pods", **{"notebook-name": notebook})
    restarts = sum(status["restartCount"] for status in pod["status"]["containerStatuses"])
    return pod["metadata"]["name"], pod["metadata"]["uid"], restarts


async def test_a_gateway_killed_under_load_comes_back_with_its_sessions_and_leaves_notebooks_alone(desk: Desk) -> None:
    platform, base = desk.platform, f"/notebook/{desk.namespace}/lab/"
    desk.apply(a_notebook("lab"))
    assert desk.opened("notebook", "lab", base).text == "here"
    before, cookies = the_pod(desk, "lab"), desk.browser.cookies
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()), "Origin": platform.url}
    url, socket_url = f"{platform.url}{base}", f"{platform.url}{base}ws"

    async with aiohttp.ClientSession() as session, session.ws_connect(socket_url, headers=headers) as link:
        await link.send_str("hello")
        assert await link.receive_str(timeout=10) == "echo hello"
        with load(url, cookies) as clients:
            all_succeed_again(clients, 30)
            killed_at = time.monotonic()
            platform.kill_gateway()
            all_succeed_again(clients, 30)
            took = time.monotonic() - killed_at
        closed = await link.receive(timeout=10)

    assert took < BACK_WITHIN, f"{took:.1f} s"
    assert closed.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)
    assert {answer for client in clients for answer in client.answers} <= {NO_ANSWER, 200, 502, 503}
    with closing(requests.Session()) as new:
        new.cookies.update(cookies)
        assert new.get(url, timeout=30).text == "here"
    assert desk.browser.cookies == cookies
    async with aiohttp.ClientSession() as session, session.ws_connect(socket_url, headers=headers) as link:
        await link.send_str("again")
        assert await link.receive_str(timeout=10) == "echo again"
    assert the_pod(desk, "lab") == before
