"""Servers that are not Jupyter: what they get of a request, and what is said where their program is missing."""

import json
import shutil
from typing import Any

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]

# A server that answers with what it was asked, in the place of code-server and of RStudio.
SERVER = """
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("0.0.0.0", 8888), Handler).serve_forever()
"""
ANNOTATIONS = "notebooks.kubeflow.org"


def a_notebook(name: str, kind: str, headers: dict[str, str], **container: Any) -> dict[str, Any]:
    """A Notebook as the web app makes it for a type of server."""
    annotations = {f"{ANNOTATIONS}/server-type": kind, f"{ANNOTATIONS}/http-rewrite-uri": "/"}
    if headers:
        annotations[f"{ANNOTATIONS}/http-headers-request-set"] = json.dumps(headers)
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": name, "labels": {"app": name}, "annotations": annotations},
        "spec": {"template": {"spec": {"containers": [{"name": name, **container}]}}},
    }


@pytest.mark.parametrize(("name", "kind"), [("code", "group-one"), ("rstudio", "group-two")])
def test_a_server_below_the_root_gets_its_path_and_headers(desk: Desk, name: str, kind: str) -> None:
    base = f"/notebook/{desk.namespace}/{name}/"
    headers = {"X-RStudio-Root-Path": base} if kind == "group-two" else {}
    server = {"image": "windlass/file-browser", "command": ["python3", "-c", SERVER]}
    desk.apply(a_notebook(name, kind, headers, **server))

    desk.opened("notebook", name, base)
    got = desk.browser.get(f"{base}static/a%20b.js?v=1", headers={"X-RStudio-Root-Path": "/forged/"}).json()

    assert got["path"] == "/static/a%20b.js?v=1"
    assert got["headers"]["kubeflow-userid"] == desk.person.email
    if headers:
        assert got["headers"]["x-rstudio-root-path"] == base


@pytest.mark.parametrize(
    ("image", "program", "install"),
    [
        ("kubeflownotebookswg/codeserver-python:v1.9.0", "code-server", "https://code-server.dev/install.sh"),
        ("kubeflownotebookswg/rstudio-tidyverse:v1.9.0", "rserver", "https://posit.co/download/rstudio-server/"),
    ],
)
def test_a_missing_program_is_named_with_the_way_to_install_it(
    desk: Desk, image: str, program: str, install: str
) -> None:
    if shutil.which(program):
        pytest.skip(f"{program} is installed here")
    desk.apply(a_notebook("missing", "group-one", {}, image=image))

    def waiting() -> dict[str, str]:
        return desk.get("notebook", "missing").get("status", {}).get("containerState", {}).get("waiting", {})

    eventually(lambda: waiting().get("reason") in ("ErrImagePull", "ImagePullBackOff"), 60, "the image's failure")
    assert program in waiting()["message"]
    assert install in waiting()["message"]
