"""Which of three places says where the artifacts of a run go."""

import pytest

from windlass.apps.pipelines.artifacts.stores.store_settings import LauncherConfig
from windlass.apps.pipelines.model import Run
from windlass.apps.pipelines.runs.artifacts.pipeline_roots import pipeline_root

S3 = "s3: {default: {region: eu-west-1}}"


@pytest.mark.parametrize(
    ("of_run", "of_pipeline", "providers", "root"),
    [
        ("s3://run/", "minio://mlpipeline/own", "", "s3://run"),
        ("", "minio://mlpipeline/own/", "", "minio://mlpipeline/own"),
        ("", "s3://bucket/own", S3, "s3://bucket/own"),
        ("", "s3://bucket/own?endpoint=host:9000", "", "s3://bucket/own?endpoint=host:9000"),
        ("", "s3://bucket/own", "s3: 7", "s3://bucket/own"),
        ("", "s3://bucket/own", "", "minio://namespace"),
        ("", "gs://bucket/own", S3, "minio://namespace"),
        ("", "dummy_root", S3, "minio://namespace"),
        ("", "https://example.com/own", S3, "minio://namespace"),
        ("", 7, S3, "minio://namespace"),
        ("", None, S3, "minio://namespace"),
    ],
)
def test_the_root_of_a_pipeline_counts_where_it_can_be_written_to(
    of_run: str, of_pipeline: object, providers: str, root: str
) -> None:
    spec = {} if of_pipeline is None else {"defaultPipelineRoot": of_pipeline}
    run = Run(run_id="1", namespace="ns", display_name="r", resource_name="r-1", spec=spec, pipeline_root=of_run)

    assert pipeline_root(run, LauncherConfig("minio://namespace/", providers)) == root
