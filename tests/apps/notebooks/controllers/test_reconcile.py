"""A Notebook becomes a StatefulSet, a Service and a route, and shows the state of its pod."""

from typing import Any

import msgspec
import pytest

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.core_v1 import Pod, Secret, Service
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.notebooks.controllers.metrics import NotebookMetrics
from windlass.apps.notebooks.controllers.reconcile import controller
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import STOPPED
from windlass.apps.notebooks.options import DEFAULTS
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import World

CONTAINER = {"name": "lab", "image": "jupyter-scipy"}
TOKEN = Secret(metadata=ObjectMeta(name="lab-notebook-token", labels={"notebook-name": "lab"}))


def a_world(*, annotations: dict[str, str] | None = None, labels: Any = None, **spec: Any) -> World:
    world = World(controller(DEFAULTS, NotebookMetrics()), namespace="ml")
    world.put(TOKEN)
    world.put(
        msgspec.convert(
            {
                "metadata": {"name": "lab", "annotations": annotations or {}, "labels": labels or {}},
                "spec": {"template": {"spec": {"containers": [CONTAINER], **spec}}},
            },
            Notebook,
        )
    )
    world.settle()
    return world


def server(world: World) -> dict[str, Any]:
    return world.get(StatefulSet, "lab").spec.template["spec"]["containers"][0]


def test_a_notebook_becomes_a_server_behind_a_route() -> None:
    world = a_world()

    assert world.get(StatefulSet, "lab").spec.replicas == 1
    assert server(world)["workingDir"] == "/home/jovyan"
    assert server(world)["ports"][0]["containerPort"] == 8888
    assert {"name": "NB_PREFIX", "value": "/notebook/ml/lab"} in server(world)["env"]
    assert world.get(StatefulSet, "lab").spec.template["spec"]["securityContext"] == {"fsGroup": 100}
    (port,) = world.get(Service, "lab").spec.ports
    assert (port.name, port.port, port.target_port) == ("http-lab", 80, 8888)
    (route,) = world.get(VirtualService, "notebook-ml-lab").spec.http
    assert route.match[0].uri.prefix == "/notebook/ml/lab/"
    assert route.route[0].destination.host == "lab.ml.svc.cluster.local"


def test_no_server_starts_before_its_token_is_there() -> None:
    world = a_world()
    world.delete(StatefulSet, "lab")
    world.delete(Secret, TOKEN.metadata.name)
    world.settle()
    assert world.find(StatefulSet, "lab") is None

    world.put(TOKEN)
    world.settle()

    assert server(world)["env"][-1] == {
        "name": "JUPYTER_TOKEN",
        "valueFrom": {"secretKeyRef": {"name": "lab-notebook-token", "key": "token"}},
    }


@pytest.mark.parametrize("writes", range(6))
def test_a_controller_that_is_killed_leaves_nothing_undone(writes: int) -> None:
    whole, killed = a_world(), World(controller(DEFAULTS, NotebookMetrics()), namespace="ml")
    killed.put(TOKEN)
    killed.put(whole.get(Notebook, "lab"))
    killed.step("lab", kill_after=writes)
    killed.settle()

    for kind, name in ((StatefulSet, "lab"), (Service, "lab"), (VirtualService, "notebook-ml-lab")):
        assert killed.json(kind, name)["spec"] == whole.json(kind, name)["spec"]


def test_what_the_user_sets_stays() -> None:
    container = {
        **CONTAINER,
        "workingDir": "/work",
        "ports": [{"containerPort": 9999}],
        "env": [{"name": "NB_PREFIX", "value": "/mine"}],
    }
    world = a_world(containers=[container], securityContext={"runAsUser": 5})

    assert server(world)["workingDir"] == "/work"
    assert [variable for variable in server(world)["env"] if variable["name"] == "NB_PREFIX"] == container["env"]
    assert world.get(Service, "lab").spec.ports[0].target_port == 9999
    assert world.get(StatefulSet, "lab").spec.template["spec"]["securityContext"] == {"runAsUser": 5}


def test_a_stopped_notebook_keeps_its_objects_and_runs_no_pod() -> None:
    world = a_world(annotations={STOPPED: "2026-01-01T00:00:00Z"})

    assert world.get(StatefulSet, "lab").spec.replicas == 0
    assert world.find(Service, "lab") is not None
    assert "annotations" not in world.get(StatefulSet, "lab").spec.template["metadata"]


def test_changed_labels_reach_the_pod_at_its_next_start() -> None:
    world = a_world(labels={"team": "a"})
    world.change(Notebook, "lab", {"metadata": {"labels": {"team": "b"}}})
    world.settle()
    assert world.get(StatefulSet, "lab").spec.template["metadata"]["labels"]["team"] == "a"  # it runs

    world.change(Notebook, "lab", {"metadata": {"annotations": {STOPPED: "x"}}})
    world.settle()
    world.change(Notebook, "lab", {"metadata": {"annotations": {STOPPED: None}}})
    world.settle()

    assert world.get(StatefulSet, "lab").spec.replicas == 1
    assert world.get(StatefulSet, "lab").spec.template["metadata"]["labels"]["team"] == "b"


def probe(world: World) -> Any:
    return server(world).get("readinessProbe", {}).get("tcpSocket")


def test_a_notebook_is_ready_when_its_server_takes_connections() -> None:
    assert probe(a_world()) == {"port": 8888}
    assert probe(a_world(containers=[{**CONTAINER, "ports": [{"containerPort": 9999}]}])) == {"port": 9999}


def test_a_notebook_that_runs_without_a_probe_gets_it_at_its_next_start() -> None:
    """A change of the template would replace the pod, and unsaved work be lost."""
    world = a_world()
    spec = world.get(StatefulSet, "lab").spec.template["spec"]
    bare = [{key: value for key, value in spec["containers"][0].items() if key != "readinessProbe"}]
    world.change(StatefulSet, "lab", {"spec": {"template": {"spec": {"containers": bare}}}})
    world.settle()
    assert probe(world) is None

    for stopped in ("x", None):
        world.change(Notebook, "lab", {"metadata": {"annotations": {STOPPED: stopped}}})
        world.settle()

    assert probe(world) == {"port": 8888}


@pytest.mark.parametrize(
    ("annotation", "headers"), [('{"X-A": "1"}', {"X-A": "1"}), ("no json", {}), ("[]", {}), ('{"a": 1}', {})]
)
def test_request_headers_come_from_the_annotation(annotation: str, headers: dict[str, str]) -> None:
    world = a_world(
        annotations={
            "notebooks.kubeflow.org/http-headers-request-set": annotation,
            "notebooks.kubeflow.org/http-rewrite-uri": "/",
        }
    )

    (route,) = world.get(VirtualService, "notebook-ml-lab").spec.http
    assert route.headers.request.set_ == headers
    assert route.rewrite is not None
    assert route.rewrite.uri == "/"


def test_the_status_is_that_of_the_container_named_like_the_notebook() -> None:
    world = a_world()
    world.put(
        msgspec.convert(
            {
                "metadata": {"name": "lab-0", "labels": {"notebook-name": "lab"}},
                "status": {
                    "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
                    "containerStatuses": [
                        {"name": "sidecar", "state": {"running": {}}},
                        {"name": "lab", "state": {"waiting": {"reason": "ContainerCreating"}}},
                    ],
                },
            },
            Pod,
        )
    )
    world.settle()

    status = world.json(Notebook, "lab")["status"]
    assert status["containerState"] == {"waiting": {"reason": "ContainerCreating"}}
    assert status["readyReplicas"] == 0
    assert status["conditions"][0]["lastProbeTime"]


def test_a_service_of_another_owner_is_left_alone_and_reported() -> None:
    world = World(controller(DEFAULTS, NotebookMetrics()), namespace="ml")
    world.put(
        msgspec.convert(
            {
                "metadata": {
                    "name": "lab",
                    "ownerReferences": [
                        {
                            "apiVersion": "tensorboard.kubeflow.org/v1alpha1",
                            "kind": "Tensorboard",
                            "name": "lab",
                            "uid": "other",
                            "controller": True,
                        }
                    ],
                }
            },
            Service,
        )
    )
    world.put(
        msgspec.convert(
            {"metadata": {"name": "lab"}, "spec": {"template": {"spec": {"containers": [CONTAINER]}}}}, Notebook
        )
    )
    world.step("lab")

    assert world.get(Service, "lab").spec.ports == []
    assert [event.reason for event in world.events] == ["NameConflict"]
