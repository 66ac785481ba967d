from typing import Any

import msgspec

from tests.controllers.core.backend_builders import CAME_UP, a_backend, a_service
from tests.kube.live import managed, until
from windlass.apis.core_v1 import Endpoints, Pod, Service, ServiceAccount, ServicePort, ServiceSpec
from windlass.controllers.core import endpoints
from windlass.controllers.core.endpoints import left_over, reconcile
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Plan
from windlass.kube.testing import applied, deleted

TCP_8080 = [{"name": "", "port": 8080, "protocol": "TCP"}]


def made(service: Service, *objects: AnyObject) -> Any:
    (found,) = applied(reconcile(service, Observed.just(*objects, of=service)))
    return found


def ips(addresses: list[Any]) -> list[str]:
    return [address["ip"] for address in addresses]


def test_ready_pods_are_told_apart_from_others() -> None:
    found = made(a_service(labels={"team": "a"}), a_backend(10), a_backend(9), a_backend(2, ready=False, node_name="x"))
    assert found["metadata"]["name"] == "web"
    assert found["metadata"]["labels"] == {"team": "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    assert found["metadata"]["annotations"] == {"endpoints.kubernetes.io/last-change-trigger-time": CAME_UP}
    (subset,) = found["subsets"]
    assert ips(subset["addresses"]) == ["10.1.0.9", "10.1.0.10"]
    assert subset["notReadyAddresses"] == [
        {
            "ip": "10.1.0.2",
            "nodeName": "x",
            "targetRef": {"kind": "Pod", "namespace": "n", "name": "web-2", "uid": "p2"},
        }
    ]
    assert subset["ports"] == TCP_8080


def test_going_and_finished_pods_are_left_out() -> None:
    assert made(a_service(), a_backend(1, going=True), a_backend(2, phase="Failed"))["subsets"] == []


def test_unready_and_going_pods_are_published_where_the_service_asks() -> None:
    service = a_service(publish_not_ready_addresses=True)
    (subset,) = made(service, a_backend(1, going=True), a_backend(2, ready=False))["subsets"]
    assert ips(subset["addresses"]) == ["10.1.0.1", "10.1.0.2"]
    assert "notReadyAddresses" not in subset


def test_pods_with_other_ports_are_another_subset() -> None:
    service = a_service([ServicePort(port=80, target_port="http", protocol="TCP")])
    subsets = made(service, a_backend(1), a_backend(2, port=9090))["subsets"]
    assert [(ips(subset["addresses"]), subset["ports"][0]["port"]) for subset in subsets] == [
        (["10.1.0.1"], 8080),
        (["10.1.0.2"], 9090),
    ]


def test_a_headless_service_needs_no_ports() -> None:
    found = made(a_service([], cluster_ip="None"), a_backend(1, hostname="web-1", subdomain="web"))
    (subset,) = found["subsets"]
    assert subset["addresses"][0]["hostname"] == "web-1"
    assert "ports" not in subset
    assert found["metadata"]["labels"]["service.kubernetes.io/headless"] == ""


def test_more_than_a_thousand_addresses_are_cut_and_said_so() -> None:
    found = made(a_service(), *(a_backend(number, ready=number % 2 == 0) for number in range(1, 1602)))
    (subset,) = found["subsets"]
    assert (len(subset["addresses"]), len(subset["notReadyAddresses"])) == (800, 200)
    assert found["metadata"]["annotations"]["endpoints.kubernetes.io/over-capacity"] == "truncated"


def test_a_service_without_a_selector_is_left_to_others() -> None:
    service = a_service(selector={})
    assert reconcile(service, Observed.just(a_backend(1), of=service)) == Plan()


def test_only_what_this_controller_wrote_is_left_over() -> None:
    ours = Endpoints(metadata=msgspec.convert(made(a_service())["metadata"], ObjectMeta))
    theirs = Endpoints(metadata=ObjectMeta(name="web", namespace="n"))
    assert deleted(left_over(ours, Observed.just(of=ours))) == [ours]
    assert left_over(ours, Observed.just(a_service(), of=ours)) == Plan()
    assert left_over(theirs, Observed.just(of=theirs)) == Plan()


async def test_endpoints_follow_pods_and_go_with_their_service(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    spec = ServiceSpec(selector={"app": "web"}, ports=[ServicePort(port=80, target_port=8080)])
    async with managed(client, endpoints.CONTROLLER, endpoints.LEFTOVERS):
        await client.create(Service(metadata=ObjectMeta(name="web", namespace=room), spec=spec))
        await client.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "web-1", "namespace": room, "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            }
        )
        await client.set_status(KINDS.of(Pod), Key(room, "web-1"), msgspec.to_builtins(a_backend(1).status))

        async def ready() -> list[str]:
            found = {one.metadata.name: one for one in (await client.list(Endpoints, room)).items}
            return [ip for subset in found["web"].subsets for ip in ips(subset["addresses"])] if found else []

        async def is_ready() -> bool:
            return await ready() == ["10.1.0.1"]

        await until(is_ready)
        await client.delete(KINDS.of(Service), Key(room, "web"))

        async def gone() -> bool:
            return not (await client.list(Endpoints, room)).items

        await until(gone)
