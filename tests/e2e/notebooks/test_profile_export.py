"""An export of a profile with its data, applied to another profile."""

import io
import tarfile
from pathlib import Path

import pytest
import yaml

from tests.e2e.notebooks.desk import Desk, desk_of_a_profile
from tests.gateway.platform import Platform
from tests.support import KUBECTL

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]

OBJECTS = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {token: hidden}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: busybox, command: [sleep, infinity]}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: writer}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox
        command: [sh, -c, 'mkdir /data/runs && echo 42 > /data/runs/result && ln -s runs/result /data/newest']
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""


def exported(desk: Desk, file: Path, *flags: str) -> tarfile.TarFile:
    done = desk.platform.windlass("profile", "export", desk.namespace, "-o", str(file), *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    return tarfile.open(fileobj=io.BytesIO(file.read_bytes()))


def names_in(archive: tarfile.TarFile, member: str) -> set[tuple[str, str]]:
    text = archive.extractfile(member)
    assert text is not None
    return {(one["kind"], one["metadata"]["name"]) for one in yaml.safe_load_all(text.read())}


def test_an_export_has_objects_and_files_and_is_applied_elsewhere(platform: Platform, tmp_path: Path) -> None:
    with desk_of_a_profile(platform) as desk, desk_of_a_profile(platform) as other:
        desk.apply(OBJECTS)
        desk.kubectl("wait", "--for=condition=Complete", "job/writer", "--timeout=90s")
        name = desk.namespace

        with exported(desk, tmp_path / "plain.tar.gz") as archive:
            assert not [one for one in archive.getnames() if "volumes" in one]
            assert names_in(archive, f"{name}/profile.yaml") == {("Profile", name)}
            objects = names_in(archive, f"{name}/objects.yaml")
            assert {("PersistentVolumeClaim", "data"), ("Deployment", "web")} <= objects
            assert not {"Secret", "Pod", "ReplicaSet", "Event", "Job"} & {kind for kind, _ in objects}
            assert names_in(archive, f"{name}/finished.yaml") == {("Job", "writer")}
        again = platform.windlass("profile", "export", name, "-o", str(tmp_path / "plain.tar.gz"))
        assert (again.returncode, "already exists" in again.stderr) == (1, True)

        with exported(desk, tmp_path / "all.tar.gz", "--with-data", "--with-secrets") as archive:
            assert ("Secret", "key") in names_in(archive, f"{name}/objects.yaml")
            result = archive.extractfile(f"{name}/volumes/data/runs/result")
            assert result is not None
            assert result.read() == b"42\n"
            assert archive.getmember(f"{name}/volumes/data/newest").linkname == "runs/result"
            text = archive.extractfile(f"{name}/objects.yaml")
            assert text is not None
            moved = text.read().decode().replace(f"namespace: {name}", f"namespace: {other.namespace}")

        other.kubectl("apply", "-f", "-", stdin=moved)
        other.kubectl("rollout", "status", "deployment/web", "--timeout=90s")
        assert other.get("secret", "key")["data"]["token"] == "aGlkZGVu"
        assert other.get("pvc", "data")["spec"].get("volumeName") != desk.get("pvc", "data")["spec"]["volumeName"]


def test_a_profile_that_is_not_there_is_named(platform: Platform, tmp_path: Path) -> None:
    done = platform.windlass("profile", "export", "nobody", "-o", str(tmp_path / "x.tar.gz"))

    assert done.returncode == 1
    assert "nobody" in done.stderr
    assert not (tmp_path / "x.tar.gz").exists()
