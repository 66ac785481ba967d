"""Features of the kfp SDK 2 that no scenario has: see kfp2_feature_stories.py for each pipeline."""

from typing import Any

import pytest

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import Kfp
from tests.support import eventually

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def features(kfp: Kfp) -> Any:
    """What became of all pipelines, run at once."""
    return kfp.run_features()


@pytest.mark.parametrize(
    ("pipeline", "outputs"),
    [
        ("values", {"Output": "(None, None, None, 'c')"}),
        ("lists", {"total": 28, "joined": "a+b+a+b"}),
        (
            "elsewhere",
            {
                "Output": {
                    "uri": "https://example.com/models/1",
                    "model": {"resourceName": "models/1"},
                    "data": {"k": ["k", "k!"], "fixed": {"in": "k"}},
                    "root": "minio://mlpipeline",
                }
            },
        ),
        ("furnished", {"Output": "left"}),
        ("old-component", {"Output": '4|{"a":1}|<t>|--none'}),
    ],
)
def test_a_pipeline_has_its_outputs(features: Any, pipeline: str, outputs: dict[str, object]) -> None:
    run = features[pipeline]

    assert run["state"] == "SUCCEEDED", run["failed"]
    assert run["outputs"] == outputs


def test_the_workspace_of_a_run_is_gone_while_its_pods_are_there(features: Any, desk: Desk) -> None:
    labels = {"pipeline/runid": features["furnished"]["run_id"]}

    eventually(lambda: desk.find("pvc", **labels) == [], 30, "the workspace is gone")
    assert len(desk.find("pods", **labels)) == 2


def test_inputs_say_where_they_come_from(features: Any) -> None:
    lists, values = features["lists"]["types"], features["values"]["types"]

    assert (lists["sum-rows.rows"], lists["join.texts"], lists["join.parts"]) == (
        "COLLECTED_INPUTS", "COLLECTED_INPUTS", "TASK_OUTPUT_INPUT",
    )  # fmt: skip
    assert values["check-types.s"] == "TASK_OUTPUT_INPUT"
    assert values["root.n"] == "COMPONENT_DEFAULT_INPUT"
