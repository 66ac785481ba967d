from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.core_v1 import ConfigMap
from windlass.kube import errors
from windlass.kube.applier import Failed, PendingWrite, covers, in_growing_batches, merge_difference
from windlass.kube.cache import Store
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.patch import merge_patch
from windlass.kube.plan import Outcome

LEAVES = st.one_of(st.integers(-3, 3), st.sampled_from(["", "x", "y"]), st.booleans())
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), DOCUMENTS, max_size=3)


@given(OBJECTS, OBJECTS)
def test_the_difference_patches_the_old_into_the_new(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert merge_patch.apply(old, merge_difference(old, new)) == new


@given(OBJECTS)
def test_equal_objects_differ_in_nothing(obj: dict[str, Any]) -> None:
    assert merge_difference(obj, obj) == {}
    assert covers(obj, obj)


@given(OBJECTS, OBJECTS)
def test_more_fields_do_not_matter_to_what_is_wanted(wanted: dict[str, Any], more: dict[str, Any]) -> None:
    assert covers(wanted | {f"server-{key}": value for key, value in more.items()}, wanted)


@pytest.mark.parametrize(
    ("live", "wanted", "covered"),
    [
        ({"a": 1}, {"a": 2}, False),
        ({}, {"a": {}}, True),
        ({}, {"a": ""}, True),
        ({}, {"a": 1}, False),
        ({"l": [1, 2]}, {"l": [1]}, False),
        ({"l": [{"name": "injected"}, {"name": "a", "x": 1}]}, {"l": [{"name": "a"}]}, True),
        ({"l": [{"name": "a", "x": 1}]}, {"l": [{"name": "a", "x": 2}]}, False),
        ({"l": [{"name": "a"}]}, {"l": [{"name": "b"}]}, False),
        ({"l": [{"uid": "1", "name": "a"}]}, {"l": [{"uid": "2", "name": "a"}]}, False),
        ({"l": [{"port": 1}, {"port": 2}]}, {"l": [{"port": 1}]}, False),
    ],
)
def test_what_counts_as_already_so(live: Any, wanted: Any, covered: bool) -> None:
    assert covers(live, wanted) is covered


def a_map(version: int, uid: str = "u") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name="a", namespace="n", uid=uid, resource_version=str(version)))


def written(store: Store[ConfigMap], **more: Any) -> PendingWrite:
    return PendingWrite(store, Key("n", "a"), "u", "7", **more)


def test_a_write_is_seen_when_the_cache_has_it_or_is_past_it() -> None:
    store: Store[ConfigMap] = Store()
    assert not written(store).is_visible()

    store.put(a_map(6))
    assert not written(store).is_visible()
    store.put(a_map(7))
    assert written(store).is_visible()


def test_a_write_whose_object_was_deleted_since_is_seen() -> None:
    store: Store[ConfigMap] = Store()
    store.reached("9")

    assert written(store).is_visible()


def test_a_deletion_is_seen_when_the_object_is_going_gone_or_another() -> None:
    store: Store[ConfigMap] = Store()
    assert written(store, gone=True).is_visible()

    store.put(a_map(7))
    assert not written(store, gone=True).is_visible()
    store.put(a_map(8, uid="other"))
    assert written(store, gone=True).is_visible()


async def test_batches_grow_until_something_is_refused() -> None:
    asked: list[int] = []

    def action(number: int, room: int) -> Any:
        async def ask() -> None:
            asked.append(number)
            if number >= room:
                raise Failed(Outcome("create", {}, errors.Forbidden(f"{number} is too many")))

        return ask

    assert await in_growing_batches([action(n, 500) for n in range(200)]) == []
    assert len(asked) == 200
    asked.clear()
    refused = await in_growing_batches([action(n, 5) for n in range(200)])
    assert [outcome.server_message for outcome in refused] == ["5 is too many", "6 is too many"]
    assert len(asked) == 7


async def test_a_bug_in_a_batch_is_not_taken_for_a_refusal() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await in_growing_batches([broken])
