"""Which rights open a viewer."""

from typing import Any

import msgspec
import pytest

from windlass.apis.access import Access
from windlass.apps.volumes.admission import default_pod_spec
from windlass.apps.volumes.entrance import ENTRANCE, is_file_browser, reading_accesses
from windlass.apps.volumes.kinds import PVCViewer

ENTER = Access("update", "kubeflow.org", "pvcviewers", "ml", "files")
READ = (
    Access("get", "kubeflow.org", "pvcviewers", "ml", "files"),
    Access("get", "", "persistentvolumeclaims", "ml", "data"),
)


def a_viewer(pod: dict[str, Any] | None = None, **container: Any) -> PVCViewer:
    spec = default_pod_spec("data")
    spec["containers"][0].update(container)
    body = {
        "metadata": {"name": "files", "namespace": "ml"},
        "spec": {"pvc": "data", "podSpec": {**spec, **(pod or {})}},
    }
    return msgspec.convert(body, PVCViewer)


def test_file_browser_opens_for_those_who_may_read_the_viewer_and_its_claim() -> None:
    assert ENTRANCE.access("ml", "files") == ENTER
    assert reading_accesses(a_viewer()) == READ


SECRET = {"name": "s", "secret": {"secretName": "keys"}}
CLAIM = {"name": "viewer-volume", "persistentVolumeClaim": {"claimName": "data"}}
OTHER = {"name": "other", "persistentVolumeClaim": {"claimName": "private"}}


@pytest.mark.parametrize(
    "viewer",
    [
        a_viewer(image="example.com/terminal:latest"),
        a_viewer(command=["sh"]),
        a_viewer(args=["/", "8080"]),
        a_viewer(env=[{"name": "PYTHONPATH", "value": "/data"}]),
        a_viewer(lifecycle={"postStart": {"exec": {"command": ["sh"]}}}),
        a_viewer(volumeMounts=[{"name": "viewer-volume", "mountPath": "/"}]),
        a_viewer({"volumes": [CLAIM, SECRET]}),
        a_viewer({"volumes": [CLAIM, OTHER]}),
        a_viewer({"initContainers": [{"name": "first", "image": "x"}]}),
        a_viewer({"containers": []}),
        a_viewer({"containers": [{"name": "a"}, {"name": "b"}]}),
    ],
)
def test_pod_that_is_more_than_the_file_browser_keeps_readers_out(viewer: PVCViewer) -> None:
    assert not is_file_browser(viewer)
    assert reading_accesses(viewer) == ()
