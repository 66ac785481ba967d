"""Metrics that tasks of v1 runs write."""

import json
from typing import Any

import pytest

from windlass.apps.pipelines.argo.kfp.metrics import Metric, is_metrics, metric_artifacts, read_metrics


def metrics(*items: Any) -> list[Metric]:
    return read_metrics(json.dumps({"metrics": items}).encode())


def test_both_spellings_of_the_value_are_read() -> None:
    found = metrics(
        {"name": "accuracy-score", "numberValue": 0.9, "format": "PERCENTAGE"}, {"name": "n", "number_value": 3}
    )

    assert found == [
        Metric(name="accuracy-score", number_value=0.9, format="PERCENTAGE"),
        Metric(name="n", number_value=3.0, format="UNSPECIFIED"),
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"name": "1st", "numberValue": 1},
        {"name": "ends-", "numberValue": 1},
        {"name": "a" * 65, "numberValue": 1},
        {"name": "x"},
        {"name": "x", "numberValue": "1"},
        {"name": "x", "numberValue": True},
        {"numberValue": 1},
        "x",
        None,
    ],
)
def test_what_is_no_metric_is_left_out(item: Any) -> None:
    assert metrics(item, {"name": "good", "numberValue": 1}) == [
        Metric(name="good", number_value=1.0, format="UNSPECIFIED")
    ]


def test_at_most_fifty_are_taken_and_broken_files_have_none() -> None:
    assert len(metrics(*({"name": f"m{n}", "numberValue": n} for n in range(60)))) == 50
    for content in (b"", b"nonsense", b"[]", b'{"metrics": 3}', b'{"metrics": [{"name": "x", "numberValue": NaN}]}'):
        assert read_metrics(content) == []


def test_artifacts_with_metrics_are_known_by_their_name() -> None:
    assert is_metrics("mlpipeline-metrics")
    assert is_metrics("train-mlpipeline_metrics")
    assert is_metrics("MLPipeline_Metrics")
    assert not is_metrics("mlpipeline-ui-metadata")


def test_only_nodes_that_succeeded_have_metrics() -> None:
    artifacts = [{"name": "mlpipeline-metrics", "s3": {"key": "k"}}]
    nodes = {
        id: {"id": id, "type": "Pod", "phase": phase, "outputs": {"artifacts": artifacts}}
        for id, phase in (("a", "Succeeded"), ("b", "Failed"))
    }

    assert list(metric_artifacts({"status": {"nodes": nodes}})) == [("a", "k")]
