"""A whole Windlass with a signed-in user and a route to the backend, for the time of a benchmark."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

WINDLASS = (sys.executable, "-P", "-m", "windlass")
EMAIL, PASSWORD, NAMESPACE = "bench@example.com", "a long password", "bench"
PATH = f"/notebook/{NAMESPACE}/lab/"


def own_address() -> str:
    """An address of this machine that is not loopback: the API refuses endpoints on loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])


def shows_login(page: requests.Response) -> bool:
    return 'id="login"' in page.text


@dataclass
class Platform:
    folder: Path
    command: tuple[str, ...] = WINDLASS
    first_page_after: float = 0.0
    """Seconds from the command to the login page, or to another one that was waited for."""

    @property
    def state(self) -> dict[str, Any]:
        return json.loads((self.folder / "run" / "state.json").read_text())

    @property
    def url(self) -> str:
        return self.state["gateway_url"]

    def pids(self) -> dict[str, int]:
        found = {part["name"]: part["pid"] for part in self.state["components"]}
        return {"supervisor": self.state["pid"], **found}

    def helpers(self) -> list[int]:
        """Processes that the node agent has started, without any pod."""
        node = self.pids()["node"]
        return [int(pid) for pid in Path(f"/proc/{node}/task/{node}/children").read_text().split()]

    def windlass(self, *words: str, stdin: str = "") -> str:
        environment = {**os.environ, "WINDLASS_DATA_DIR": str(self.folder)}
        done = subprocess.run([*self.command, *words], input=stdin, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(f"windlass {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(
        self, session: requests.Session | None = None, is_awaited: Callable[[requests.Response], bool] = shows_login
    ) -> None:
        """Start Windlass, and wait for a page: by default the one that a visitor without a session sees."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        began = time.monotonic()
        environment = {**os.environ, "WINDLASS_DATA_DIR": str(self.folder)}
        process = subprocess.Popen(
            [*self.command, "up", "--detach", "--port=0", f"--gateway-port={port}"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while True:
            try:
                if is_awaited((session or requests).get(f"http://127.0.0.1:{port}/", timeout=5)):
                    break
            except requests.RequestException:
                pass
            if time.monotonic() - began > 60:
                raise RuntimeError("no page within a minute")
            time.sleep(0.02)
        self.first_page_after = time.monotonic() - began
        if process.wait(120):
            raise RuntimeError("windlass up failed")

    def stop(self) -> None:
        self.windlass("down")
        shutil.rmtree(self.folder, ignore_errors=True)

    def sign_in(self) -> requests.Session:
        self.windlass("user", "add", EMAIL, "--password-stdin", stdin=f"{PASSWORD}\n")
        return self.log_in()

    def log_in(self) -> requests.Session:
        """By the form, as a browser does."""
        session = requests.Session()
        page = session.get(f"{self.url}/", timeout=30)
        action = re.search(r'<form method="post" action="([^"]+)"', page.text)
        assert action is not None
        session.post(page.url, data={"login": EMAIL, "password": PASSWORD}, timeout=30)
        return session

    def route_to(self, address: str, port: int) -> None:
        """A stopped notebook, whose Service gets the backend as its only endpoint."""
        self.apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "RoleBinding",
                "metadata": {"name": "bench", "namespace": NAMESPACE},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kubeflow-edit"},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": EMAIL}],
            },
            notebook("lab"),
            {
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {
                    "name": "lab-bench",
                    "namespace": NAMESPACE,
                    "labels": {"kubernetes.io/service-name": "lab"},
                },
                "addressType": "IPv4",
                "ports": [{"name": "http-lab", "port": port, "protocol": "TCP"}],
                "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
            },
        )

    def apply(self, *objects: dict[str, Any]) -> None:
        manifest = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kubectl("apply", "--server-side", "-f", "-", stdin=manifest)

    def kubectl(self, *words: str, stdin: str = "") -> None:
        kubectl = shutil.which("kubectl")
        if kubectl is None:
            raise RuntimeError("kubectl is not on the PATH")
        command = [kubectl, "--kubeconfig", str(self.folder / "kubeconfig"), *words]
        done = subprocess.run(command, input=stdin, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(done.stderr)


def notebook(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "annotations": {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"},
        },
        "spec": {"template": {"spec": {"containers": [{"name": name, "image": "jupyter-scipy"}]}}},
    }


def resident_mib(pid: int) -> float:
    """Resident memory of a process, with what it shares."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
