"""What outlives a pod, and what outlives Windlass: claimed volumes, and the pods themselves if so wished."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, Platforms, new_namespace
from tests.e2e.node.pods import Object, PodShell, container, is_ready, named, pod, state, status, template
from tests.support import eventually

pytestmark = pytest.mark.kubectl

DIARY = "cat /proc/sys/kernel/random/uuid >> /data/diary; echo written; exec sleep infinity"
MOUNT = [{"name": "data", "mountPath": "/data"}]


@pytest.fixture
def own(platforms: Platforms, user: str, platform: Platform) -> Iterator[Platform]:
    """A Windlass of the test's own, which it may stop and start."""
    del platform  # requested only because it shows whether pods can run here
    one = platforms.fresh(user)
    one.up()
    yield one
    one.down()


def claim(name: str, storage_class: str = "") -> Object:
    spec: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    if storage_class:
        spec["storageClassName"] = storage_class
    return named("PersistentVolumeClaim", name, spec=spec)


def user_of_notes(name: str, script: str) -> Object:
    notes = {"name": "data", "persistentVolumeClaim": {"claimName": "notes"}}
    return pod(name, container(script, volumeMounts=MOUNT), volumes=[notes], restartPolicy="Never")


def stateful_set() -> Object:
    return named(
        "StatefulSet", "db", "apps/v1",
        spec={
            "serviceName": "db",
            "replicas": 2,
            "selector": {"matchLabels": {"app": "db"}},
            "template": template("db", container(DIARY, volumeMounts=MOUNT)),
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim("data")["spec"]}],
        },
    )  # fmt: skip


def diary(kubectl: PodShell, name: str) -> list[str]:
    return kubectl(f"exec {name} -- cat /data/diary").splitlines()


@pytest.mark.timeout(300)
def test_windlass_comes_back_with_its_data_and_the_pods_that_it_was_told_to_keep(own: Platform, tmp_path: Path) -> None:
    kubectl = PodShell(own, new_namespace(own), tmp_path)
    kubectl.apply(stateful_set(), pod("witness", container("echo only once; exec sleep infinity")))
    kubectl("rollout status statefulset/db --timeout=120s")
    for name in ("db-0", "db-1"):
        kubectl.says(name, "written")
    before = {name: diary(kubectl, name) for name in ("db-0", "db-1")}
    witness = kubectl.ready("witness")
    kubectl.says("witness", "only once")

    own.down("--keep-pods")
    own.up()
    after = kubectl.ready("witness")
    assert status(after)["containerID"] == status(witness)["containerID"]
    assert state(after) == state(witness)
    assert status(after)["restartCount"] == 0
    assert kubectl("exec witness -- echo still here") == "still here"
    assert kubectl("logs witness") == "only once"
    assert {name: diary(kubectl, name) for name in before} == before

    old = {status(each)["containerID"] for each in kubectl.pods()}
    own.down()
    own.up()
    for name in ("witness", *before):
        kubectl.until(f"pods/{name}", lambda now: is_ready(now) and status(now)["containerID"] not in old)
    for name, lines in before.items():
        kubectl.says(name, "written")
        assert diary(kubectl, name)[:-1] == lines


def test_a_claim_stays_when_its_pod_goes_and_frees_its_folder_when_it_goes(kubectl: PodShell) -> None:
    writer = user_of_notes("writer", "echo kept > /data/note")
    kubectl.apply(claim("notes"))
    assert kubectl.get("persistentvolumeclaims/notes")["status"]["phase"] == "Pending"
    kubectl.apply(writer)
    kubectl.phase("writer", "Succeeded")
    kubectl("delete pod writer")

    bound = kubectl.get("persistentvolumeclaims/notes")
    assert bound["status"]["phase"] == "Bound"
    assert bound["status"]["capacity"] == {"storage": "1Mi"}
    folder = volumes(kubectl) / kubectl.server.get(volume_of(bound))["spec"]["csi"]["volumeHandle"]
    assert (folder / "note").read_text() == "kept\n"

    reader = user_of_notes("reader", "cat /data/note")
    kubectl.apply(reader)
    kubectl.phase("reader", "Succeeded")
    assert kubectl("logs reader") == "kept"

    kubectl("delete pod reader")
    kubectl("delete pvc notes --timeout=60s")
    eventually(lambda: kubectl.server.request("GET", volume_of(bound)).status == 404, 60, "the volume goes")
    assert not folder.exists()


def test_a_volume_of_a_class_that_retains_keeps_its_data(kubectl: PodShell) -> None:
    kept = named("StorageClass", f"kept-{kubectl.namespace}", "storage.k8s.io/v1")
    kept.update(provisioner="rancher.io/local-path", reclaimPolicy="Retain", volumeBindingMode="WaitForFirstConsumer")
    writer = user_of_notes("writer", "echo kept > /data/note")
    kubectl.apply(kept, claim("notes", kept["metadata"]["name"]), writer)
    kubectl.phase("writer", "Succeeded")
    bound = kubectl.get("persistentvolumeclaims/notes")
    folder = volumes(kubectl) / kubectl.server.get(volume_of(bound))["spec"]["csi"]["volumeHandle"]

    kubectl("delete pod writer")
    kubectl("delete pvc notes --timeout=60s")

    eventually(
        lambda: kubectl.server.get(volume_of(bound))["status"]["phase"] == "Released", 60, "the volume is released"
    )
    assert (folder / "note").read_text() == "kept\n"
    kubectl(f"delete pv {bound['spec']['volumeName']}")
    kubectl(f"delete storageclass {kept['metadata']['name']}")


def volumes(kubectl: PodShell) -> Path:
    return kubectl.server.data_dir / "volumes"


def volume_of(bound: Object) -> str:
    return f"/api/v1/persistentvolumes/{bound['spec']['volumeName']}"
