"""Pods as plain processes share the loopback of the machine: a server there answers the gateway, and no other pod."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.notebooks.desk import Desk, desk_of_a_person
from tests.e2e.notebooks.test_jupyter import IMAGE as JUPYTER
from tests.e2e.notebooks.test_other_servers import a_notebook
from tests.e2e.notebooks.test_tensorboard import BOARD, CLAIM, VIEWER
from tests.e2e.notebooks.test_tensorboard import IMAGE as TENSORBOARD
from tests.e2e.training.images import kept_images, puller
from tests.gateway.platform import Platform
from tests.support import KUBECTL
from windlass.node import images

LAB = """
apiVersion: kubeflow.org/v1
kind: Notebook
metadata: {name: lab}
spec: {template: {spec: {containers: [{name: lab, image: %s}]}}}
"""
OF_VIEWER = {"app.kubernetes.io/name": "logs"}
LINKS = [Path("/data"), Path("/tensorboard_logs")]
pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.skipif(
        not os.access("/", os.W_OK) or any(link.exists() for link in LINKS),
        reason="volumes of plain processes are links in /, which cannot be made here",
    ),
    pytest.mark.timeout(900),
]

# In the place of code-server, which is rarely installed: answers on its Unix socket.
CODE_SERVER = """#!/usr/bin/env python3
import http.server, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def address_string(self): return ""
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"code")
socketserver.ThreadingUnixStreamServer(sys.argv[sys.argv.index("--socket") + 1], Handler).serve_forever()
"""
# Asks for each URL as the gateway would, but without the token; prints the codes.
INTRUDER = """
import json, ssl, sys, urllib.error, urllib.request
unchecked = ssl._create_unverified_context()
claims = {"kubeflow-userid": "ada@example.com", "x-windlass-may-write": "true", "x-forwarded-for": "127.0.0.1"}
codes = {}
for url in sys.argv[1:]:
    try:
        request = urllib.request.Request(url, headers=claims)
        codes[url] = urllib.request.urlopen(request, timeout=20, context=unchecked).status
    except urllib.error.HTTPError as error:
        codes[url] = error.code
print(json.dumps(codes))
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    home = tmp_path_factory.mktemp("loopback")
    program = home / "code-server"
    program.write_text(CODE_SERVER)
    program.chmod(0o755)
    running = Platform(home, ["--runtime", "process", "--images-dir", str(kept_images())])
    running.up()
    (running.data_dir / "images.yaml").write_text(yaml.safe_dump({"images": [rule_with(program)]}))
    yield running
    running.windlass("down")  # which, unless it has to kill, removes the links


def rule_with(code_server: Path) -> dict[str, Any]:
    """The rule of code-server's images, for a program at this path."""
    rules = yaml.safe_load(Path(images.__file__).with_name("builtin.yaml").read_text())["images"]
    rule = next(rule for rule in rules if rule.get("programs") == ["code-server"])
    words = [str(code_server) if word == "code-server" else word for word in rule["entrypoint"]]
    return {"image": "codeserver", "python": "3", "files": rule["files"], "entrypoint": words, "env": rule["env"]}


@pytest.fixture(scope="module")
def pulled(platform: Platform) -> Callable[[str], None]:
    return puller(platform, kept_images())


@pytest.fixture
def other(platform: Platform) -> Iterator[Desk]:
    with desk_of_a_person(platform) as desk:
        yield desk


SERVERS = (("notebook", "lab"), ("notebook", "code"), ("tensorboard", "board"), ("pvcviewer", "logs"))


def pod_address(desk: Desk, **labels: str) -> str:
    (pod,) = desk.find("pods", **labels)
    return pod["status"]["podIP"]


def codes_of(desk: Desk, urls: list[str]) -> dict[str, int]:
    """What a pod of this namespace is answered at each URL."""
    container: dict[str, Any] = {"name": "intruder", "image": "python:3", "command": ["python3", "-c", INTRUDER, *urls]}
    spec = {"restartPolicy": "Never", "containers": [container]}
    desk.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "intruder"}, "spec": spec})
    desk.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/intruder", "--timeout=90s")
    return json.loads(desk.kubectl("logs", "intruder"))


@pytest.fixture
def servers(desk: Desk, pulled: Callable[[str], None]) -> dict[str, str]:
    """A server of each kind that is ready: its path at the gateway, and the same at its own port."""
    pulled(JUPYTER)
    pulled(TENSORBOARD)
    desk.apply(CLAIM, BOARD, VIEWER, LAB % JUPYTER, a_notebook("code", "group-one", {}, image="codeserver"))
    for kind, name in SERVERS:
        desk.until_ready(kind, name)
    namespace = desk.namespace
    contents = f"/notebook/{namespace}/lab/api/contents"
    return {
        contents: f"http://{pod_address(desk, statefulset='lab')}:8888{contents}",
        f"/notebook/{namespace}/code/": f"http://{pod_address(desk, statefulset='code')}:8888/",
        f"/tensorboard/{namespace}/board/data/runs": f"http://{pod_address(desk, app='board')}:6006/data/runs",
        f"/pvcviewers/{namespace}/logs/api/list?path=": f"http://{pod_address(desk, **OF_VIEWER)}:8080/api/list?path=",
    }


def test_a_pod_of_another_namespace_is_refused_where_the_gateway_gets_through(
    desk: Desk, other: Desk, servers: dict[str, str]
) -> None:
    for (kind, name), path in zip(SERVERS, servers, strict=True):
        desk.opened(kind, name, path)
    platform = desk.platform
    node = platform.api.get("/api/v1/nodes")["items"][0]["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"]
    internal = [
        f"{platform.state['url']}/api/v1/namespaces/{desk.namespace}/secrets",
        f"https://127.0.0.1:{node}/pods",
        f"{platform.url}/jupyter/api/namespaces/{desk.namespace}/notebooks",
    ]

    codes = codes_of(other, [*servers.values(), *internal])

    assert {url: codes[url] for url in servers.values()} == dict.fromkeys(servers.values(), 403)
    assert {url: codes[url] for url in internal} == dict.fromkeys(internal, 401)
