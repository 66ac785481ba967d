"""Requests of http templates: the pod that makes them, and the condition on the response."""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.apps.pipelines.argo.simulation import Behaviour, End, Simulation
from tests.apps.pipelines.workflows import a_workflow
from windlass.apps.pipelines.argo.http_requests import PROGRAM, RESPONSE, as_script
from windlass.kube.json import Object


class Echo(BaseHTTPRequestHandler):
    """Answers the status that the path names, with what it was sent."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.send_response(int(self.path.strip("/")))
        self.end_headers()
        self.wfile.write(f"{self.command} {self.headers['X-Word']} {body}".encode())

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def url() -> object:
    server = HTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def requested(http: Object, folder: Path, **secrets: str) -> "subprocess.CompletedProcess[str]":
    script = as_script({"name": "h", "http": http})["script"]
    request = json.loads(script["env"][0]["value"])
    request["path"] = str(folder / "response")
    environment = {**os.environ, "HTTP_REQUEST": json.dumps(request), **secrets}
    words = [sys.executable, "-c", PROGRAM]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=30, check=False)


def test_the_program_sends_method_headers_and_body(url: str, tmp_path: Path) -> None:
    headers = [{"name": "X-Word", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]
    http = {"url": f"{url}/201", "method": "POST", "body": "hi", "headers": headers}

    done = requested(http, tmp_path, HTTP_HEADER_0="hidden")

    assert (done.returncode, done.stdout) == (0, "POST hidden hi")
    assert json.loads((tmp_path / "response").read_text())["statusCode"] == 201


def test_the_body_may_be_bytes(url: str, tmp_path: Path) -> None:
    done = requested({"url": f"{url}/200", "method": "POST", "bodyFrom": {"bytes": "aGkhCg=="}}, tmp_path)

    assert done.stdout == "POST None hi!\n"


def test_a_status_that_is_not_2xx_fails_unless_a_condition_decides(url: str, tmp_path: Path) -> None:
    plain = requested({"url": f"{url}/503"}, tmp_path)
    judged = requested({"url": f"{url}/503", "successCondition": "response.statusCode == 503"}, tmp_path)

    assert (plain.returncode, plain.stderr.strip()) == (1, "received non-2xx response code: 503")
    assert judged.returncode == 0


def test_a_server_that_does_not_answer_is_a_failure(tmp_path: Path) -> None:
    done = requested({"url": "http://127.0.0.1:1/"}, tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("GET http://127.0.0.1:1/: ")


def test_a_secret_header_is_not_in_the_request() -> None:
    secret = {"name": "s", "key": "k"}
    script = as_script({"http": {"url": "u", "headers": [{"name": "A", "valueFrom": {"secretKeyRef": secret}}]}})

    assert script["script"]["env"][1] == {"name": "HTTP_HEADER_0", "valueFrom": {"secretKeyRef": secret}}


def answering(status: int) -> Behaviour:
    response = json.dumps({"statusCode": status, "headers": {"A": ["b"]}})
    return lambda pod: End(parameters={RESPONSE: response}, result='{"ok": true}')


@pytest.mark.parametrize(
    ("condition", "phase"),
    [
        ("", "Succeeded"),
        ("response.statusCode == 404", "Succeeded"),
        ("response.statusCode < 400", "Failed"),
        ('response.body contains "ok"', "Succeeded"),
        ("response.nothing", "Failed"),
    ],
)
def test_the_condition_decides_about_the_node(condition: str, phase: str) -> None:
    http = {"url": "http://x", **({"successCondition": condition} if condition else {})}

    run = Simulation(a_workflow({"name": "h", "http": http}), answering(404)).run()

    assert run.phase == phase, run.nodes()
    assert run.node("")["outputs"]["result"] == '{"ok": true}'
    assert "parameters" not in run.node("")["outputs"]
