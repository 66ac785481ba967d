"""Which TensorBoard a place of logs has. The dashboard has the same tests, in pipelinesTensorboard.test.ts."""

import re

import pytest

from windlass.apps.pipelines.wire.tensorboards import board_name, logs_of


@pytest.mark.parametrize(
    ("source", "logs"),
    [
        ("minio://mlpipeline/artifacts/x/logs/", "pvc://pipeline-artifacts/minio/mlpipeline/artifacts/x/logs"),
        ("volume://data/logs", "pvc://data/logs"),
        ("s3://bucket/logs", "s3://bucket/logs"),
        ("gcs://bucket/logs", "gs://bucket/logs"),
        ("train:gs://bucket/a,test:gs://bucket/b", "gs://bucket/a"),
        ("/tmp/logs", ""),
        ("", ""),
    ],
)
def test_logs_are_read_where_the_task_wrote_them(source: str, logs: str) -> None:
    assert logs_of(source) == logs


def test_a_place_has_one_board_whose_name_is_allowed() -> None:
    place = f"s3://bucket/{'Very Long Name ' * 10}"

    assert board_name(place) == board_name(place)
    assert board_name("s3://a/logs") != board_name("s3://b/logs")
    for source in (place, "s3://b/2024-01", "s3://b/--"):
        assert re.fullmatch(r"[a-z]([-a-z0-9]{0,48}[a-z0-9])?", board_name(source))
