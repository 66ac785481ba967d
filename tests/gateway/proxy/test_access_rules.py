"""Which rights open a route."""

from typing import Any

import msgspec
import pytest

from windlass.apps.volumes.admission import default_pod_spec
from windlass.apps.volumes.kinds import PVCViewer
from windlass.gateway.access.reviews import Access
from windlass.gateway.proxy.access_rules import is_file_browser, needed_access, reading_accesses

ENTER = Access("update", "kubeflow.org", "pvcviewers", "ml", "files")
READ = (
    Access("get", "kubeflow.org", "pvcviewers", "ml", "files"),
    Access("get", "", "persistentvolumeclaims", "ml", "data"),
)


def a_viewer(pod: dict[str, Any] | None = None, **container: Any) -> PVCViewer:
    spec = default_pod_spec("data")
    spec["containers"][0].update(container)
    body = {"metadata": {"name": "files"}, "spec": {"pvc": "data", "podSpec": {**spec, **(pod or {})}}}
    return msgspec.convert(body, PVCViewer)


@pytest.mark.parametrize(
    ("path", "needed"),
    [
        ("/notebook/ml/lab/", Access("update", "kubeflow.org", "notebooks", "ml", "lab")),
        ("/notebook/ml/lab/api/kernels", Access("update", "kubeflow.org", "notebooks", "ml", "lab")),
        ("/pvcviewers/ml/files/", ENTER),
        ("/tensorboard/ml/runs/data/plugins", Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "runs")),
        ("/tensorboard/ml/runs", Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "runs")),
        ("/notebooks/ml/lab/", None),
        ("/grafana/ml/lab/", None),
        ("/notebook/ml", None),
    ],
)
def test_the_right_that_a_path_needs(path: str, needed: Access | None) -> None:
    assert needed_access(path) == needed


def test_file_browser_opens_for_those_who_may_read_the_viewer_and_its_claim() -> None:
    assert needed_access("/pvcviewers/ml/files/api/list") == ENTER
    assert reading_accesses(ENTER, a_viewer()) == READ


def test_other_routes_and_unknown_viewers_need_update() -> None:
    notebook = needed_access("/notebook/ml/files/")

    assert notebook is not None
    assert notebook.verb == "update"
    assert reading_accesses(notebook, a_viewer()) == ()
    assert reading_accesses(ENTER, None) == ()


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
    assert reading_accesses(ENTER, viewer) == ()
