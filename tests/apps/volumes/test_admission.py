"""A PVCViewer gets a file browser, and is refused where its pod lacks the volume."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from windlass.apis.options import BadOption
from windlass.apps.volumes.admission import default_pod_spec, problems, use_options, use_pod_spec, with_defaults
from windlass.apps.volumes.options import Options


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


def test_a_configured_pod_gets_the_volume_and_keeps_its_own(configured: None) -> None:
    spec = with_defaults(a_viewer(pvc="data"))["spec"]["podSpec"]

    assert spec["containers"] == [{"name": "browse", "image": "mine"}]
    assert spec["volumes"] == [
        {"name": "tmp", "emptyDir": {}},
        {"name": "viewer-volume", "persistentVolumeClaim": {"claimName": "data"}},
    ]
    assert problems(a_viewer(pvc="data", podSpec=spec)) == []
    assert with_defaults(a_viewer(pvc="other"))["spec"]["podSpec"]["volumes"][1]["persistentVolumeClaim"] == {
        "claimName": "other"
    }


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[None]:
    path = tmp_path / "pod.yaml"
    path.write_text("containers: [{name: browse, image: mine}]\nvolumes: [{name: tmp, emptyDir: {}}]\n")
    use_options(Options(pod_spec_file=str(path)))
    yield
    use_pod_spec({})


@pytest.mark.parametrize("text", [None, "[]", "volumes: []", "{"])
def test_a_file_without_a_pod_is_refused_at_the_start(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "pod.yaml"
    if text is not None:
        path.write_text(text)

    with pytest.raises(BadOption, match="DEFAULT_POD_SPEC_PATH"):
        use_options(Options(pod_spec_file=str(path)))
    assert with_defaults(a_viewer(pvc="data"))["spec"]["podSpec"] == default_pod_spec("data")
