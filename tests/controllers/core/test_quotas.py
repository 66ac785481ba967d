from typing import Any

import pytest
from tests.kube.live import managed, until

from windlass.apis.core_v1 import (
    ConfigMap,
    Container,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    Pod,
    PodSpec,
    PodStatus,
    ResourceQuota,
    ResourceQuotaSpec,
    ResourceRequirements,
    ScopedSelectorRequirement,
    ScopeSelector,
    Service,
    ServicePort,
    ServiceSpec,
)
from windlass.controllers.core import quotas
from windlass.controllers.core.quota_usage import Contents, used
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta


def a_container(cpu: str = "", *, restarts: bool = False, **more: Any) -> Container:
    resources = ResourceRequirements(requests={"cpu": cpu} if cpu else {}, **more)
    return Container(name="c", image="i", resources=resources, restart_policy="Always" if restarts else None)


def a_pod(*containers: Container, init: Any = (), phase: str = "Running", **spec: Any) -> Pod:
    return Pod(
        spec=PodSpec(containers=list(containers), init_containers=list(init), **spec), status=PodStatus(phase=phase)
    )


def a_quota(*hard: str, **spec: Any) -> ResourceQuota:
    return ResourceQuota(spec=ResourceQuotaSpec(hard=dict.fromkeys(hard, "10"), **spec))


@pytest.mark.parametrize(
    ("pod", "cpu"),
    [
        (a_pod(a_container("100m"), a_container("200m")), "300m"),
        (a_pod(a_container("100m"), init=[a_container("1")]), "1"),
        (a_pod(a_container("100m"), init=[a_container("50m", restarts=True), a_container("20m")]), "150m"),
        (a_pod(a_container("100m"), init=[a_container("50m", restarts=True), a_container("1")]), "1050m"),
        (a_pod(a_container("100m"), overhead={"cpu": "10m"}), "110m"),
        (a_pod(a_container("100m"), phase="Succeeded"), "0"),
    ],
)
def test_a_pod_counts_what_it_needs_at_its_hungriest(pod: Pod, cpu: str) -> None:
    assert used(a_quota("requests.cpu", "cpu"), Contents(pods=[pod])) == {"requests.cpu": cpu, "cpu": cpu}


def test_limits_extended_resources_and_counts() -> None:
    pod = a_pod(a_container(limits={"memory": "1Gi", "nvidia.com/gpu": 2}))
    pod = a_pod(Container(name="c", resources=ResourceRequirements(
        limits={"memory": "1Gi"}, requests={"nvidia.com/gpu": 2}
    )))  # fmt: skip
    done = a_pod(a_container(), phase="Failed")
    quota = a_quota("limits.memory", "requests.nvidia.com/gpu", "pods", "count/pods", "secrets", "count/jobs.batch")

    assert used(quota, Contents(pods=[pod, done], counts={"secrets": 4, "jobs.batch": 1})) == {
        "limits.memory": "1Gi",
        "requests.nvidia.com/gpu": "2",
        "pods": "1",
        "count/pods": "2",
        "secrets": "4",
        "count/jobs.batch": "1",
    }


def test_services_and_claims() -> None:
    plain = Service(spec=ServiceSpec(ports=[ServicePort(port=1)]))
    balanced = Service(spec=ServiceSpec(type="LoadBalancer", ports=[ServicePort(port=1), ServicePort(port=2)]))
    claims = [
        PersistentVolumeClaim(
            spec=PersistentVolumeClaimSpec(
                storage_class_name=name, resources=ResourceRequirements(requests={"storage": "1Gi"})
            )
        )
        for name in ("fast", "slow")
    ]
    quota = a_quota(
        "services",
        "services.loadbalancers",
        "services.nodeports",
        "persistentvolumeclaims",
        "requests.storage",
        "fast.storageclass.storage.k8s.io/requests.storage",
    )

    assert list(used(quota, Contents(services=[plain, balanced], claims=claims)).values()) == [
        "2", "1", "2", "2", "2Gi", "1Gi",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scope", "pods"),
    [
        ({"scopes": ["BestEffort"]}, "1"),
        ({"scopes": ["NotBestEffort"]}, "2"),
        ({"scopes": ["Terminating"]}, "1"),
        ({"scopes": ["NotTerminating"]}, "2"),
        ({"scope_selector": ScopeSelector(match_expressions=[
            ScopedSelectorRequirement(scope_name="PriorityClass", operator="In", values=["high"])
        ])}, "1"),
    ],
)  # fmt: skip
def test_a_scope_narrows_which_pods_count(scope: Any, pods: str) -> None:
    contents = Contents(
        pods=[
            a_pod(a_container()),
            a_pod(a_container("1"), active_deadline_seconds=5),
            a_pod(a_container("1"), priority_class_name="high"),
        ]
    )

    assert used(a_quota("pods", **scope), contents) == {"pods": pods}


async def test_used_follows_what_is_in_the_namespace(client: Client, room: str) -> None:
    hard: Any = {"configmaps": "5", "count/serviceaccounts": "3"}
    quota = ResourceQuota(metadata=ObjectMeta(name="q", namespace=room), spec=ResourceQuotaSpec(hard=hard))
    await client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=room)))
    async with managed(client, quotas.CONTROLLER):
        await client.create(quota)

        async def used_maps(count: str) -> bool:
            return (await client.get(ResourceQuota, "q", room)).status.used.get("configmaps") == count

        await until(lambda: used_maps("1"))
        await client.create(ConfigMap(metadata=ObjectMeta(name="b", namespace=room)))
        await until(lambda: used_maps("2"))
        await client.delete(KINDS.of(ConfigMap), Key(room, "a"))
        await until(lambda: used_maps("1"))
        status = (await client.get(ResourceQuota, "q", room)).status
        assert status.hard == hard
        assert status.used == {"configmaps": "1", "count/serviceaccounts": "0"}
