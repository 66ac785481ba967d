"""Who selects these labels? The index answers as asking everybody would."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.cache import Store
from windlass.kube.json import dig_object
from windlass.kube.objects import key_of
from windlass.kube.selecting import BySelector

NAMES, VALUES, SPACES = st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from(("one", "two"))
LABELS = st.dictionaries(NAMES, VALUES, max_size=3)
DEEDS = st.lists(st.tuples(st.booleans(), SPACES, st.integers(0, 4), LABELS), max_size=30)


def an_object(namespace: str, number: int, version: int, **more: Any) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": f"o-{number}", "resourceVersion": str(version), **more.pop("meta", {})}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, **more}


@given(DEEDS, SPACES, LABELS)
def test_those_whose_every_pair_is_among_the_labels_are_found(deeds: Any, namespace: str, labels: Any) -> None:
    store: Store[Any] = Store()
    index = BySelector(lambda obj: dig_object(obj, "spec"))
    store.subscribe(index)
    for version, (there, space, number, selector) in enumerate(deeds):
        obj = an_object(space, number, version, spec=selector)
        if there:
            store.put(obj)
        else:
            store.remove(key_of(obj))
    wanted = {
        key_of(obj)
        for obj in store
        if obj["metadata"]["namespace"] == namespace and obj["spec"] and obj["spec"].items() <= labels.items()
    }
    found = index.picking(namespace, labels)
    assert len(found) == len(set(found))
    assert set(found) == wanted


@given(DEEDS, SPACES, LABELS.filter(bool))
def test_objects_with_all_labels_are_found_whatever_changed_before(deeds: Any, namespace: str, labels: Any) -> None:
    store: Store[Any] = Store()
    for version, (there, space, number, own) in enumerate(deeds):
        if version == len(deeds) // 2:
            store.labelled("one", {"a": "x"})  # from here on they are filed
        obj = an_object(space, number, version, meta={"labels": own})
        if there:
            store.put(obj)
        else:
            store.remove(key_of(obj))
    found = {key_of(obj) for obj in store.labelled(namespace, labels)}
    assert found == {
        key_of(obj)
        for obj in store
        if obj["metadata"]["namespace"] == namespace and labels.items() <= obj["metadata"]["labels"].items()
    }


def test_a_service_among_thousands_of_one_operator_is_looked_at_with_its_job_alone() -> None:
    index = BySelector(lambda obj: dig_object(obj, "spec"))
    for job in range(200):
        for replica in range(8):
            selector = {"operator": "tfjob", "job": f"job-{job}", "index": str(replica)}
            index.added(an_object("one", job * 8 + replica, 1, spec=selector))
    assert max(len(filed) for filed in index._filed.values()) <= 32  # pyright: ignore[reportPrivateUsage] - its point
