from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.core_v1 import (
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
from windlass.apis.quota_usage import (
    ZERO,
    Contents,
    Usage,
    add,
    pod_usage,
    service_usage,
    subtract,
    unspecified_resources,
    used,
)
from windlass.kube.quantity import Quantity


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
        (a_pod(a_container("100m"), resources=ResourceRequirements(requests={"cpu": "2"})), "2"),
    ],
)
def test_a_pod_counts_what_it_needs_at_its_hungriest(pod: Pod, cpu: str) -> None:
    assert used(a_quota("requests.cpu", "cpu"), Contents(pods=[pod])) == {"requests.cpu": cpu, "cpu": cpu}


def test_limits_extended_resources_and_counts() -> None:
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


def test_a_scoped_quota_counts_nothing_but_pods() -> None:
    contents = Contents(pods=[a_pod(a_container())], services=[Service()], counts={"secrets": 3})

    assert used(a_quota("pods", "services", "secrets", scopes=["BestEffort"]), contents) == {
        "pods": "1",
        "services": "0",
        "secrets": "0",
    }


def test_a_load_balancer_without_node_ports_uses_only_those_it_names() -> None:
    ports = [ServicePort(port=1), ServicePort(port=2, node_port=30000)]
    spec = ServiceSpec(type="LoadBalancer", ports=ports, allocate_load_balancer_node_ports=False)

    assert service_usage(Service(spec=spec))["services.nodeports"] == Quantity.parse(1)


@pytest.mark.parametrize(
    ("limited", "missing"),
    [
        (["pods", "requests.nvidia.com/gpu", "limits.ephemeral-storage"], ""),
        (["requests.cpu"], "must specify requests.cpu for: b"),
        (["limits.memory", "cpu"], "must specify cpu for: b; limits.memory for: a,b"),
    ],
)
def test_containers_must_say_what_they_need_of_limited_cpu_and_memory(limited: list[str], missing: str) -> None:
    pod = a_pod(Container(name="b"), Container(name="a", resources=ResourceRequirements(requests={"cpu": "1"})))

    assert unspecified_resources(pod, limited) == missing


PODS = st.builds(
    a_pod,
    st.sampled_from(["", "100m", "2"]).map(a_container),
    st.sampled_from(["", "1Gi"]).map(lambda memory: a_container(limits={"memory": memory} if memory else {})),
    phase=st.sampled_from(["Running", "Failed", ""]),
)


@given(st.lists(PODS, max_size=8), st.data())
def test_usage_of_what_went_and_came_is_the_usage_of_what_is_there(pods: list[Pod], data: st.DataObject) -> None:
    gone = data.draw(st.lists(st.sampled_from(pods), unique_by=id)) if pods else []
    totals: Usage = {}
    for pod in pods:
        add(totals, pod_usage(pod))
    for pod in gone:
        subtract(totals, pod_usage(pod))

    quota = a_quota("pods", "count/pods", "requests.cpu", "limits.memory")
    left = Contents(pods=[pod for pod in pods if not any(pod is other for other in gone)])
    assert {name: Quantity.parse(amount) for name, amount in used(quota, left).items()} == {
        name: totals.get(name, ZERO) for name in quota.spec.hard
    }
