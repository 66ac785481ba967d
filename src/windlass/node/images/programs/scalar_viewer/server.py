"""TensorBoard's place where its program cannot be had: curves of scalars, read-only, on the same port and paths.

The paths below `data/` are those of TensorBoard that this can answer, so that programs which ask it work unchanged.
"""

import argparse
import json
import math
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from windlass.formats.server_token import HEADER, HEALTH_PATH, REFUSAL, VARIABLE, is_gateway

from .runs import Runs

PORT = 6006
PAGES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
SCALARS = "/data/plugin/scalars"


def answer_of(runs: Runs, path: str, query: dict[str, list[str]]) -> Any:
    """The JSON at a path; None if there is nothing."""
    if path == "/data/runs":
        return list(runs.tags())
    if path == f"{SCALARS}/tags":
        text = {"displayName": "", "description": ""}
        return {run: dict.fromkeys(tags, text) for run, tags in runs.tags().items()}
    if path == f"{SCALARS}/scalars":
        points = runs.curve(query.get("run", ["."])[0], query.get("tag", [""])[0])
        # JSON has no NaN: such a value is a gap in the curve.
        return points and [(p.wall_time, p.step, p.value if math.isfinite(p.value) else None) for p in points]
    if path == "/data/problems":
        runs.tags()
        return runs.problems()
    return None


class Handler(BaseHTTPRequestHandler):
    """Serves one connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "windlass-scalars", ""
    timeout = 120
    runs: Runs
    token: str

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing for each request: the gateway does."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == HEALTH_PATH:
            return self._send(200, "text/plain", b"ok")
        if not is_gateway(self.token, self.headers.get(HEADER)):
            return self._send(403, "application/json", json.dumps({"error": REFUSAL}).encode())
        if url.path in PAGES:
            name, kind = PAGES[url.path]
            return self._send(200, f"{kind}; charset=utf-8", Path(__file__).with_name(name).read_bytes())
        found = answer_of(self.runs, url.path, parse_qs(url.query))
        status, body = (200, found) if found is not None else (404, {"error": "there is nothing at this address"})
        return self._send(status, "application/json", json.dumps(body).encode())

    do_HEAD = do_GET

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": kind,
            "content-length": str(len(body)),
            "content-security-policy": POLICY,
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser("tensorboard")
    parser.add_argument("--logdir", required=True)
    parser.add_argument("--port", type=int, default=PORT)
    options, _ = parser.parse_known_args(words)
    if "://" in options.logdir:
        parser.error(f"without TensorBoard only folders are read, not {options.logdir}")
    token = os.environ.get(VARIABLE, "")
    if not token:
        parser.error(f"{VARIABLE} is not set: without a token nobody could be admitted")
    # Without a network of its own the pod has an address of the machine's loopback.
    serve(Path(options.logdir), options.port, token, os.environ.get("WINDLASS_POD_IP", "0.0.0.0"))


def serve(folder: Path, port: int, token: str, host: str) -> None:
    handler = type("ViewerHandler", (Handler,), {"runs": Runs(folder), "token": token})
    ThreadingHTTPServer((host, port), handler).serve_forever()
