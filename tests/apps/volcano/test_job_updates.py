"""What may change in a Volcano Job."""

from typing import Any

import pytest

from windlass.apps.volcano.job_updates import update_problem

from .builders import a_job, a_task

FIXED = "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec`"
CLAIM = {"resources": {"requests": {"storage": "1Gi"}}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (a_job(), a_job()),
        (a_job(), a_job(minAvailable=1)),
        (a_job(), a_job(a_task(replicas=5))),
        (a_job(), a_job(a_task(minAvailable=1))),
        (a_job(), a_job(priorityClassName="high")),
        (a_job(), a_job(policies=[], plugins={})),
        (a_job(volumes=[{"mountPath": "/a", "volumeClaim": CLAIM}]),
         a_job(volumes=[{"mountPath": "/a", "volumeClaim": CLAIM, "volumeClaimName": "demo-pvc-1"}])),
    ],
)  # fmt: skip
def test_numbers_of_pods_and_the_priority_may_change(old: Any, new: Any) -> None:
    assert update_problem(new, old) == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (a_job(), a_job(queue="other"), FIXED),
        (a_job(), a_job(maxRetry=5), FIXED),
        (a_job(), a_job(a_task(template={"spec": {}})), FIXED),
        (a_job(), a_job(a_task("other")), FIXED),
        (a_job(plugins={"env": []}), a_job(), FIXED),
        (a_job(volumes=[{"mountPath": "/a", "volumeClaimName": "a"}]),
         a_job(volumes=[{"mountPath": "/a", "volumeClaimName": "b"}]), FIXED),
        (a_job(), a_job(a_task(), a_task("b")), "job updates may not add or remove tasks"),
        (a_job(a_task(), a_task("b")), a_job(), "job updates may not add or remove tasks"),
        (a_job(), a_job(minAvailable=3), "job 'minAvailable' must not be greater than total replicas"),
        (a_job(), a_job(a_task(minAvailable=3)), "'minAvailable' must be <= 'replicas' in task: worker;"),
    ],
)  # fmt: skip
def test_nothing_else_may(old: Any, new: Any, told: str) -> None:
    assert update_problem(new, old) == told


def test_a_job_that_would_not_be_accepted_today_may_still_be_marked() -> None:
    bad = a_job(minAvailable=9)

    assert update_problem({**bad, "metadata": {"name": "demo", "labels": {"a": "b"}}}, bad) == ""
