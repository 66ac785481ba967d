"""Which content is removed with a run."""

import pytest

from windlass.apps.pipelines.artifacts.ownership import belongs_to
from windlass.apps.pipelines.model import Run

RUN = Run(run_id="r-1", namespace="ml", display_name="r", resource_name="w-abcde")
V1 = Run(run_id="r-1", namespace="ml", display_name="r", resource_name="w-abcde", is_argo=True)


@pytest.mark.parametrize(
    ("run", "uri", "expected"),
    [
        (RUN, "minio://mlpipeline/v2/artifacts/p/r-1/train/x/model", True),
        (RUN, "s3://b/root/p/r-1/train/x/model?region=eu-1", True),
        (RUN, "s3://b/root/p/r-2/train/x/model", False),
        (RUN, "s3://r-1/other/model", False),
        (RUN, "s3://b/r-1", False),
        (RUN, "s3://b/r-1/../other/x", False),
        (RUN, "minio://mlpipeline/outside/data.csv", False),
        (RUN, "https://example.com/r-1/x", True),
        (V1, "minio://mlpipeline/artifacts/w-abcde/2026/01/02/pod/model.tgz", True),
        (V1, "minio://mlpipeline/artifacts/w-other/2026/01/02/pod/model.tgz", False),
        (V1, "minio://mlpipeline/artifacts/w-abcde", False),
    ],
)
def test_only_what_is_below_its_own_root(run: Run, uri: str, expected: bool) -> None:
    assert belongs_to(run, uri) is expected
