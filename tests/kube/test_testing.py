"""The in-memory world behaves as a server does where controllers rely on it."""

from typing import Any

from windlass.apis.core_v1 import ConfigMap, Pod, Secret
from windlass.kube.controller import Controller, Observed
from windlass.kube.errors import Forbidden
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Apply, Create, Delete, Event, Patch, Plan
from windlass.kube.testing import World


def a_config(**data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name="config"), data=data)


def copies(config: ConfigMap, observed: Observed) -> Plan:
    """A Secret with the data, then one more for each key; one that no key names goes."""
    whole = Secret(metadata=ObjectMeta(name="whole"), string_data=dict(config.data))
    made = {secret.metadata.name for secret in observed.owned(Secret)} - {"whole"}
    return Plan(
        [
            Apply(whole),
            *(Create(Secret(metadata=ObjectMeta(name=key))) for key in sorted(config.data.keys() - made)),
            *(Delete(secret) for secret in observed.owned(Secret) if secret.metadata.name in made - config.data.keys()),
        ],
        events=[Event(reason="Copied", message="all of it")],
    )


CONTROLLER = Controller("copies", ConfigMap, copies, owns=[Secret])


def a_world(**data: str) -> World:
    world = World(CONTROLLER)
    world.put(a_config(**data))
    return world


def test_actions_happen_in_the_order_of_the_plan_and_a_kill_leaves_the_rest_undone() -> None:
    made = ["whole", "a", "b", "c"]
    for writes in range(5):
        world = a_world(a="1", b="2", c="3")
        world.step("config", kill_after=writes)
        assert list(world.all(Secret)) == made[:writes]

        world.settle()
        assert sorted(world.all(Secret)) == sorted(made)


def test_children_belong_to_the_object_and_go_with_it() -> None:
    world = a_world(a="1")
    world.settle()
    assert [owner.name for owner in world.get(Secret, "a").metadata.owner_references] == ["config"]

    world.delete(ConfigMap, "config")

    assert not world.all(Secret)


def test_a_field_that_is_applied_no_more_is_removed() -> None:
    world = a_world(a="1", b="2")
    world.settle()
    world.put(a_config(a="1"))
    world.settle()

    assert (world.json(Secret, "whole")["stringData"], "b" in world.all(Secret)) == ({"a": "1"}, False)


def test_nothing_is_written_where_nothing_would_change() -> None:
    world = a_world(a="1")
    world.settle()
    writes = world.server.writes
    world.settle()

    assert world.server.writes == writes


def test_a_refused_child_is_an_event_and_is_created_once_it_is_admitted() -> None:
    world = a_world(a="1")
    world.server.refuse = lambda verb, obj: Forbidden("quota") if verb == "create" else None
    world.step("config")
    assert ([event.reason for event in world.events], list(world.all(Secret))) == (["FailedCreate"], [])

    world.server.refuse = lambda verb, obj: None
    world.settle()

    assert "a" in world.all(Secret)


def test_a_patch_of_what_has_changed_meanwhile_is_a_conflict() -> None:
    observed: list[Any] = []

    def late(config: ConfigMap, _: Observed) -> Plan:
        observed.append(config)
        return Plan([Patch(observed[0], {"data": {"late": "yes"}})])

    world = World(Controller("late", ConfigMap, late))
    world.put(a_config())
    world.plan("config")
    world.put(a_config(a="1"))
    world.step("config")

    assert world.get(ConfigMap, "config").data == {"a": "1"}


def test_an_object_with_finalizers_is_deleted_when_the_last_is_removed() -> None:
    world = World(Controller("release", Pod, lambda pod, _: Plan([Patch(pod, {"metadata": {"finalizers": None}})])))
    world.put(Pod(metadata=ObjectMeta(name="a", finalizers=["test/one"])))
    world.delete(Pod, "a")
    assert world.get(Pod, "a").metadata.deletion_timestamp is not None

    world.step("a")

    assert not world.all(Pod)
