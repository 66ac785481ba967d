from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.core_v1 import Service, ServicePort, ServiceSpec, ServiceStatus
from windlass.controllers.core.load_balancers import CONTROLLER, INGRESS, reconcile
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.plan import Plan

OURS = {"ingress": INGRESS}


def a_service(status: Any = None, *, node_port: int | None = 30080, **spec: Any) -> Service:
    ports = [ServicePort(port=80, node_port=node_port)]
    return Service(
        metadata=ObjectMeta(name="s", namespace="n"),
        spec=ServiceSpec(**{"type": "LoadBalancer", "ports": ports, **spec}),
        status=ServiceStatus(load_balancer=status or {}),
    )


@pytest.mark.parametrize(
    ("service", "after"),
    [
        (a_service(), OURS),
        (a_service(OURS), None),
        (a_service(node_port=None), None),
        (a_service(load_balancer_class="example.com/other"), None),
        (a_service({"ingress": [{"ip": "192.0.2.1"}]}), None),
        (a_service(OURS, type="ClusterIP"), {}),
        (a_service({"ingress": [{"ip": "192.0.2.1"}]}, type="ClusterIP"), None),
        (a_service(type="NodePort"), None),
    ],
)
def test_who_gets_this_machines_address(service: Service, after: Any) -> None:
    plan = reconcile(service, Observed.just(service, of=service))
    if after is None:
        assert plan == Plan()
        return
    assert plan.status == ServiceStatus(load_balancer=after)


async def test_a_service_has_the_address_for_as_long_as_it_is_a_load_balancer(client: Client, room: str) -> None:
    key, kind = Key(room, "s"), KINDS.of(Service)
    spec = ServiceSpec(type="LoadBalancer", ports=[ServicePort(port=80)])

    async def ingress() -> Any:
        return (await client.get(kind, "s", room))["status"].get("loadBalancer")

    async def is_ours() -> bool:
        return bool(await ingress() == OURS)

    async def is_empty() -> bool:
        return bool(await ingress() == {})

    async with managed(client, CONTROLLER):
        await client.create(Service(metadata=ObjectMeta(name="s", namespace=room), spec=spec))
        await until(is_ours)
        await client.patch(kind, key, {"spec": {"type": "ClusterIP"}})
        await until(is_empty)
