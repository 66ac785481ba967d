"""Models in images of a registry: imported by kfp's SDK, and mounted where it expects them."""

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import HERE, KFP2, Kfp
from tests.e2e.training.sdk_environment import run_story, sdk_python
from tests.node.oci.builders import entry, layer
from tests.node.oci.registry_server import registry_server

pytestmark = pytest.mark.timeout(600)

SOON = 10
"""Seconds; containers may wait six times as long for a Secret."""


def test_a_pipeline_reads_a_model_in_an_image(desk: Desk, kfp: Kfp, tmp_path_factory: pytest.TempPathFactory) -> None:
    with (
        registry_server(tmp_path_factory.mktemp("registry"), user="ann", password="secret") as registry,
        registry.named_in(desk.platform.data_dir),
    ):
        registry.push("team/model", "1", [layer(entry("models/weights", b"0.5"))])
        registry.push("team/other", "1", [layer(entry("files/weights", b"0.5"))])
        desk.apply(registry.pull_secret("registry"))
        whole, missing, other = (f"oci://{registry.name}/team/{name}:1" for name in ("model", "missing", "other"))

        words = (f"{kfp.url}/pipeline", kfp.token, kfp.namespace, whole, missing, other)
        runs = run_story(sdk_python(*KFP2), HERE / "kfp2_model_image_stories.py", words, 400)

    assert runs[whole]["state"] == "SUCCEEDED", runs
    assert runs[whole]["output"] == f"/oci/{registry.name}_team_model:1/models 0.5"
    assert runs[missing]["state"] == "FAILED"
    assert any("manifest unknown" in error for error in runs[missing]["errors"]), runs[missing]
    assert runs[other]["state"] == "FAILED"
    assert any('has no "models"' in error for error in runs[other]["errors"]), runs[other]
    assert runs[other]["seconds"] < SOON, "images do not change: there is nothing to wait for"
