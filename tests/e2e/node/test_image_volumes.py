"""Files of an image as a volume: pulled from a registry, read-only, and refused by name."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.node.platforms import Platform
from tests.e2e.node.pods import PodShell, container, once, pod, waiting
from tests.node.oci.builders import entry, layer, link
from tests.node.oci.registry_server import RegistryServer, registry_server

pytestmark = pytest.mark.kubectl


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    with registry_server(tmp_path_factory.mktemp("registry"), user="ann", password="secret") as server:
        server.push(
            "team/model",
            "1",
            [
                layer(entry("models/weights", b"one"), entry("models/old", b"x")),
                layer(
                    entry("models/weights", b"two"),
                    entry("models/.wh.old"),
                    entry("models/tool", b"#!/bin/sh\n", mode=0o755),
                    entry("models/private", b"of user 1000", mode=0o600, uid=1000, gid=1000),
                    link("models/host", "/etc/shadow"),
                ),
            ],
        )
        yield server


@pytest.fixture(autouse=True)
def named_registry(platform: Platform, registry: RegistryServer) -> Iterator[None]:
    with registry.named_in(platform.data_dir):
        yield


def reading(name: str, script: str, reference: str, policy: str = "", **mount: Any) -> dict[str, Any]:
    """A pod with an image at /model, and a pull secret that need not exist."""
    source = {"reference": reference, **({"pullPolicy": policy} if policy else {})}
    main = container(script, volumeMounts=[{"name": "model", "mountPath": "/model", **mount}])
    volumes, secrets = [{"name": "model", "image": source}], [{"name": "pull"}]
    return pod(name, main, restartPolicy="Never", volumes=volumes, imagePullSecrets=secrets)


def test_a_pod_reads_the_files_of_an_image(kubectl: PodShell, registry: RegistryServer) -> None:
    script = """
        echo weights $(cat /model/models/weights); ls /model/models/old 2>&1
        touch /model/x 2>&1; /model/models/tool 2>&1; stat -c 'owner %u' /model/models/private
    """
    kubectl.apply(registry.pull_secret("pull"))
    kubectl.apply(reading("reader", script, f"{registry.name}/team/model:1"))
    kubectl.phase("reader", "Succeeded")

    log = kubectl.says("reader", "owner")
    assert "weights two" in log
    assert "old: No such file" in log or "old': No such file" in log
    assert "Read-only file system" in log
    assert "Permission denied" in log
    messages = [message for reason, message in kubectl.events("pods/reader") if reason in ("Pulling", "Pulled")]
    assert f'Pulling image "{registry.name}/team/model:1"' in messages

    part = reading("part", "cat /model/weights", f"{registry.name}/team/model:1", "Never", subPath="models")
    kubectl.apply(part)
    kubectl.phase("part", "Succeeded")
    assert kubectl.says("part", "two").strip() == "two"

    kubectl.apply(reading("none", "true", f"{registry.name}/team/model:1", subPath="data"))
    kubectl.until("pods/none", lambda pod: waiting(pod) == "ImageVolumeMountFailed")


def test_what_keeps_an_image_from_being_mounted_is_reported(kubectl: PodShell, registry: RegistryServer) -> None:
    image = f"{registry.name}/team/model:1"
    kubectl.apply(reading("denied", "true", image))
    kubectl.apply(reading("never", "true", f"{registry.name}/team/other:1", "Never"))
    kubectl.apply(reading("invalid", "true", "Not An Image"))
    kubectl.apply(once("unused", "echo fine", volumes=[{"name": "model", "image": {"reference": image}}]))

    def message(name: str, *reasons: str) -> str:
        found = kubectl.until(f"pods/{name}", lambda pod: waiting(pod) in reasons)
        return found["status"]["containerStatuses"][0]["state"]["waiting"]["message"]

    assert "no basic auth credentials" in message("denied", "ErrImagePull", "ImagePullBackOff")
    assert "image pull secrets (pull)" in kubectl.event("pods/denied", "FailedToRetrieveImagePullSecret")
    assert any(f'Failed to pull image "{image}"' in message for _, message in kubectl.events("pods/denied"))
    assert "is not present with pull policy of Never" in message("never", "ErrImageNeverPull")
    assert "invalid reference format" in message("invalid", "InvalidImageName")
    kubectl.phase("unused", "Succeeded")
    kubectl("delete pod denied never invalid --wait=true")
