"""Manifests that cannot run: the statuses and events by which a Kubernetes user knows what is wrong."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.e2e.node.platforms import Platform
from tests.e2e.node.pods import PodShell, condition, container, pod, service, state, waiting
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def held(kubectl: PodShell, name: str, reason: str) -> str:
    """Wait until the container waits for that reason; the message."""
    return state(kubectl.until(f"pods/{name}", lambda now: waiting(now) == reason))[1].get("message", "")


def shown(kubectl: PodShell, name: str) -> str:
    """The STATUS of `kubectl get pod`."""
    return kubectl.rows(f"get pod {name}")[1][2]


def test_a_missing_secret_or_config_map_of_the_environment_is_named_until_it_is_there(kubectl: PodShell) -> None:
    word = {"name": "WORD", "valueFrom": {"secretKeyRef": {"name": "login", "key": "word"}}}
    kubectl.apply(
        pod("secretive", container("echo $WORD; exec sleep infinity", env=[word])),
        pod("set", container(envFrom=[{"configMapRef": {"name": "settings"}}])),
    )

    assert held(kubectl, "secretive", "CreateContainerConfigError") == 'secret "login" not found'
    assert held(kubectl, "set", "CreateContainerConfigError") == 'configmap "settings" not found'
    assert kubectl.event("pods/secretive", "Failed") == 'Error: secret "login" not found'
    assert shown(kubectl, "secretive") == "CreateContainerConfigError"

    kubectl("create secret generic login --from-literal=other=1")
    missing = f"couldn't find key word in Secret {kubectl.namespace}/login"
    eventually(lambda: held(kubectl, "secretive", "CreateContainerConfigError") == missing, 90, "the key is missed")
    kubectl("delete secret login")
    kubectl("create secret generic login --from-literal=word=open")
    kubectl.ready("secretive")
    assert kubectl.says("secretive", "open") == "open\n"


def test_a_missing_volume_source_is_told_until_it_is_there(kubectl: PodShell) -> None:
    mounts = [{"name": "data", "mountPath": "/data"}]
    volume = {"name": "data", "configMap": {"name": "settings"}}
    kubectl.apply(pod("mounting", container(volumeMounts=mounts), volumes=[volume]))

    told = kubectl.event("pods/mounting", "FailedMount")
    assert told == 'MountVolume.SetUp failed for volume "data" : configmap "settings" not found'
    assert shown(kubectl, "mounting") == "ContainerCreating"

    kubectl("create configmap settings --from-literal=colour=red")
    kubectl.ready("mounting")


def test_a_mount_of_a_volume_that_is_not_declared_is_refused(kubectl: PodShell) -> None:
    manifest = pod("bad", container(volumeMounts=[{"name": "nothing", "mountPath": "/data"}]))

    with pytest.raises(AssertionError, match=r'volumeMounts\[0\].name: Not found: "nothing"'):
        kubectl.apply(manifest)


def test_a_sub_path_that_leaves_its_volume_does_not_start(kubectl: PodShell) -> None:
    mounts = [{"name": "data", "mountPath": "/data"}, {"name": "data", "mountPath": "/sub", "subPath": "link/etc"}]
    link = container("ln -s / /data/link", "link", volumeMounts=mounts[:1])
    volume = {"name": "data", "emptyDir": {}}
    kubectl.apply(pod("sly", container(volumeMounts=mounts), initContainers=[link], volumes=[volume]))

    message = held(kubectl, "sly", "CreateContainerConfigError")

    assert 'failed to prepare subPath for volumeMount "data" of container "main"' in message


def test_an_image_that_stands_for_nothing_is_told_with_what_to_do(kubectl: PodShell) -> None:
    kubectl.apply(pod("unknown", container(image="registry.example/nobody/knows:1")))

    held(kubectl, "unknown", "ErrImagePull")
    backing_off = held(kubectl, "unknown", "ImagePullBackOff")
    assert backing_off.startswith('Back-off pulling image "registry.example/nobody/knows:1"')
    eventually(lambda: "Error: ErrImagePull" in messages(kubectl, "unknown", "Failed"), 60, "the error")
    told = messages(kubectl, "unknown", "Failed")
    assert any(each.startswith('Failed to pull image "registry.example/nobody/knows:1"') for each in told), told
    assert any("windlass images add" in each for each in told), told
    assert shown(kubectl, "unknown") in ("ErrImagePull", "ImagePullBackOff")


def test_an_image_without_its_program_waits_until_it_is_mapped_to_one(kubectl: PodShell, platform: Platform) -> None:
    image = "gcr.io/kubeflow-ci/pytorch-dist-sendrecv-test:1.0"
    kubectl.apply(
        pod("bare", {"name": "main", "image": image}),
        pod("options", {"name": "main", "image": image, "args": ["--backend=gloo"]}),
    )

    message = held(kubectl, "bare", "CreateContainerError")
    assert message.startswith(f'no command specified: the program of image "{image}" is not on this machine')
    assert "Give the container a command in its manifest, or say what the image runs" in message
    assert f"windlass images add {image} --python 3.11 --package torch" in message
    assert held(kubectl, "options", "CreateContainerError") == message
    assert kubectl.event("pods/bare", "Failed") == f"Error: {message}"
    assert shown(kubectl, "bare") == "CreateContainerError"
    assert messages(kubectl, "bare", "Pulling") == [], "no environment is built for it"

    with mapped(platform, {"image": image, "command": ["sh", "-c", "echo mapped; exec sleep infinity"]}):
        kubectl.ready("bare", 150)
    assert kubectl.says("bare", "mapped") == "mapped\n"


@contextlib.contextmanager
def mapped(platform: Platform, rule: dict[str, Any]) -> Iterator[None]:
    """What an image stands for, as long as this lasts."""
    file = platform.data_dir / "images.yaml"
    before = file.read_text() if file.exists() else ""
    file.write_text(yaml.safe_dump({"images": [rule]}))
    try:
        yield
    finally:
        file.write_text(before)


def messages(kubectl: PodShell, name: str, reason: str) -> list[str]:
    return [message for each, message in kubectl.events(f"pods/{name}") if each == reason]


def test_an_image_that_may_not_be_pulled_is_missed(kubectl: PodShell) -> None:
    kubectl.apply(pod("never", container(image="python:3.11.99-never", imagePullPolicy="Never")))

    message = held(kubectl, "never", "ErrImageNeverPull")

    assert message == 'Container image "python:3.11.99-never" is not present with pull policy of Never'


def test_a_command_that_is_not_there_or_no_program_is_named(kubectl: PodShell) -> None:
    kubectl.apply(
        pod("lost", {**container(), "command": ["no-such-program"]}),
        pod("once", {**container(), "command": ["/no/such/program"]}, restartPolicy="Never"),
        pod("text", {**container(), "command": ["/etc/hostname"]}, restartPolicy="Never"),
    )

    failed = kubectl.phase("once", "Failed")
    over = state(failed)[1]
    assert (over["reason"], over["exitCode"]) in (("StartError", 128), ("ContainerCannotRun", 127))
    assert 'exec: "/no/such/program": stat /no/such/program: no such file or directory' in over["message"]
    assert 'exec: "/etc/hostname": permission denied' in state(kubectl.phase("text", "Failed"))[1]["message"]
    kubectl.until("pods/lost", lambda now: waiting(now) in ("RunContainerError", "CrashLoopBackOff"))
    told = kubectl.event("pods/lost", "Failed")
    assert 'exec: "no-such-program": executable file not found in $PATH' in told


def test_a_pod_that_fits_no_node_is_told_why(kubectl: PodShell) -> None:
    kubectl.apply(
        pod("huge", container(resources={"requests": {"cpu": "4000"}})),
        pod("choosy", container(), nodeSelector={"disk": "golden"}),
    )

    for name, why in (("huge", "Insufficient cpu"), ("choosy", "didn't match Pod's node affinity/selector")):
        told = kubectl.event(f"pods/{name}", "FailedScheduling")
        assert told.startswith("0/1 nodes are available: 1 ")
        assert why in told
        kubectl.until(f"pods/{name}", lambda now: condition(now, "PodScheduled") == "False")
        assert shown(kubectl, name) == "Pending"


def test_a_service_without_pods_refuses(kubectl: PodShell) -> None:
    kubectl.apply(service("empty"), pod("asker", container()))
    kubectl.ready("asker")

    command = "exec asker -- python3 -c \"import socket; socket.create_connection(('empty', 80), 20)\""

    eventually(lambda: "Connection refused" in kubectl.run(command).stderr, 60, "the refusal")
