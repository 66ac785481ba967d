"""What only an event of a board's pod says is repeated on the Tensorboard."""

import pytest

from tests.controllers.reissuing import an_event, repeat
from windlass.apps.tensorboards.controllers.reissued_events import REPEATED
from windlass.kube.testing import NOW, MemoryServer

BOARD = {
    "apiVersion": "tensorboard.kubeflow.org/v1alpha1",
    "kind": "Tensorboard",
    "metadata": {"name": "tb", "namespace": "ml"},
    "spec": {"logspath": "gs://bucket/logs"},
}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tb-1", "namespace": "ml", "labels": {"app": "tb"}}}
OTHER = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "ml", "labels": {"app": "web"}}}
KNOWN = (BOARD, POD, OTHER)
MISSING = 'secret "user-gcp-sa" not found'


async def test_a_volume_that_cannot_be_mounted_is_repeated() -> None:
    event = an_event("Pod", "tb-1", reason="FailedMount", message=MISSING)

    (made,) = await repeat(REPEATED, MemoryServer(lambda: NOW), event, known=KNOWN)

    assert (made.type, made.reason) == ("Warning", "FailedMount")
    assert made.message == f"Reissued from pod/tb-1: {MISSING}"
    assert (made.involved_object.kind, made.involved_object.name) == ("Tensorboard", "tb")
    assert made.source.component == "tensorboard-controller"


@pytest.mark.parametrize(("pod", "reason"), [("tb-1", "BackOff"), ("tb-1", "FailedScheduling"), ("web", "FailedMount")])
async def test_what_the_controller_reports_and_events_of_others_are_not(pod: str, reason: str) -> None:
    assert await repeat(REPEATED, MemoryServer(lambda: NOW), an_event("Pod", pod, reason=reason), known=KNOWN) == []
