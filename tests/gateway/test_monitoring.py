"""Health without a login, metrics with the right to them, on a running platform."""

import re

import pytest
import requests

from tests.gateway.browser import a_person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.test_tokens import access_token
from tests.support import eventually
from windlass.gateway.login.paths import METRICS_PATHS, WEB_APPS
from windlass.gateway.metrics import GatewayMetrics, route_class

HEALTH = [f"{app}/healthz/{probe}" for app in WEB_APPS for probe in ("liveness", "readiness")]


@pytest.mark.parametrize("path", ["/healthz", "/kfam/", *HEALTH])
def test_health_is_answered_to_everyone_and_says_nothing_of_anyone(platform: Platform, path: str) -> None:
    browser = signed_in(platform, a_person(platform, f"health{path.replace('/', '-')}@example.com"))

    answer = requests.get(f"{platform.url}{path}", timeout=30, allow_redirects=False)

    assert answer.status_code == 200
    assert browser.get(path).content == answer.content, "also with a session"
    assert requests.post(f"{platform.url}{path}", timeout=30, allow_redirects=False).status_code in (404, 405)


@pytest.mark.parametrize("path", METRICS_PATHS)
def test_metrics_need_a_login_and_the_right(platform: Platform, path: str) -> None:
    person = a_person(platform, f"metrics{path.replace('/', '-')}@example.com")
    bearer = {"Authorization": f"Bearer {access_token(platform, person, '--name', 'metrics')}"}

    nobody = requests.get(f"{platform.url}{path}", timeout=30, allow_redirects=False)
    someone = requests.get(f"{platform.url}{path}", headers=bearer, timeout=30)

    assert (nobody.status_code, someone.status_code) == (401, 403)
    assert someone.text == f"403: {person.email} may not get /metrics\n"


def test_a_monitor_reads_requests_sessions_tunnels_and_latencies(platform: Platform) -> None:
    browser = signed_in(platform, a_person(platform, "monitor@example.com"))
    rbac = "rbac.authorization.k8s.io"
    binding = {
        "metadata": {"name": "monitor"},
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "system:monitoring"},
        "subjects": [{"apiGroup": rbac, "kind": "User", "name": "monitor@example.com"}],
    }
    platform.api.create(f"/apis/{rbac}/v1/clusterrolebindings", binding)
    eventually(lambda: browser.get("/metrics").status_code == 200, 30, "the right")
    before = sample(browser.get("/metrics").text, 'requests_total{code="404",method="GET",route="jupyter"}')
    assert browser.get("/jupyter/api/nowhere").status_code == 404

    answer = browser.get("/metrics")

    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    after = sample(answer.text, 'requests_total{code="404",method="GET",route="jupyter"}')
    assert after == before + 1
    assert sample(answer.text, "sessions") >= 1
    assert sample(answer.text, "open_tunnels") >= 0
    assert "windlass_gateway_proxy_duration_seconds" in answer.text


def sample(text: str, name: str) -> float:
    found = re.search(rf"^windlass_gateway_{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_labels_do_not_grow_with_what_clients_send() -> None:
    metrics = GatewayMetrics(sessions=lambda: 3, tunnels=lambda: 4)
    for number in range(50):
        metrics.answered(f"/{number}/x", f"METHOD{number}", 404)
        metrics.proxied(f"/notebook/ml/{number}/", 0.1)

    family = next(each for each in metrics.registry.collect() if each.name == "windlass_gateway_requests")
    labels = [each.labels for each in family.samples if each.name.endswith("_total")]
    assert labels == [{"route": "other", "method": "other", "code": "404"}]
    assert metrics.registry.get_sample_value("windlass_gateway_sessions") == 3
    assert metrics.registry.get_sample_value("windlass_gateway_open_tunnels") == 4
    count = "windlass_gateway_proxy_duration_seconds_count"
    assert metrics.registry.get_sample_value(count, {"route": "notebook"}) == 50
    assert [route_class(path) for path in ("/", "/volumes/api", "/volumesx")] == ["other", "volumes", "other"]
