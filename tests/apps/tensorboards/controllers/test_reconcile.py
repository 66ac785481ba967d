"""A Tensorboard becomes a Deployment, a Service and a route, and says why it shows nothing."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from windlass.apis.apps_v1 import Deployment
from windlass.apis.core_v1 import PersistentVolumeClaim, Pod, Secret, Service
from windlass.apis.images import EMBEDDED_TENSORBOARD
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.profiles.kinds import PodDefault
from windlass.apps.tensorboards.controllers.reconcile import controller
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.options import DEFAULTS
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import World

TOKEN = Secret(metadata=ObjectMeta(name="tb-tensorboard-token", labels={"windlass.dev/server-token": "tensorboards"}))


def a_board(logspath: str, **metadata: Any) -> Tensorboard:
    return msgspec.convert({"metadata": {"name": "tb", **metadata}, "spec": {"logspath": logspath}}, Tensorboard)


def a_claim(*modes: str) -> PersistentVolumeClaim:
    return msgspec.convert(
        {"metadata": {"name": "logs"}, "spec": {"accessModes": list(modes) or ["ReadWriteOnce"]}}, PersistentVolumeClaim
    )


def a_world(logspath: str, *others: Any, **metadata: Any) -> World:
    world = World(controller(DEFAULTS), namespace="ml")
    for obj in (TOKEN, *others):
        world.put(obj)
    world.put(a_board(logspath, **metadata))
    world.settle()
    return world


def pod_spec(world: World) -> dict[str, Any]:
    return world.get(Deployment, "tb").spec.template["spec"]


def a_trainer(node: str, phase: str = "Running") -> Pod:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "logs"}}
    return msgspec.convert(
        {"metadata": {"name": "trainer"}, "spec": {"nodeName": node, "volumes": [volume]}, "status": {"phase": phase}},
        Pod,
    )


def test_a_board_over_a_volume() -> None:
    world = a_world("pvc://logs/run/one", a_claim(), labels={"team": "a"})

    (container,) = pod_spec(world)["containers"]
    assert container["name"] == "tensorboard"
    assert container["image"] == "tensorflow/tensorflow:2.5.1"
    assert container["command"] == ["/usr/local/bin/tensorboard"]
    assert container["args"] == ["--logdir=/tensorboard_logs/", "--bind_all"]
    assert container["readinessProbe"]["tcpSocket"] == {"port": 6006}, "ready is when the server takes connections"
    assert container["volumeMounts"] == [
        {"name": "tbpd", "readOnly": True, "mountPath": "/tensorboard_logs/", "subPath": "run/one"}
    ]
    assert pod_spec(world)["volumes"] == [{"name": "tbpd", "persistentVolumeClaim": {"claimName": "logs"}}]
    workload = world.get(Deployment, "tb")
    assert workload.spec.selector.match_labels == {"app": "tb"}
    assert workload.metadata.labels == {"team": "a", "app": "tb"}
    (port,) = world.get(Service, "tb").spec.ports
    assert (port.name, port.port, port.target_port) == ("http-tb", 80, 6006)
    (route,) = world.get(VirtualService, "tb").spec.http
    assert route.match[0].uri.prefix == "/tensorboard/ml/tb/"
    assert route.rewrite is not None
    assert (route.rewrite.uri, route.timeout) == ("/", "300s")
    assert world.events == []


@pytest.mark.parametrize(
    ("logspath", "logdir", "mount"),
    [
        ("pvc://logs", "/tensorboard_logs/", "/tensorboard_logs/"),
        ("gs://bucket/logs", "gs://bucket/logs", "/secret/gcp"),
        ("s3://bucket/logs", "s3://bucket/logs", None),
        ("/cns/cell/logs", "/cns/cell/logs", None),
        ("/old/logs", "/old/logs", "/old/logs"),
    ],
)
def test_where_the_logs_are(logspath: str, logdir: str, mount: str | None) -> None:
    (container,) = pod_spec(a_world(logspath))["containers"]

    assert container["args"][0] == f"--logdir={logdir}"
    mounts = container.get("volumeMounts", [])
    assert [one["mountPath"] for one in mounts] == ([mount] if mount else [])
    assert all(one["readOnly"] and "subPath" not in one for one in mounts)


def a_google_secret(*keys: str) -> Secret:
    return Secret(metadata=ObjectMeta(name="user-gcp-sa"), data=dict.fromkeys(keys, "e30="))


def a_pod_default(label: str, variable: str) -> PodDefault:
    spec = {"selector": {"matchLabels": {label: "true"}}, "env": [{"name": variable, "value": "/else/where"}]}
    return msgspec.convert({"metadata": {"name": label}, "spec": spec}, PodDefault)


def google_key(world: World) -> str | None:
    variables = {one["name"]: one.get("value") for one in pod_spec(world)["containers"][0]["env"]}
    return variables.get("GOOGLE_APPLICATION_CREDENTIALS")


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        (["user-gcp-sa.json"], "/secret/gcp/user-gcp-sa.json"),
        (["user-gcp-sa.json", "README"], "/secret/gcp/user-gcp-sa.json"),
        (["key.json"], "/secret/gcp/key.json"),
        (["a.json", "b.json"], None),
        ([], None),
    ],
)
def test_a_board_over_google_storage_is_given_the_key_of_the_secret(keys: list[str], path: str | None) -> None:
    world = a_world("gs://bucket/logs", a_google_secret(*keys))

    assert google_key(world) == path
    assert world.events == []


def test_the_key_is_named_as_soon_as_the_secret_is_there() -> None:
    world = a_world("gs://bucket/logs")
    assert {event.reason for event in world.events} == {"SecretNotFound"}
    assert "--from-file=user-gcp-sa.json=KEY.json" in world.events[0].message
    assert google_key(world) is None

    world.put(a_google_secret("user-gcp-sa.json"))
    world.settle()

    assert google_key(world) == "/secret/gcp/user-gcp-sa.json"


def test_a_pod_default_that_names_a_key_wins() -> None:
    variable = "GOOGLE_APPLICATION_CREDENTIALS"
    labels, secret = {"own-key": "true"}, a_google_secret("user-gcp-sa.json")
    world = a_world("gs://bucket/logs", secret, a_pod_default("own-key", variable), labels=labels)
    assert google_key(world) is None

    world.delete(PodDefault, "own-key")
    world.put(a_pod_default("another", variable))
    world.put(a_pod_default("own-key", "OTHER"))
    world.settle()

    assert google_key(world) == "/secret/gcp/user-gcp-sa.json"


def test_other_boards_have_no_google_key() -> None:
    assert google_key(a_world("s3://bucket/logs", a_google_secret("user-gcp-sa.json"))) is None


def test_the_claim_of_the_first_releases() -> None:
    world = a_world("/old/logs")

    assert pod_spec(world)["volumes"][0]["persistentVolumeClaim"] == {"claimName": "tb-volume"}
    assert "tb-volume" in world.events[0].message


def test_an_edited_path_rolls_the_board() -> None:
    world = a_world("pvc://logs/one", a_claim())
    world.change(Tensorboard, "tb", {"spec": {"logspath": "pvc://logs/two"}})
    world.settle()

    assert pod_spec(world)["containers"][0]["volumeMounts"][0]["subPath"] == "two"


def test_a_missing_claim_is_reported() -> None:
    world = a_world("pvc://logs/run")

    assert {event.reason for event in world.events} == {"ClaimNotFound"}
    assert '"logs" does not exist' in world.events[0].message


def test_a_board_prefers_the_node_where_the_volume_is_in_use_and_stays() -> None:
    world = a_world("pvc://logs", a_claim(), a_trainer("gpu-1"))
    preferred = pod_spec(world)["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert preferred[0]["weight"] == 100
    assert preferred[0]["preference"]["matchExpressions"][0]["values"] == ["gpu-1"]

    world.delete(Pod, "trainer")
    world.settle()

    assert pod_spec(world)["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] == preferred


@pytest.mark.parametrize(
    "others",
    [(a_claim("ReadWriteMany"), a_trainer("n")), (a_claim(), a_trainer("n", "Succeeded")), (a_claim(),), ()],
)
def test_without_need_no_node_is_preferred(others: tuple[Any, ...]) -> None:
    assert "affinity" not in pod_spec(a_world("pvc://logs", *others))


def test_no_node_is_preferred_where_that_is_switched_off() -> None:
    world = World(controller(replace(DEFAULTS, rwo_scheduling=False)), namespace="ml")
    world.put(TOKEN)
    for obj in (a_claim(), a_trainer("gpu-1"), a_board("pvc://logs")):
        world.put(obj)
    world.settle()

    assert "affinity" not in pod_spec(world)


def test_the_status_follows_the_deployment() -> None:
    world = a_world("s3://b")
    assert world.json(Tensorboard, "tb")["status"] == {"conditions": [], "readyReplicas": 0}

    for type_, ready in (("Progressing", 0), ("Progressing", 0), ("Available", 1)):
        status = {"readyReplicas": ready, "conditions": [{"type": type_, "status": "True"}]}
        world.change(Deployment, "tb", {"status": status})
        world.settle()

    status = world.json(Tensorboard, "tb")["status"]
    assert [one["deploymentState"] for one in status["conditions"]] == ["Progressing", "Available"]
    assert all(one["lastProbeTime"] for one in status["conditions"])
    assert status["readyReplicas"] == 1


def test_a_pod_that_cannot_start_is_reported() -> None:
    world = a_world("s3://b")
    waiting = {"waiting": {"reason": "ErrImagePull", "message": "not here"}}
    world.put(
        msgspec.convert(
            {
                "metadata": {"name": "tb-1", "labels": {"app": "tb"}},
                "status": {"containerStatuses": [{"name": "tensorboard", "state": waiting}]},
            },
            Pod,
        )
    )
    world.settle()

    assert {(event.reason, event.message) for event in world.events} == {("ErrImagePull", "not here")}


def test_a_pod_that_is_refused_is_reported_until_one_is_made() -> None:
    world = a_world("s3://b")
    said = "admission webhook denied the request: env 'A' of PodDefault 'two' differs from that of PodDefault 'one'"
    refused = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": said}
    world.change(Deployment, "tb", {"status": {"conditions": [refused]}})
    world.settle()
    assert {(event.reason, event.message) for event in world.events} == {("FailedCreate", said)}

    reported = len(world.events)
    world.change(Deployment, "tb", {"status": {"conditions": [{"type": "Progressing", "status": "True"}]}})
    world.settle()
    assert len(world.events) == reported


def a_pod_without_node(message: str) -> Pod:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    metadata = {"name": "tb-1", "labels": {"app": "tb"}}
    return msgspec.convert({"metadata": metadata, "status": {"conditions": [condition]}}, Pod)


def test_a_pod_that_no_node_takes_is_reported() -> None:
    world = a_world("s3://b", a_pod_without_node("0/1 nodes are available: 1 Insufficient cpu"))

    assert {(event.reason, event.message) for event in world.events} == {
        ("FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu")
    }


def test_a_service_of_a_notebook_is_left_alone() -> None:
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "name": "tb", "uid": "other", "controller": True}
    taken = msgspec.convert({"metadata": {"name": "tb", "ownerReferences": [owner]}}, Service)
    world = World(controller(DEFAULTS), namespace="ml")
    world.put(TOKEN)
    world.put(taken)
    world.put(a_board("s3://b"))
    world.step("tb")

    assert world.get(Service, "tb").spec.ports == []
    assert [event.reason for event in world.events] == ["NameConflict"]


@pytest.mark.parametrize("writes", range(6))
def test_a_controller_that_is_killed_leaves_nothing_undone(writes: int) -> None:
    whole, killed = a_world("pvc://logs", a_claim()), World(controller(DEFAULTS), namespace="ml")
    killed.put(TOKEN)
    killed.put(a_claim())
    killed.put(a_board("pvc://logs"))
    killed.step("tb", kill_after=writes)
    killed.settle()

    for kind in (Deployment, Service, VirtualService):
        assert killed.json(kind, "tb")["spec"] == whole.json(kind, "tb")["spec"]


def a_pod_that_cannot_pull() -> Pod:
    waiting = {"reason": "ImagePullBackOff", "message": "no package index can be reached"}
    status = {"containerStatuses": [{"name": "tensorboard", "state": {"waiting": waiting}}]}
    return msgspec.convert({"metadata": {"name": "tb-1", "labels": {"app": "tb"}}, "status": status}, Pod)


def image(world: World) -> str:
    return pod_spec(world)["containers"][0]["image"]


def embedded(logspath: str) -> World:
    world = World(controller(replace(DEFAULTS, image=EMBEDDED_TENSORBOARD)), namespace="ml")
    world.put(TOKEN)
    world.put(a_claim())
    world.put(a_board(logspath))
    world.settle()
    world.put(a_pod_that_cannot_pull())
    world.settle()
    return world


def test_a_board_whose_program_cannot_be_had_is_shown_by_the_built_in_viewer() -> None:
    world = embedded("pvc://logs/run")

    assert image(world) == "windlass/scalar-viewer:latest"
    assert ("ImagePullBackOff", "no package index can be reached") in [(e.reason, e.message) for e in world.events]
    world.delete(Pod, "tb-1")
    world.settle()
    assert image(world) == "windlass/scalar-viewer:latest", "the viewer stays"
    world.change(Tensorboard, "tb", {"spec": {"logspath": "pvc://logs/other"}})
    world.settle()
    assert image(world) == EMBEDDED_TENSORBOARD, "other logs try TensorBoard again"


def test_an_object_store_needs_tensorboard_itself() -> None:
    assert image(embedded("s3://bucket/logs")) == EMBEDDED_TENSORBOARD


def test_an_image_that_was_configured_is_not_replaced() -> None:
    world = a_world("pvc://logs/run", a_claim(), a_pod_that_cannot_pull())

    assert image(world) == "tensorflow/tensorflow:2.5.1"


def test_a_store_that_cannot_be_read_is_the_reason() -> None:
    said = "2026 starting\ncannot read s3://bucket/logs: An error occurred (AccessDenied)\n"
    status = {
        "name": "tensorboard",
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}},
        "lastState": {"terminated": {"message": said, "exitCode": 1}},
    }
    world = a_world("s3://bucket/logs")
    metadata = {"name": "tb-1", "labels": {"app": "tb"}}
    world.put(msgspec.convert({"metadata": metadata, "status": {"containerStatuses": [status]}}, Pod))
    world.settle()

    (event,) = world.events
    assert event.reason == "CrashLoopBackOff"
    assert event.message == "cannot read s3://bucket/logs: An error occurred (AccessDenied) (back-off 10s)"


def test_no_server_starts_before_its_token_is_there() -> None:
    world = World(controller(DEFAULTS), namespace="ml")
    world.put(a_board("pvc://logs"))
    world.settle()
    assert world.find(Deployment, "tb") is None

    world.put(TOKEN)
    world.settle()

    assert pod_spec(world)["containers"][0]["env"] == [
        {
            "name": "WINDLASS_SERVER_TOKEN",
            "valueFrom": {"secretKeyRef": {"name": "tb-tensorboard-token", "key": "token"}},
        }
    ]
