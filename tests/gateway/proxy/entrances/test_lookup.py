"""Which entrance a path has, and the right that it needs."""

import pytest

from windlass.apis.access import Access
from windlass.gateway.proxy.entrances.lookup import entrance_at, entrance_of, needed_access

ENTER = Access("update", "kubeflow.org", "pvcviewers", "ml", "files")


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
    assert entrance_at(path) is entrance_of(needed)


def test_a_path_below_a_viewer_needs_the_right_to_enter_it() -> None:
    assert needed_access("/pvcviewers/ml/files/api/list") == ENTER
