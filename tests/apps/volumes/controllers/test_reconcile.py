"""A PVCViewer becomes a Deployment, a Service and a route."""

from typing import Any

import msgspec
import pytest

from windlass.apis.apps_v1 import Deployment
from windlass.apis.core_v1 import PersistentVolumeClaim, Pod, Secret, Service
from windlass.apis.istio.routing import DEFAULT_ROUTING
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.volumes.admission import default_pod_spec
from windlass.apps.volumes.controllers.reconcile import controller
from windlass.apps.volumes.kinds import PVCViewer
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import World

NAME = "pvcviewer-data"
LABELS = {
    "app.kubernetes.io/name": "data",
    "app.kubernetes.io/instance": "pvcviewer-data",
    "app.kubernetes.io/part-of": "pvc-viewer",
}
NETWORKING = {"targetPort": 8080, "basePrefix": "/pvcviewers", "rewrite": "/", "timeout": "30s"}
CLAIM = msgspec.convert(
    {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}, PersistentVolumeClaim
)
USER = msgspec.convert(
    {
        "metadata": {"name": "lab-0"},
        "spec": {"nodeName": "n1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]},
        "status": {"phase": "Running"},
    },
    Pod,
)
TOKEN = Secret(metadata=ObjectMeta(name="data-pvcviewer-token", labels={"windlass.dev/server-token": "pvcviewers"}))
TOKEN_VARIABLE = {
    "name": "WINDLASS_SERVER_TOKEN",
    "valueFrom": {"secretKeyRef": {"name": "data-pvcviewer-token", "key": "token"}},
}


PROBE = {"tcpSocket": {"port": 8080}, "periodSeconds": 2}
"""A viewer is ready when its server takes connections."""


def a_viewer(**spec: Any) -> PVCViewer:
    given = {"pvc": "data", "podSpec": default_pod_spec("data"), "networking": NETWORKING, **spec}
    return msgspec.convert({"metadata": {"name": "data"}, "spec": given}, PVCViewer)


def a_world(*others: Any, **spec: Any) -> World:
    world = World(controller(DEFAULT_ROUTING), namespace="ml")
    for obj in (TOKEN, *others, a_viewer(**spec)):
        world.put(obj)
    world.settle()
    return world


def test_a_viewer_becomes_a_server_behind_a_route() -> None:
    world = a_world()

    workload = world.get(Deployment, NAME)
    assert workload.spec.strategy == {"type": "Recreate"}
    pod = default_pod_spec("data")
    pod["containers"][0] |= {"env": [TOKEN_VARIABLE], "readinessProbe": PROBE}
    assert workload.spec.template == {"metadata": {"labels": LABELS}, "spec": pod}
    assert workload.metadata.labels == LABELS
    assert workload.spec.selector.match_labels == LABELS
    (port,) = world.get(Service, NAME).spec.ports
    assert (port.name, port.port, port.target_port) == ("http", 80, 8080)
    (route,) = world.get(VirtualService, NAME).spec.http
    assert route.match[0].uri.prefix == "/pvcviewers/ml/data/"
    assert route.rewrite is not None
    assert (route.rewrite.uri, route.timeout) == ("/", "30s")
    assert route.route[0].destination.host == "pvcviewer-data.ml.svc.cluster.local"


def test_the_status_says_where_it_is_and_whether_it_answers() -> None:
    world = a_world()
    assert world.get(PVCViewer, "data").status.url == "/pvcviewers/ml/data/"
    assert world.get(PVCViewer, "data").status.ready is False

    conditions = [{"type": "Available", "status": "True"}]
    world.change(Deployment, NAME, {"status": {"readyReplicas": 1, "conditions": conditions}})
    world.settle()

    status = world.get(PVCViewer, "data").status
    assert status.ready is True
    assert status.conditions == conditions


def test_a_viewer_without_a_port_has_no_route() -> None:
    world = a_world(networking={})

    assert world.find(Deployment, NAME) is not None
    assert world.find(Service, NAME) is None
    assert world.find(VirtualService, NAME) is None


def test_a_new_viewer_prefers_the_node_where_the_volume_is_in_use_and_stays_there() -> None:
    world = a_world(CLAIM, USER, rwoScheduling=True)
    affinity = world.get(Deployment, NAME).spec.template["spec"]["affinity"]
    assert "n1" in str(affinity)

    world.delete(Pod, "lab-0")
    world.change(PVCViewer, "data", {"spec": {"networking": {"timeout": "60s"}}})
    world.settle()

    assert world.get(Deployment, NAME).spec.template["spec"]["affinity"] == affinity


def test_without_the_option_no_node_is_preferred() -> None:
    assert "affinity" not in a_world(CLAIM, USER).get(Deployment, NAME).spec.template["spec"]


OTHER = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "Notebook",
    "name": "pvcviewer-data",
    "uid": "other",
    "controller": True,
}


def taken(kind: type[Any], **fields: Any) -> Any:
    return msgspec.convert({"metadata": {"name": NAME, "ownerReferences": [OTHER]}, **fields}, kind)


@pytest.mark.parametrize("kind", [Service, Deployment, VirtualService])
def test_a_child_of_another_owner_is_left_alone_and_reported(kind: type[Any]) -> None:
    world = World(controller(DEFAULT_ROUTING), namespace="ml")
    world.put(TOKEN)
    world.put(taken(kind))
    world.put(a_viewer())
    before = world.json(kind, NAME)
    world.step("data")

    assert world.json(kind, NAME) == before
    assert {event.reason for event in world.events} == {"NameConflict"}


def test_a_viewer_behind_the_service_of_another_owner_starts_no_pod_and_is_never_ready() -> None:
    world = World(controller(DEFAULT_ROUTING), namespace="ml")
    world.put(TOKEN)
    world.put(taken(Service))
    world.put(a_viewer())
    world.step("data")

    assert world.find(Deployment, NAME) is None
    assert world.find(VirtualService, NAME) is None
    assert world.get(PVCViewer, "data").status.ready is False


def test_a_deployment_of_another_owner_makes_no_viewer_ready() -> None:
    world = World(controller(DEFAULT_ROUTING), namespace="ml")
    world.put(TOKEN)
    world.put(taken(Deployment, status={"readyReplicas": 1}))
    world.put(a_viewer())
    world.step("data")

    assert world.get(PVCViewer, "data").status.ready is False


@pytest.mark.parametrize("writes", range(6))
def test_a_controller_that_is_killed_leaves_nothing_undone(writes: int) -> None:
    whole, killed = a_world(), World(controller(DEFAULT_ROUTING), namespace="ml")
    killed.put(TOKEN)
    killed.put(a_viewer())
    killed.step("data", kill_after=writes)
    killed.settle()

    for kind in (Deployment, Service, VirtualService):
        assert killed.json(kind, NAME)["spec"] == whole.json(kind, NAME)["spec"]


def test_no_file_browser_starts_before_its_token_is_there() -> None:
    world = World(controller(DEFAULT_ROUTING), namespace="ml")
    world.put(a_viewer())
    world.settle()
    assert world.find(Deployment, NAME) is None

    world.put(TOKEN)
    world.settle()

    assert world.find(Deployment, NAME) is not None


def test_the_file_browser_has_the_token_of_its_secret_whatever_the_viewer_names() -> None:
    pod = default_pod_spec("data")
    pod["containers"][0]["env"] = [{"name": "A", "value": "1"}, {"name": "WINDLASS_SERVER_TOKEN", "value": "mine"}]

    (container,) = a_world(podSpec=pod).get(Deployment, NAME).spec.template["spec"]["containers"]

    assert container["env"] == [{"name": "A", "value": "1"}, TOKEN_VARIABLE]


def test_another_program_gets_no_token_and_waits_for_none() -> None:
    pod = {**default_pod_spec("data"), "containers": [{"name": "main", "image": "filebrowser/filebrowser"}]}
    world = World(controller(DEFAULT_ROUTING), namespace="ml")
    world.put(a_viewer(podSpec=pod))
    world.settle()

    pod["containers"][0] |= {"readinessProbe": PROBE}
    assert world.get(Deployment, NAME).spec.template["spec"] == pod
