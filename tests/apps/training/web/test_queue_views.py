"""Queues, the timeline and what is free."""

from datetime import UTC, datetime

from tests.gateway.views.builders import a_group, a_node, a_pod
from windlass.apis.assumptions import Assumption
from windlass.apps.training.web.views.queue_rows import QueueObjects, queues_view
from windlass.apps.training.web.views.timeline_blocks import Expected, Outlook, timeline_view
from windlass.gateway.views.capacity import node_rows
from windlass.gateway.views.namespaced.home_rows import Measured, capacity_rows
from windlass.gateway.views.visibility import EVERYTHING, only

NOW = datetime(2026, 1, 1, 11, 0, tzinfo=UTC)
QUEUE = {
    "metadata": {"name": "default"},
    "spec": {"deserved": {"cpu": "4"}, "weight": 2},
    "status": {"state": "Open", "allocated": {"cpu": "1"}},
}


def test_what_a_queue_does_not_use_of_its_share_is_lent() -> None:
    (row,) = queues_view(QueueObjects([QUEUE], [], [], [], []), EVERYTHING, NOW).queues

    (cpu,) = row.resources
    assert (cpu.allocated.value, cpu.lent.value, cpu.borrowed.value, row.weight) == (1.0, 3.0, 0.0, 2)


def test_a_queue_that_uses_nothing_shows_what_it_could_use() -> None:
    idle = {**QUEUE, "spec": {}, "status": {"state": "Open"}}

    (row,) = queues_view(QueueObjects([idle], [], [], [a_node("vm")], []), EVERYTHING, NOW).queues

    assert [(one.resource, one.allocated.text) for one in row.resources] == [("cpu", "0"), ("memory", "0")]


def test_gangs_of_others_are_counted_and_not_named() -> None:
    groups = [a_group("mine"), a_group("theirs", "secret"), a_group("runs", phase="Running")]

    found = queues_view(QueueObjects([QUEUE], groups, [], [], []), only({"ml"}), NOW)

    (row,) = found.queues
    assert ([one.name for one in row.waiting], row.hidden_waiting) == (["mine"], 1)
    assert "secret" not in repr(found)


def test_a_node_has_free_what_its_pods_do_not_request() -> None:
    pods = [a_pod("a", node="vm", phase="Running"), a_pod("b", node="vm", phase="Succeeded"), a_pod("c")]

    (row,) = node_rows([a_node("vm")], pods)

    assert (row.pods, row.resources[0].used.text, row.resources[0].free.text) == (1, "1", "3")


def test_amounts_are_written_for_people() -> None:
    (row,) = node_rows([a_node("vm", cpu="2400", memory="24159812Ki")], [])

    assert [one.free.text for one in row.resources] == ["2400", "23.0Gi"]
    assert [one.allocatable.text for one in row.resources] == ["2400", "23.0Gi"]


def test_capacity_sums_up_what_others_hold_without_their_names() -> None:
    pods = [a_pod("a", node="vm", phase="Running"), a_pod("b", "secret", node="vm", phase="Running")]

    cpu = capacity_rows([a_node("vm")], pods, (), only({"ml"}), Measured())[0]

    assert [(one.namespace, one.name, one.amount.value) for one in cpu.users] == [("", "", 1.0), ("ml", "a", 1.0)]


def test_requested_and_measured_use_are_two_quantities_of_each_resource() -> None:
    pods = [a_pod("a", node="vm", phase="Running")]
    volumes = [{"spec": {"capacity": {"storage": "10Gi"}}}, {"spec": {"capacity": {"storage": "2Gi"}}}]
    measured = Measured(cpu=3.5, memory=6 * 2.0**30, disk=(252 * 2.0**30, 65 * 2.0**30))

    rows = {one.resource: one for one in capacity_rows([a_node("vm")], pods, volumes, only({"ml"}), measured)}
    cpu, disk = rows["cpu"], rows["disk"]

    assert cpu.in_use is not None
    assert (cpu.requested.text, cpu.in_use.text, cpu.free.text, cpu.total.text) == ("1", "3.5", "3", "4")
    assert rows["memory"].in_use is not None
    assert rows["memory"].in_use.text == "6Gi"
    assert disk.in_use is not None
    assert (disk.requested.text, disk.in_use.text, disk.free.text) == ("12Gi", "187Gi", "65Gi")


def test_nothing_is_said_to_be_in_use_where_nothing_is_measured() -> None:
    rows = capacity_rows([a_node("vm")], [], (), only({"ml"}), Measured())

    assert {one.in_use for one in rows} == {None}
    assert "disk" not in [one.resource for one in rows]


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
