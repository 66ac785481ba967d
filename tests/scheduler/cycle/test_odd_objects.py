"""Objects that the API accepts and that make no sense: they are read as something harmless."""

from typing import Any

import pytest

from windlass.scheduler.model.parsing import job_of, queue_of
from windlass.scheduler.model.pod_groups import VOLCANO, PodGroup


@pytest.mark.parametrize("weight", [0, -1, None])
def test_a_queue_weighs_at_least_one(weight: int | None) -> None:
    """kube-batch's queues are checked by nobody, and a sum of weights that is zero would be divided by."""
    assert queue_of({"metadata": {"name": "q"}, "spec": {"weight": weight}}).weight == 1


@pytest.mark.parametrize(
    "selector",
    [
        {"matchExpressions": [{"key": "a", "operator": "1"}]},
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        {"matchLabels": {"-": "x"}},
    ],
)
def test_a_selector_of_a_sub_group_that_cannot_be_read_selects_nothing(selector: dict[str, Any]) -> None:
    policy = {"name": "p", "labelSelector": selector}
    obj = {"metadata": {"name": "g", "namespace": "n", "uid": "u"}, "spec": {"subGroupPolicy": [policy]}}

    (found,) = job_of(PodGroup.of(VOLCANO, obj)).sub_groups

    assert not found.selector.matches({"a": "b"})
