"""A PVCViewer gets a file browser, and is refused where its pod lacks the volume."""

from typing import Any

import pytest

from windlass.apis.pvcviewers.admission import default_pod_spec, problems, with_defaults


def a_viewer(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "kubeflow.org/v1alpha1", "kind": "PVCViewer", "metadata": {"name": "v"}, "spec": spec}


def test_a_viewer_without_a_pod_gets_a_file_browser_over_its_volume() -> None:
    viewer = with_defaults(a_viewer(pvc="data"))

    (container,) = viewer["spec"]["podSpec"]["containers"]
    assert container["image"] == "windlass/file-browser:latest"
    assert container["ports"][0]["containerPort"] == 8080
    (volume,) = viewer["spec"]["podSpec"]["volumes"]
    assert volume == {"name": "viewer-volume", "persistentVolumeClaim": {"claimName": "data"}}
    assert problems(viewer) == []
    assert with_defaults(viewer) == viewer


def test_a_pod_of_the_users_own_stays() -> None:
    viewer = a_viewer(pvc="data", podSpec={"containers": [{"name": "mine"}]})

    assert with_defaults(viewer) == viewer


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({}, "spec.pvc: Required"),
        ({"pvc": ""}, "spec.pvc: Required"),
        ({"pvc": "data"}, "spec.podSpec: Required"),
        ({"pvc": "data", "podSpec": default_pod_spec("other")}, '"data" is not among them'),
        ({"pvc": "data", "podSpec": {"volumes": [{"name": "v", "emptyDir": {}}]}}, '"data" is not among them'),
    ],
)
def test_what_is_refused(spec: dict[str, Any], said: str) -> None:
    (problem,) = problems(a_viewer(**spec))

    assert said in problem
