"""Equal values of cached objects are one value, and nothing else about them changes."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.core_v1 import Pod, Service
from windlass.kube.meta import PartialObjectMetadata
from windlass.kube.sharing import MAX_SHARED_VALUES, share_values

LABELS = {"training.kubeflow.org/operator-name": "tfjob-controller"}
OWNER = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": "demo", "uid": "1f0c"}
METADATA = {"name": "demo-0", "namespace": "team-a", "labels": LABELS, "ownerReferences": [OWNER], "uid": "99"}


def decoded(value: dict[str, Any], form: type[Any] = Service) -> Any:
    found = msgspec.json.decode(msgspec.json.encode(value), type=form)
    share_values(found)
    return found


def a_service(**metadata: str) -> Service:
    return decoded({"metadata": {**METADATA, **metadata}, "spec": {"selector": LABELS, "ports": [{"port": 1}]}})


def test_what_two_objects_have_in_common_is_there_once() -> None:
    one, other = a_service(), a_service(name="demo-1")

    assert one == msgspec.structs.replace(other, metadata=msgspec.structs.replace(other.metadata, name="demo-0"))
    assert one.metadata.labels is other.metadata.labels
    assert one.metadata.owner_references is other.metadata.owner_references
    assert one.metadata.namespace is other.metadata.namespace
    assert one.metadata.finalizers is other.metadata.finalizers
    assert one.spec.ports is other.spec.ports
    assert one.spec.selector is other.spec.selector


def test_an_object_and_its_owner_have_one_string_for_the_owners_name() -> None:
    owner = decoded({"metadata": {"name": "demo", "uid": "1f0c"}}, PartialObjectMetadata)
    child = a_service()

    assert child.metadata.owner_references[0].uid is owner.metadata.uid
    assert child.metadata.owner_references[0].name is owner.metadata.name


def test_the_same_json_in_another_place_is_another_value() -> None:
    named = [{"name": "a"}]
    pod = decoded({"spec": {"containers": named, "volumes": named, "schedulingGates": named}}, Pod)

    assert [type(each[0]).__name__ for each in (pod.spec.containers, pod.spec.volumes, pod.spec.scheduling_gates)] == [
        "Container",
        "Volume",
        "LocalObjectReference",
    ]


def test_it_stays_right_however_many_values_there_are() -> None:
    made = [a_service(name=f"demo-{n}", uid=str(n)) for n in range(2)]
    for n in range(2 * MAX_SHARED_VALUES):
        one = decoded({"metadata": {"name": "x", "labels": {"n": str(n)}}})
        assert one.metadata.labels == {"n": str(n)}

    assert made[0].metadata.labels == LABELS


texts = st.text(max_size=3)
maps = st.dictionaries(texts, texts, max_size=2)


@given(maps, maps, st.lists(st.fixed_dictionaries({"port": st.integers(1, 3)}, optional={"name": texts}), max_size=2))
def test_an_object_stays_equal_to_itself(
    labels: dict[str, str], selector: dict[str, str], ports: list[dict[str, Any]]
) -> None:
    value = {"metadata": {"labels": labels}, "spec": {"selector": selector, "ports": ports}}

    assert decoded(value) == msgspec.json.decode(msgspec.json.encode(value), type=Service)


def test_plain_json_is_left_alone() -> None:
    plain = {"metadata": {"name": "x", "labels": {}}}
    share_values(plain)

    assert plain == {"metadata": {"name": "x", "labels": {}}}
