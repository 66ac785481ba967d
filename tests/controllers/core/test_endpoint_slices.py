from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.controllers.core.backend_builders import CAME_UP, a_backend, a_service
from tests.kube.live import managed, until
from windlass.apis.core_v1 import Node, Pod, Service, ServiceAccount, ServicePort, ServiceSpec
from windlass.apis.discovery_v1 import EndpointSlice
from windlass.controllers.core import endpoint_slices
from windlass.controllers.core.endpoint_slices import reconcile
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta, OwnerReference
from windlass.kube.objects import AnyObject
from windlass.kube.testing import applied, deleted


def plan_of(service: Service, *objects: AnyObject) -> tuple[list[Any], list[Any]]:
    plan = reconcile(service, Observed.just(*objects, of=service))
    return list(applied(plan)), list(deleted(plan))


def only(service: Service, *objects: AnyObject) -> Any:
    (piece,), _ = plan_of(service, *objects)
    return piece


def stored(piece: Any, service: Service) -> EndpointSlice:
    made = msgspec.convert(piece, EndpointSlice)
    owner = OwnerReference(api_version="v1", kind="Service", name="web", uid=service.metadata.uid, controller=True)
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, owner_references=[owner]))


def test_a_ready_pod_is_an_endpoint_at_its_address_and_target_port() -> None:
    piece = only(a_service(labels={"team": "a"}), a_backend(1))
    assert piece["addressType"] == "IPv4"
    assert piece["ports"] == [{"name": "", "port": 8080, "protocol": "TCP"}]
    assert piece["endpoints"] == [
        {
            "addresses": ["10.1.0.1"],
            "conditions": {"ready": True, "serving": True, "terminating": False},
            "targetRef": {"kind": "Pod", "namespace": "n", "name": "web-1", "uid": "p1"},
        }
    ]
    assert piece["metadata"]["labels"] == {
        "team": "a",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    assert piece["metadata"]["annotations"] == {"endpoints.kubernetes.io/last-change-trigger-time": CAME_UP}
    assert piece["metadata"]["name"].startswith("web-")


@pytest.mark.parametrize(
    ("pod", "service", "conditions"),
    [
        (a_backend(1, ready=False), a_service(), (False, False, False)),
        (a_backend(1, going=True), a_service(), (False, True, True)),
        (a_backend(1, ready=False), a_service(publish_not_ready_addresses=True), (True, False, False)),
        (a_backend(1, going=True), a_service(publish_not_ready_addresses=True), (True, True, True)),
    ],
)
def test_conditions_follow_the_pod(pod: Pod, service: Service, conditions: tuple[bool, ...]) -> None:
    found = only(service, pod)["endpoints"][0]["conditions"]
    assert (found["ready"], found["serving"], found["terminating"]) == conditions


@pytest.mark.parametrize(
    "pod",
    [a_backend(1, phase="Failed"), a_backend(1, phase="Succeeded"), Pod(metadata=a_backend(1).metadata)],
    ids=["failed", "succeeded", "without an address"],
)
def test_a_pod_that_nobody_can_reach_is_no_endpoint_and_an_empty_slice_stands_in(pod: Pod) -> None:
    piece = only(a_service(), pod)
    assert (piece["endpoints"], piece["ports"]) == ([], [])


@pytest.mark.parametrize("service", [a_service(selector={}), a_service(type="ExternalName")])
def test_a_service_that_selects_nothing_is_left_to_others(service: Service) -> None:
    assert plan_of(service, a_backend(1)) == ([], [])


def test_a_named_target_port_is_looked_up_in_each_pod() -> None:
    service = a_service([ServicePort(port=80, name="www", target_port="http", protocol="TCP", app_protocol="h2c")])
    pieces, _ = plan_of(service, a_backend(1), a_backend(2, port=9090))
    assert [piece["ports"] for piece in pieces] == [
        [{"name": "www", "port": 8080, "protocol": "TCP", "appProtocol": "h2c"}],
        [{"name": "www", "port": 9090, "protocol": "TCP", "appProtocol": "h2c"}],
    ]
    assert len({piece["metadata"]["name"] for piece in pieces}) == 2


def test_a_target_port_that_the_pod_does_not_name_is_left_out() -> None:
    service = a_service([ServicePort(port=80, target_port="grpc", protocol="TCP")])
    assert only(service, a_backend(1))["ports"] == []


def test_a_headless_service_has_host_names_nodes_and_zones() -> None:
    pod = a_backend(1, hostname="web-1", subdomain="web", node_name="laptop")
    node = Node(metadata=ObjectMeta(name="laptop", labels={"topology.kubernetes.io/zone": "here"}))
    piece = only(a_service(cluster_ip="None"), pod, node)
    endpoint = piece["endpoints"][0]
    assert (endpoint["hostname"], endpoint["nodeName"], endpoint["zone"]) == ("web-1", "laptop", "here")
    assert piece["metadata"]["labels"]["service.kubernetes.io/headless"] == ""


def test_a_host_name_under_another_service_is_not_this_ones() -> None:
    assert "hostname" not in only(a_service(), a_backend(1, hostname="web-1", subdomain="other"))["endpoints"][0]


def test_slices_hold_a_hundred_and_keep_their_endpoints_when_some_come_and_go() -> None:
    service = a_service()
    pods = [a_backend(number) for number in range(1, 251)]
    first, _ = plan_of(service, *pods)
    assert [len(piece["endpoints"]) for piece in first] == [100, 100, 50]
    kept = [stored(piece, service) for piece in first]

    pods = [pod for pod in pods if pod.metadata.name != "web-1"] + [a_backend(251)]
    second, gone = plan_of(service, *pods, *kept)
    before = {piece["metadata"]["name"]: piece["endpoints"] for piece in first}
    changed = [piece for piece in second if before[piece["metadata"]["name"]] != piece["endpoints"]]
    assert len(changed) == 1
    assert gone == []


def test_a_new_port_changes_the_slice_in_place() -> None:
    old = stored(only(a_service(), a_backend(1)), a_service())
    moved = a_service([ServicePort(port=80, target_port=9999, protocol="TCP")])
    piece = only(moved, a_backend(1), old)
    assert piece["metadata"]["name"] == old.metadata.name
    assert piece["ports"][0]["port"] == 9999


def test_slices_that_are_empty_go_but_for_the_last() -> None:
    service = a_service()
    pieces, _ = plan_of(service, *(a_backend(number) for number in range(1, 151)))
    kept = [stored(piece, service) for piece in pieces]
    (last,), gone = plan_of(service, *kept)
    assert (last["endpoints"], len(gone)) == ([], 1)


@given(st.lists(st.sets(st.integers(1, 240)), min_size=1, max_size=4))
def test_every_pod_is_in_exactly_one_slice_whatever_went_before(rounds: list[set[int]]) -> None:
    service, kept = a_service(), list[EndpointSlice]()
    for numbers in rounds:
        pieces, gone = plan_of(service, *(a_backend(number) for number in sorted(numbers)), *kept)
        names = [piece["metadata"]["name"] for piece in pieces]
        found = [endpoint["targetRef"]["uid"] for piece in pieces for endpoint in piece["endpoints"]]
        assert sorted(found) == sorted(f"p{number}" for number in numbers)
        assert all(len(piece["endpoints"]) <= 100 for piece in pieces)
        assert len(set(names)) == len(names)
        assert {old.metadata.name for old in kept} <= set(names) | {old.metadata.name for old in gone}
        kept = [stored(piece, service) for piece in pieces]


async def test_slices_follow_pods_on_the_server(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    spec = ServiceSpec(selector={"app": "web"}, ports=[ServicePort(port=80, target_port="http")])
    async with managed(client, endpoint_slices.CONTROLLER):
        service = await client.create(Service(metadata=ObjectMeta(name="web", namespace=room), spec=spec))
        pod = a_backend(1)
        await client.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "web-1", "namespace": room, "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"name": "http", "containerPort": 80}]}]},
            }
        )

        async def addresses() -> list[str]:
            slices = (await client.list(EndpointSlice, room)).items
            return [address for piece in slices for endpoint in piece.endpoints for address in endpoint["addresses"]]

        async def there_are(*wanted: str) -> bool:
            return len((await client.list(EndpointSlice, room)).items) == 1 and await addresses() == list(wanted)

        await until(there_are)
        before = (await client.list(EndpointSlice, room)).items[0]
        await client.set_status(KINDS.of(Pod), Key(room, "web-1"), msgspec.to_builtins(pod.status))
        await until(lambda: there_are("10.1.0.1"))
        after = (await client.list(EndpointSlice, room)).items[0]
        assert after.metadata.name == before.metadata.name
        assert after.metadata.generation == before.metadata.generation + 1
        assert after.metadata.controller is not None
        assert after.metadata.controller.uid == service.metadata.uid
        await client.delete(KINDS.of(Pod), Key(room, "web-1"), grace_seconds=0)
        await until(there_are)
