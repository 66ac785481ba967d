import asyncio
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from tests.kube.live import managed, until
from windlass.apis.apps_v1 import ControllerRevision, DaemonSet, DaemonSetSpec, DaemonSetStatus
from windlass.apis.core_v1 import Node, NodeSpec, Pod, PodCondition, PodStatus, ServiceAccount, Taint
from windlass.controllers.core import daemon_sets
from windlass.controllers.core.daemon_pods import node_of
from windlass.controllers.core.daemon_sets import CONTROLLER
from windlass.kube import testing
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.manager import Manager
from windlass.kube.meta import Key, LabelSelector, ObjectMeta
from windlass.kube.plan import Plan
from windlass.kube.testing import created, deleted

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_template(image: str = "i:1", **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": image}]
    return {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": containers, **spec}}


def a_daemon(template: dict[str, Any] | None = None, **spec: Any) -> DaemonSet:
    note = {"deprecated.daemonset.template.generation": "1"}
    return DaemonSet(
        metadata=ObjectMeta(name="d", namespace="n", uid="d1", generation=1, annotations=note),
        spec=DaemonSetSpec(
            selector=LabelSelector(match_labels={"app": "d"}), template=template or a_template(),
            **{"update_strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}, **spec},
        ),
    )  # fmt: skip


def a_node(name: str, *taints: tuple[str, str], **labels: str) -> Node:
    listed = [Taint(key=key, effect=effect) for key, effect in taints]
    return Node(metadata=ObjectMeta(name=name, labels=labels), spec=NodeSpec(taints=listed))


class World:
    def __init__(self, daemon: DaemonSet, nodes: list[Node]) -> None:
        self.world = testing.World(CONTROLLER, namespace="n", now=NOW)
        self.world.put(daemon)
        for node in nodes:
            self.world.put(node)

    @property
    def nodes(self) -> testing.Objects[Node]:
        return self.world.all(Node)

    @property
    def pods(self) -> testing.Objects[Pod]:
        return self.world.all(Pod)

    @property
    def revisions(self) -> testing.Objects[ControllerRevision]:
        return self.world.all(ControllerRevision)

    def plan(self) -> Plan:
        return self.world.plan("d")

    def step(self) -> Plan:
        return self.world.step("d")

    def bring_up(self, phase: str = "Running") -> None:
        ready = PodCondition(type="Ready", status="True" if phase == "Running" else "False")
        for name, pod in self.pods.items():
            self.pods[name] = msgspec.structs.replace(pod, status=PodStatus(phase=phase, conditions=[ready]))

    def change(self, **spec: Any) -> None:
        daemon = self.world.get(DaemonSet, "d")
        self.world.put(msgspec.structs.replace(daemon, spec=msgspec.structs.replace(daemon.spec, **spec)))

    def images(self) -> list[str]:
        return sorted(pod.spec.containers[0].image for pod in self.pods.values())


def up(nodes: int = 3, **spec: Any) -> World:
    world = World(a_daemon(**spec), [a_node(f"n{number}") for number in range(nodes)])
    world.step()
    world.bring_up()
    world.world.wait(3600)
    return world


def counts(plan: Plan) -> tuple[int | None, ...]:
    status = plan.status
    assert isinstance(status, DaemonSetStatus)
    return (
        status.desired_number_scheduled,
        status.current_number_scheduled,
        status.number_ready,
        status.updated_number_scheduled,
        status.number_available,
        status.number_misscheduled,
    )


def test_each_node_gets_a_pod_that_only_it_can_have() -> None:
    world = World(a_daemon(), [a_node("n0"), a_node("n1")])
    made: list[Any] = [child for child in created(world.plan()) if isinstance(child, dict) and child["kind"] == "Pod"]
    terms = [
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        for pod in made
    ]
    assert terms == [
        [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}] for name in ("n0", "n1")
    ]
    assert {
        (one["key"].removeprefix("node.kubernetes.io/"), one["effect"]) for one in made[0]["spec"]["tolerations"]
    } == {
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    }
    labels = made[0]["metadata"]["labels"]
    assert labels["pod-template-generation"] == "1"
    assert made[0]["metadata"]["name"].startswith("d-")
    world.step()
    (revision,) = world.revisions.values()
    assert revision.metadata.name == f"d-{labels['controller-revision-hash']}"


@pytest.mark.parametrize(
    ("spec", "node", "runs"),
    [
        ({}, a_node("n"), True),
        ({"nodeSelector": {"gpu": "yes"}}, a_node("n"), False),
        ({"nodeSelector": {"gpu": "yes"}}, a_node("n", gpu="yes"), True),
        ({}, a_node("n", ("dedicated", "NoSchedule")), False),
        ({}, a_node("n", ("dedicated", "PreferNoSchedule")), True),
        ({}, a_node("n", ("node.kubernetes.io/unschedulable", "NoSchedule")), True),
        ({}, a_node("n", ("node.kubernetes.io/network-unavailable", "NoSchedule")), False),
        ({"hostNetwork": True}, a_node("n", ("node.kubernetes.io/network-unavailable", "NoSchedule")), True),
        ({"tolerations": [{"operator": "Exists"}]}, a_node("n", ("dedicated", "NoExecute")), True),
        ({"tolerations": [{"key": "dedicated", "value": "x"}]}, a_node("n", ("dedicated", "NoSchedule")), False),
    ],
)
def test_nodes_are_chosen_by_selector_and_taints(spec: dict[str, Any], node: Node, *, runs: bool) -> None:
    plan = World(a_daemon(a_template(**spec)), [node]).plan()
    assert counts(plan)[0] == int(runs)


@pytest.mark.parametrize(
    ("requirement", "runs"),
    [
        ({"key": "size", "operator": "In", "values": ["5"]}, True),
        ({"key": "size", "operator": "NotIn", "values": ["5"]}, False),
        ({"key": "size", "operator": "Exists"}, True),
        ({"key": "size", "operator": "DoesNotExist"}, False),
        ({"key": "size", "operator": "Gt", "values": ["4"]}, True),
        ({"key": "size", "operator": "Lt", "values": ["4"]}, False),
    ],
)
def test_nodes_are_chosen_by_affinity(requirement: dict[str, Any], *, runs: bool) -> None:
    terms = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    plan = World(a_daemon(a_template(affinity=affinity)), [a_node("n", size="5")]).plan()
    assert counts(plan)[0] == int(runs)


def test_a_new_node_gets_its_pod_and_a_node_that_fits_no_more_loses_it() -> None:
    world = up(1)
    world.nodes["n9"] = a_node("n9")
    assert counts(world.step()) == (2, 1, 1, 1, 1, 0)
    assert len(world.pods) == 2
    world.nodes["n9"] = a_node("n9", ("dedicated", "NoExecute"))
    assert counts(world.step()) == (1, 1, 1, 1, 1, 1)
    assert len(world.pods) == 1


def test_a_pod_stays_on_a_node_that_takes_no_new_ones() -> None:
    world = up(1)
    world.nodes["n0"] = a_node("n0", ("dedicated", "NoSchedule"))
    plan = world.step()
    assert (len(world.pods), counts(plan)[0], counts(plan)[5]) == (1, 0, 1)


def test_waiting_pods_of_a_node_that_is_gone_go_too() -> None:
    world = up(2)
    world.nodes.popitem()
    world.step()
    assert len(world.pods) == 1


@pytest.mark.parametrize(("phase", "reason"), [("Failed", "FailedDaemonPod"), ("Succeeded", "SucceededDaemonPod")])
def test_a_pod_that_ended_is_replaced(phase: str, reason: str) -> None:
    world = up(1)
    world.bring_up(phase)
    assert [note.reason for note in world.step().events] == [reason]
    world.step()
    assert len(world.pods) == 1


@pytest.mark.parametrize(("limit", "removed"), [(1, 1), (2, 2), ("50%", 2), ("100%", 3)])
def test_rolling_removes_as_many_old_pods_as_may_be_missing(limit: Any, removed: int) -> None:
    world = up(3, update_strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": limit}})
    world.change(template=a_template("i:2"))
    assert len(deleted(world.step())) == removed
    for _ in range(8):
        world.step()
        world.bring_up()
    assert world.images() == ["i:2"] * 3
    assert counts(world.plan()) == (3, 3, 3, 3, 3, 0)


def test_with_a_surge_the_new_pod_comes_before_the_old_one_goes() -> None:
    how = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    world = up(2, update_strategy=how)
    world.change(template=a_template("i:2"))
    world.step()
    assert world.images() == ["i:1", "i:1", "i:2"]
    assert deleted(world.step()) == []
    for _ in range(8):
        world.bring_up()
        world.step()
    assert world.images() == ["i:2", "i:2"]


def test_on_delete_leaves_old_pods_alone() -> None:
    world = up(2, update_strategy={"type": "OnDelete"})
    world.change(template=a_template("i:2"))
    world.step()
    assert world.images() == ["i:1", "i:1"]
    assert counts(world.plan())[3] == 0
    world.pods.popitem()
    world.step()
    assert world.images() == ["i:1", "i:2"]


def test_history_is_kept_to_its_limit() -> None:
    world = up(1, revision_history_limit=1)
    for number in range(2, 6):
        world.change(template=a_template(f"i:{number}"))
        for _ in range(4):
            world.step()
            world.bring_up()
    assert sorted(revision.revision for revision in world.revisions.values()) == [4, 5]


async def test_nodes_of_the_server_get_pods(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    await client.create(Node(metadata=ObjectMeta(name=room, labels={"only": room})))
    template = a_template(nodeSelector={"only": room})
    async with managed(client, daemon_sets.CONTROLLER):
        await client.create(msgspec.structs.replace(a_daemon(template), metadata=ObjectMeta(name="d", namespace=room)))

        async def running(ready: int) -> bool:
            status = (await client.get(DaemonSet, "d", room)).status
            return (status.current_number_scheduled, status.number_ready) == (1, ready)

        await until(lambda: running(0))
        (pod,) = (await client.list(Pod, room)).items
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        await client.set_status(KINDS.of(Pod), pod.metadata.key, status)
        await until(lambda: running(1))
    await client.delete(KINDS.of(Node), Key("", room))


async def test_managers_that_are_killed_at_any_moment_make_no_pod_twice(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    names = [f"{room}-{number}" for number in range(6)]
    for name in names:
        await client.create(Node(metadata=ObjectMeta(name=name, labels={"only": room})))
    daemon = a_daemon(a_template(nodeSelector={"only": room}))
    await client.create(msgspec.structs.replace(daemon, metadata=ObjectMeta(name="d", namespace=room)))
    for lifetime in range(1, 200):
        running = asyncio.create_task(Manager(client, [daemon_sets.CONTROLLER]).run(asyncio.Event()))
        await asyncio.sleep(0.005 * (lifetime % 20) * (1 + lifetime // 20))
        running.cancel()
        await asyncio.wait({running})
        at = [node_of(pod) for pod in (await client.list(Pod, room)).items]
        assert len(set(at)) == len(at)
        if len(at) == 6 and (await client.get(DaemonSet, "d", room)).status.current_number_scheduled == 6:
            break
    else:
        pytest.fail("it never got its pods")
    for name in names:
        await client.delete(KINDS.of(Node), Key("", name))
