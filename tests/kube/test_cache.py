from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.core_v1 import ConfigMap
from windlass.kube.cache import Store, by_owner
from windlass.kube.meta import Key, ObjectMeta, OwnerReference

NAMES, OWNERS = st.sampled_from("abc"), st.lists(st.sampled_from(["u1", "u2"]), max_size=2, unique=True)


def a_map(name: str, version: int = 1, namespace: str = "n", owners: list[str] | None = None) -> ConfigMap:
    references = [OwnerReference(api_version="v1", kind="ConfigMap", name=uid, uid=uid) for uid in owners or ()]
    metadata = ObjectMeta(
        name=name, namespace=namespace, resource_version=str(version), uid=name, owner_references=references
    )
    return ConfigMap(metadata=metadata)


class Heard:
    def __init__(self) -> None:
        self.notes: list[tuple[str, str]] = []

    def added(self, obj: ConfigMap, /) -> None:
        self.notes.append(("added", obj.metadata.name))

    def changed(self, old: ConfigMap, new: ConfigMap, /) -> None:
        self.notes.append(("changed", new.metadata.name))

    def deleted(self, obj: ConfigMap, /) -> None:
        self.notes.append(("deleted", obj.metadata.name))


@given(st.lists(st.tuples(st.booleans(), NAMES, OWNERS)))
def test_indexes_always_say_what_the_objects_say(steps: list[tuple[bool, str, list[str]]]) -> None:
    store: Store[ConfigMap] = Store()
    for version, (put, name, owners) in enumerate(steps):
        if put:
            store.put(a_map(name, version, owners=owners))
        else:
            store.remove(Key("n", name))

    for uid in ("u1", "u2"):
        assert {o.metadata.name for o in store.filed("owner", uid)} == {
            o.metadata.name for o in store if uid in by_owner(o)
        }
    assert len(store.filed("namespace", "n")) == len(store)


def test_handlers_hear_of_each_change_once() -> None:
    store, heard = Store[ConfigMap](), Heard()
    store.put(a_map("old"))

    store.subscribe(heard)
    store.put(a_map("a", 2))
    store.put(a_map("a", 3))
    store.put(a_map("a", 3))
    store.remove(Key("n", "a"))
    store.remove(Key("n", "a"))

    assert heard.notes == [("added", "old"), ("added", "a"), ("changed", "a"), ("deleted", "a")]


def test_a_new_list_is_told_as_the_difference_to_the_old() -> None:
    store, heard = Store[ConfigMap](), Heard()
    store.replace([a_map("gone"), a_map("same"), a_map("other")])
    store.subscribe(heard)
    heard.notes.clear()

    store.replace([a_map("same"), a_map("other", 2), a_map("new")])

    assert sorted(heard.notes) == [("added", "new"), ("changed", "other"), ("deleted", "gone")]


def test_an_index_added_later_files_what_is_there() -> None:
    store: Store[ConfigMap] = Store()
    store.put(a_map("a"))

    store.add_index("initial", lambda obj: [obj.metadata.name[0]])
    store.put(a_map("ab"))

    assert [o.metadata.name for o in store.filed("initial", "a")] == ["a", "ab"]


async def test_waiting_ends_when_the_cache_catches_up() -> None:
    store: Store[ConfigMap] = Store()

    assert not await store.until(lambda: len(store) == 1, within=0.001)
    store.put(a_map("a"))
    assert await store.until(lambda: len(store) == 1, within=0)


def test_a_resync_tells_of_every_object_again() -> None:
    store, heard = Store[ConfigMap](), Heard()
    store.replace([a_map("a"), a_map("b")])
    store.subscribe(heard)
    heard.notes.clear()

    store.resync()

    assert heard.notes == [("changed", "a"), ("changed", "b")]
