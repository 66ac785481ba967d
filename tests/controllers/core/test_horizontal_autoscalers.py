from typing import Any

from tests.kube.live import managed, until
from windlass.apis.apps_v1 import Deployment
from windlass.apis.autoscaling_v2 import HorizontalPodAutoscaler
from windlass.apis.core_v1 import Event, Pod, ServiceAccount
from windlass.controllers.core import custom_resources, horizontal_autoscalers
from windlass.kube.client import Client
from windlass.kube.conditions import find
from windlass.kube.errors import ApiError
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta

METRICS: Any = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": "pods.metrics.k8s.io",
        "annotations": {"api-approved.kubernetes.io": "unapproved, stands in for the metrics server"},
    },
    "spec": {
        "group": "metrics.k8s.io",
        "scope": "Namespaced",
        "names": {"plural": "pods", "singular": "pod", "kind": "PodMetrics", "listKind": "PodMetricsList"},
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


async def a_deployment(client: Client, room: str) -> None:
    """A deployment of one pod that asks for a tenth of a core."""
    labels = {"app": "web"}
    container: Any = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}
    template: Any = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    meta = {"name": "web", "namespace": room}
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    await client.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec})
    pod_meta = {"name": "web-1", "namespace": room, "labels": labels}
    await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": pod_meta, "spec": template["spec"]})
    long_ago = "2026-01-01T00:00:00Z"
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": long_ago}
    status = {"phase": "Running", "startTime": long_ago, "conditions": [ready]}
    await client.set_status(KINDS.of(Pod), Key(room, "web-1"), status)


async def an_autoscaler(client: Client, room: str, metric: Any) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 8, "metrics": [metric]}
    meta = {"name": "web", "namespace": room}
    await client.create(
        {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": meta, "spec": spec}
    )


async def condition(client: Client, room: str, type: str) -> tuple[str, str, str]:
    found = find((await client.get(HorizontalPodAutoscaler, "web", room)).status.conditions, type)
    return (found.status, found.reason, found.message) if found is not None else ("", "", "")


async def test_a_busy_deployment_gets_more_replicas(client: Client, room: str) -> None:
    await a_deployment(client, room)
    async with managed(client, custom_resources.CONTROLLER, horizontal_autoscalers.CONTROLLER):
        await client.create(METRICS)
        usage: Any = {
            "apiVersion": "metrics.k8s.io/v1beta1",
            "kind": "PodMetrics",
            "metadata": {"name": "web-1", "namespace": room, "labels": {"app": "web"}},
            "timestamp": timestamp(),
            "window": "30s",
            "containers": [{"name": "c", "usage": {"cpu": "150m"}}],
        }

        async def measured() -> bool:
            try:
                await client.create(usage)
            except ApiError:
                return False
            return True

        try:
            await until(measured)
            target = {"type": "Utilization", "averageUtilization": 50}
            await an_autoscaler(client, room, {"type": "Resource", "resource": {"name": "cpu", "target": target}})

            async def scaled() -> bool:
                return (await client.get(Deployment, "web", room)).spec.replicas == 3

            await until(scaled)

            async def told() -> bool:
                return (await condition(client, room, "AbleToScale"))[1] == "SucceededRescale"

            await until(told)
            status = (await client.get(HorizontalPodAutoscaler, "web", room)).status
            assert (status.current_replicas, status.desired_replicas) == (1, 3)
            current = {"averageUtilization": 150, "averageValue": "150m"}
            assert status.current_metrics == [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
            assert await condition(client, room, "ScalingActive") == (
                "True",
                "ValidMetricFound",
                "the HPA was able to successfully calculate a replica count from "
                "cpu resource utilization (percentage of request)",
            )

            async def recorded() -> bool:
                events = (await client.list(Event, room)).items
                return any(
                    event.reason == "SuccessfulRescale"
                    and event.message
                    == "New size: 3; reason: cpu resource utilization (percentage of request) above target"
                    for event in events
                )

            await until(recorded)
        finally:
            kind = await client.find_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
            await client.delete(kind, Key("", "pods.metrics.k8s.io"))


async def test_what_cannot_be_measured_is_told_and_nothing_scaled(client: Client, room: str) -> None:
    await a_deployment(client, room)
    async with managed(client, horizontal_autoscalers.CONTROLLER):
        target = {"type": "AverageValue", "averageValue": "10"}
        await an_autoscaler(client, room, {"type": "Pods", "pods": {"metric": {"name": "hits"}, "target": target}})

        async def failed() -> bool:
            return (await condition(client, room, "ScalingActive"))[:2] == ("False", "FailedGetPodsMetric")

        await until(failed)
        assert (await client.get(Deployment, "web", room)).spec.replicas == 1


async def test_a_missing_target_is_told(client: Client, room: str) -> None:
    async with managed(client, horizontal_autoscalers.CONTROLLER):
        target = {"type": "Utilization", "averageUtilization": 50}
        await an_autoscaler(client, room, {"type": "Resource", "resource": {"name": "cpu", "target": target}})

        async def failed() -> bool:
            return (await condition(client, room, "AbleToScale"))[:2] == ("False", "FailedGetScale")

        await until(failed)
        assert 'deployments.apps "web" not found' in (await condition(client, room, "AbleToScale"))[2]
