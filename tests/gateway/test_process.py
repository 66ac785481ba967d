"""The gateway as a process: where it listens, how it stops, and that it comes back."""

import os
import signal
import socket
import time
from pathlib import Path

import requests

from tests.gateway.platform import Platform
from tests.support import eventually


def test_up_and_status_say_where_the_gateway_is(platform: Platform) -> None:
    assert f"Gateway     {platform.url}" in platform.output
    assert f"gateway     {platform.url}" in platform.windlass("status").stdout


def test_health_is_open_to_everyone(platform: Platform) -> None:
    answer = requests.get(f"{platform.url}/healthz", timeout=10)

    assert (answer.status_code, answer.text) == (200, "ok")


def test_a_killed_gateway_is_back_within_two_seconds(platform: Platform) -> None:
    restarts = next(one["restarts"] for one in platform.state["components"] if one["name"] == "gateway")
    began = time.monotonic()
    platform.kill_gateway()
    took = time.monotonic() - began

    assert next(one["restarts"] for one in platform.state["components"] if one["name"] == "gateway") == restarts + 1
    assert took < 2 * load_factor(), f"{took:.1f} s"


def load_factor() -> float:
    """How much slower a busy machine may be: the runnable processes for each processor."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_sigterm_ends_the_gateway_in_good_order_and_another_takes_over(platform: Platform) -> None:
    old, logged = platform.pid("gateway"), platform.end_of_log()
    os.kill(old, signal.SIGTERM)
    eventually(lambda: platform.pid("gateway") not in (0, old) and platform.is_healthy(), 30, "another gateway")

    assert "Traceback" not in platform.log_after(logged)


def test_a_taken_port_is_named_with_who_has_it(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = Platform(tmp_path).windlass("up", "--port=0", f"--gateway-port={port}")

    assert done.returncode == 1
    assert f"port {port} is taken by pid {os.getpid()}" in done.stderr
    assert "windlass up --gateway-port " in done.stderr


def test_the_gateway_reads_everything_acts_for_people_and_changes_nothing_itself(platform: Platform) -> None:
    """One watch of a kind serves all pages, Secrets hold the tokens of notebooks: docs/security.md says why."""
    token = (platform.data_dir / "credentials" / "gateway.token").read_text()
    api, ours = platform.api, "/api/v1/namespaces/default"
    platform.api.create(f"{ours}/secrets", {"metadata": {"name": "by-name"}})
    new = {"apiVersion": "v1", "metadata": {"name": "x"}}
    pod = {**new, "kind": "Pod", "spec": {"containers": [{"name": "c", "image": "i"}]}}
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}

    for path in ("/api/v1/services", "/api/v1/pods", "/api/v1/secrets", "/apis/kubeflow.org/v1/notebooks"):
        assert api.request("GET", path, token=token).status == 200, path
    for method, path, body in (
        ("GET", f"{ours}/secrets/by-name", None),
        ("POST", f"{ours}/secrets", {**new, "kind": "Secret"}),
        ("DELETE", f"{ours}/secrets/by-name", None),
        ("POST", f"{ours}/pods", pod),
        ("DELETE", f"{ours}/pods/x", None),
        ("POST", f"{ours}/pods/x/exec?command=sh", None),
        ("POST", f"{ours}/serviceaccounts/default/token", {"kind": "TokenRequest", "spec": {}}),
        ("POST", roles, {**new, "kind": "ClusterRoleBinding", "roleRef": role}),
        ("DELETE", "/apis/kubeflow.org/v1/namespaces/default/notebooks/x", None),
    ):
        assert api.request(method, path, body, token=token).status == 403, (method, path)
    as_ann = {"Impersonate-User": "ann@example.com"}
    assert api.request("GET", "/api/v1/services", token=token, headers=as_ann).status == 403
