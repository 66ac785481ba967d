"""Programs that find and reach each other: services, names, rolling updates, network policies."""

import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.node.pods import PYTHON, Object, PodShell, container, named, pod, service, template
from tests.support import eventually

pytestmark = pytest.mark.kubectl

SERVER = """
import http.server, os, signal, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{os.environ['SAYS']} {os.environ['HOSTNAME']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("", 8080), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
"""


def web(says: str = "one", **more: Any) -> Object:
    """A server that says something and its host's name."""
    probe = {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 1}
    return {
        "name": "main",
        "image": PYTHON,
        "command": ["python", "-c", SERVER],
        "env": [{"name": "SAYS", "value": says}],
        "ports": [{"containerPort": 8080}],
        "readinessProbe": probe,
        **more,
    }


def deployment(name: str, *containers: Object, replicas: int = 1, **spec: Any) -> Object:
    return named(
        "Deployment", name, "apps/v1",
        spec={
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": template(name, *containers, terminationGracePeriodSeconds=10),
            **spec,
        },
    )  # fmt: skip


def fetch(url: str, within: float = 30.0) -> str:
    with urllib.request.urlopen(url, timeout=within) as answer:
        return answer.read().decode()


def asker(name: str = "asker") -> Object:
    return pod(name, container(image=PYTHON))


def ask(kubectl: PodShell, asker: str, url: str, within: float = 20.0) -> str:
    """What a pod is answered; "" if it is not."""
    program = f"import urllib.request as u; print(u.urlopen('{url}', timeout={within}).read().decode(), end='')"
    done = kubectl.run(f'exec {asker} -- python -c "{program}"')
    return done.stdout if done.returncode == 0 else ""


def answered(kubectl: PodShell, asker: str, url: str, wanted: str) -> None:
    """Wait until a pod gets an answer."""
    eventually(lambda: wanted in ask(kubectl, asker, url), 90, f"{asker} is answered by {url}")


class Visitor:
    """Asks again and again, and remembers what went wrong."""

    def __init__(self, url: str) -> None:
        self.url, self.heard, self.failures = url, [], []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self._stop.is_set():
            try:
                self.heard.append(fetch(self.url))
            except OSError as error:
                self.failures.append(str(error))
            self._stop.wait(0.01)

    @contextmanager
    def visiting(self) -> Iterator["Visitor"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            self._thread.join(60)


def test_a_rolling_update_and_its_undoing_fail_no_request(kubectl: PodShell) -> None:
    slow_goodbye = {"preStop": {"exec": {"command": ["sleep", "5"]}}}
    gently = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}
    kubectl.apply(
        deployment("web", web(lifecycle=slow_goodbye), replicas=3, strategy=gently),
        service("web", type="NodePort"),
    )
    kubectl("rollout status deployment/web --timeout=120s")
    port = kubectl.get("services/web")["spec"]["ports"][0]["nodePort"]
    url = f"http://127.0.0.1:{port}/"
    eventually(lambda: answers(url), 60, "the node port")

    with Visitor(url).visiting() as visitor:
        eventually(lambda: len({said.split()[1] for said in visitor.heard}) == 3, 60, "all three are asked")
        kubectl("set env deployment/web SAYS=two")
        kubectl("rollout status deployment/web --timeout=120s")
        eventually(lambda: visitor.heard[-1].startswith("two"), 60, "the new version")
        kubectl("rollout undo deployment/web")
        kubectl("rollout status deployment/web --timeout=120s")
        eventually(lambda: all(said.startswith("one") for said in visitor.heard[-20:]), 60, "the old version")

    assert visitor.failures == []
    assert len(visitor.heard) > 100
    history = kubectl("rollout history deployment/web").split()
    assert ("2" in history, "3" in history) == (True, True)


def answers(url: str) -> bool:
    try:
        return bool(fetch(url))
    except OSError:
        return False


def test_two_pods_serve_the_same_port_and_a_service_spreads_over_the_ready_ones(kubectl: PodShell) -> None:
    gate = {"exec": {"command": ["test", "-e", "/tmp/open"]}, "periodSeconds": 1, "timeoutSeconds": 20}
    kubectl.apply(
        *(pod(name, web(name, readinessProbe=gate), labels={"app": "web"}) for name in ("red", "blue")),
        service("web"),
        asker(),
    )
    addresses = [kubectl.phase(name, "Running")["status"]["podIP"] for name in ("red", "blue")]
    kubectl.ready("asker")
    for name, address in zip(("red", "blue"), addresses, strict=True):
        answered(kubectl, "asker", f"http://{address}:8080", f"{name} {name}")
    assert ask(kubectl, "asker", "http://web") == ""

    kubectl("exec red -- touch /tmp/open")
    kubectl.ready("red")
    answered(kubectl, "asker", "http://web", "red red")
    assert {ask(kubectl, "asker", "http://web") for _ in range(5)} == {"red red"}

    kubectl("exec blue -- touch /tmp/open")
    answered(kubectl, "asker", "http://web", "blue blue")
    assert ask(kubectl, "asker", f"http://web.{kubectl.namespace}.svc.cluster.local") in ("red red", "blue blue")


def test_the_pods_of_a_stateful_set_have_names(kubectl: PodShell) -> None:
    everywhere = f"db.{kubectl.namespace}.svc.cluster.local"
    kubectl.apply(
        service("db", clusterIP="None", port=8080),
        named(
            "StatefulSet", "db", "apps/v1",
            spec={
                "serviceName": "db",
                "replicas": 2,
                "selector": {"matchLabels": {"app": "db"}},
                "template": template("db", web()),
            },
        ),
        asker(),
        named("Service", "elsewhere", spec={"type": "ExternalName", "externalName": everywhere}),
    )  # fmt: skip
    kubectl("rollout status statefulset/db --timeout=120s")
    kubectl.ready("asker")

    for ordinal in (0, 1):
        for name in (f"db-{ordinal}.db", f"db-{ordinal}.{everywhere}"):
            answered(kubectl, "asker", f"http://{name}:8080", f"one db-{ordinal}")
    addresses = {each["status"]["podIP"] for each in kubectl.pods("app=db")}
    assert set(resolved(kubectl, "asker", "db")) == addresses
    assert set(resolved(kubectl, "asker", "elsewhere")) == addresses
    assert kubectl("exec db-1 -- hostname -f") == f"db-1.{everywhere}"


def resolved(kubectl: PodShell, asker: str, name: str) -> list[str]:
    return [line.split()[0] for line in kubectl(f"exec {asker} -- getent ahostsv4 {name}").splitlines()]


def test_a_network_policy_denies_and_then_allows(kubectl: PodShell) -> None:
    kubectl.apply(pod("web", web()), service("web"), asker("friend"), asker("stranger"))
    for name in ("web", "friend", "stranger"):
        kubectl.ready(name)
    for name in ("friend", "stranger"):
        answered(kubectl, name, "http://web", "one")

    policy: Object = {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress"]}
    kubectl.apply(named("NetworkPolicy", "web", "networking.k8s.io/v1", spec=policy))
    eventually(lambda: not ask(kubectl, "friend", "http://web", 2), 60, "nobody is answered")
    assert ask(kubectl, "stranger", "http://web", 2) == ""

    allowed = {"from": [{"podSelector": {"matchLabels": {"app": "friend"}}}], "ports": [{"port": 8080}]}
    kubectl.apply(named("NetworkPolicy", "web", "networking.k8s.io/v1", spec={**policy, "ingress": [allowed]}))
    answered(kubectl, "friend", "http://web", "one")
    assert ask(kubectl, "stranger", "http://web", 2) == ""

    kubectl("delete networkpolicy web")
    answered(kubectl, "stranger", "http://web", "one")


def test_programs_find_services_in_their_environment(kubectl: PodShell) -> None:
    kubectl.apply(service("web", port=80))
    address = kubectl.get("services/web")["spec"]["clusterIP"]
    kubectl.apply(asker())
    kubectl.ready("asker")

    told = dict(line.split("=", 1) for line in kubectl("exec asker -- env").splitlines() if "=" in line)

    assert told["WEB_SERVICE_HOST"] == address
    assert told["WEB_SERVICE_PORT_HTTP"] == "80"
    assert told["KUBERNETES_SERVICE_PORT"] == "443"
