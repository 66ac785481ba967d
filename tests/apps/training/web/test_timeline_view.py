"""The view of the timeline. Pure."""

from datetime import UTC, datetime

from tests.gateway.views.builders import a_group, a_node, a_pod
from windlass.apis.assumptions import Assumption
from windlass.apps.training.web.views.timeline_blocks import Expected, Outlook, timeline_view
from windlass.gateway.views.visibility import only

NOW = datetime(2026, 1, 1, 11, 0, tzinfo=UTC)


def test_pods_of_a_gang_on_a_node_are_one_block_and_forecasts_follow_now() -> None:
    started = "2026-01-01T10:30:00Z"
    pods = [a_pod(name, node="vm", phase="Running", startTime=started) for name in ("g-0", "g-1")]
    for pod in pods:
        pod["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": "g"}
    later = NOW.timestamp() + 600
    outlook = Outlook(
        [Expected("secret/next", "vm", later, later + 60, 3)],
        ["ml/never", "secret/never"],
        [Assumption("Preempted", 2)],
    )

    found = timeline_view([a_node("vm")], pods, [a_group("g")], outlook, only({"ml"}), NOW)

    assert [(one.gang, one.state, one.pods, one.share) for one in found.blocks] == [
        ("ml/g", "running", 2, 0.5),
        ("#1", "forecast", 3, 0.0),
    ]
    assert found.blocks[0].lane == found.blocks[1].lane == 0
    assert found.waiting_without_forecast == ("ml/never",)
    assert {gang.id for gang in found.gangs} == {"ml/g", "#1", "ml/never"}
    assert [(one.code, one.count, one.text) for one in found.assumptions] == [
        ("Preempted", 2, "2 pods are preempted, and taken to terminate at once")
    ]
    assert "secret" not in repr(found)
