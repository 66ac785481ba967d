"""What the metrics APIs are asked, on a server of the test's own that stands where a metrics adapter would."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from windlass.controllers.core.autoscaling_counts import Tolerance
from windlass.controllers.core.autoscaling_metrics import Failed, Target, proposal_of
from windlass.kube.client import Client
from windlass.kube.kind import Kind
from windlass.kube.transport import HttpTransport

EXPRESSIONS = [{"key": "code", "operator": "NotIn", "values": ["500"]}]
SELECTOR = {"matchLabels": {"verb": "GET"}, "matchExpressions": EXPRESSIONS}
SELECTED = "code notin (500),verb=GET"
MISSING = "the server could not find the metric missing for deployments.apps web"
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "name": "another"}


@dataclass
class Adapter:
    """Serves one version of the custom metrics API, and the external one; remembers what it was asked."""

    version: str = "v1beta2"
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])

    async def answer(self, request: web.Request) -> web.Response:
        served = f"/apis/custom.metrics.k8s.io/{self.version}/", "/apis/external.metrics.k8s.io/v1beta1/"
        if not request.path.startswith(served):
            return _not_found("the server could not find the requested resource")
        if request.path.endswith("/missing"):
            return _not_found(MISSING)
        query = {name: value for name, value in request.query.items() if name != "limit"}
        self.asked.append((request.path.split("/", 3)[3], query))
        items = [{"describedObject": {"name": "web-1"}, "value": "30"}]
        return web.json_response({"kind": "MetricValueList", "metadata": {}, "items": items})


def _not_found(message: str) -> web.Response:
    told = {"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound", "message": message}
    return web.json_response(told, status=404)


class Metrics(Client):
    """Kinds are known without asking."""

    async def find_kind(self, api_version: str, kind: str) -> Kind:
        group, _, version = api_version.rpartition("/")
        return Kind(group=group, version=version, name=kind, plural=f"{kind.lower()}s")


@pytest.fixture
async def adapter() -> Adapter:
    return Adapter()


@pytest.fixture
async def api(adapter: Adapter, tmp_path: Path) -> AsyncIterator[Client]:
    app = web.Application()
    app.router.add_get("/{rest:.*}", adapter.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.UnixSite(runner, tmp_path / "api.sock").start()
    async with Metrics(HttpTransport("http://adapter", socket=tmp_path / "api.sock")) as client:
        yield client
    await runner.cleanup()


def a_target() -> Target:
    return Target("room", "app=web", 2, 2, [], Tolerance(0.1, 0.1), datetime(2026, 1, 1, tzinfo=UTC))


def a_metric(kind: str, name: str = "hits", **more: Any) -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": "10"}
    return {"type": kind, kind.lower(): {"metric": {"name": name, "selector": SELECTOR}, "target": target, **more}}


@pytest.mark.parametrize(
    ("metric", "path", "query"),
    [
        (
            a_metric("Object", describedObject=DEPLOYMENT),
            "v1beta2/namespaces/room/deployments.apps/web/hits",
            {"metricLabelSelector": SELECTED},
        ),
        (
            a_metric("Object", describedObject=NAMESPACE),
            "v1beta2/namespaces/room/metrics/hits",
            {"metricLabelSelector": SELECTED},
        ),
        (a_metric("External"), "v1beta1/namespaces/room/hits", {"labelSelector": SELECTED}),
    ],
)
async def test_a_metric_is_asked_for_with_its_selector(
    adapter: Adapter, api: Client, metric: Any, path: str, query: dict[str, str]
) -> None:
    proposal = await proposal_of(metric, a_target(), api)
    assert adapter.asked == [(path, query)]
    assert proposal.replicas == 3


async def test_metrics_of_pods_are_asked_for_with_both_selectors(adapter: Adapter, api: Client) -> None:
    await proposal_of(a_metric("Pods"), a_target(), api)
    query = {"labelSelector": "app=web", "metricLabelSelector": SELECTED}
    assert adapter.asked == [("v1beta2/namespaces/room/pods/*/hits", query)]


async def test_an_adapter_of_the_older_version_is_asked_too(adapter: Adapter, api: Client) -> None:
    adapter.version = "v1beta1"
    assert (await proposal_of(a_metric("Object", describedObject=DEPLOYMENT), a_target(), api)).replicas == 3
    assert [path for path, _ in adapter.asked] == ["v1beta1/namespaces/room/deployments.apps/web/hits"]


@pytest.mark.parametrize(
    ("version", "metric", "message"),
    [
        (
            "v1beta2",
            a_metric("Object", "missing", describedObject=DEPLOYMENT),
            f"unable to get object metric missing: {MISSING}",
        ),
        (
            "v9",
            a_metric("Object", describedObject=DEPLOYMENT),
            "unable to get object metric hits: no custom metrics API (custom.metrics.k8s.io) registered",
        ),
    ],
)
async def test_what_is_not_there_is_told(
    adapter: Adapter, api: Client, version: str, metric: Any, message: str
) -> None:
    adapter.version = version
    with pytest.raises(Failed) as failed:
        await proposal_of(metric, a_target(), api)
    assert (failed.value.reason, str(failed.value)) == ("FailedGetObjectMetric", message)
