"""What nodes offer and how much of it is free. Pure."""

from tests.gateway.views.builders import a_node, a_pod
from windlass.gateway.views.capacity import node_rows
from windlass.gateway.views.home.home_rows import Measured, capacity_rows
from windlass.gateway.views.visibility import only


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
