from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import ConfigMap, Namespace, Node, Pod, Service, ServicePort, ServiceSpec
from windlass.kube.json import encode
from windlass.kube.kind import KINDS, Kind, kind
from windlass.kube.meta import Key, Object, ObjectMeta, OwnerReference, Struct, parse_time
from windlass.kube.objects import controller_of, key_of, owner_reference, owners_of, wire
from windlass.kube.view import metadata_only, typed, untyped, view


class Sample(Struct):
    host_name: str = ""
    node_count: int | None = None


def test_fields_are_camel_case_and_defaults_are_not_sent() -> None:
    assert msgspec.to_builtins(Sample(host_name="a")) == {"hostName": "a"}


def test_a_zero_is_sent_where_absent_means_something_else() -> None:
    assert msgspec.to_builtins(Sample(node_count=0)) == {"nodeCount": 0}


def test_structs_cannot_be_changed_and_take_keywords_only() -> None:
    with pytest.raises(AttributeError):
        Sample().host_name = "b"  # pyright: ignore[reportAttributeAccessIssue] - that is the point
    with pytest.raises(TypeError):
        Sample("b")  # pyright: ignore[reportCallIssue] - that is the point


def test_acronyms_keep_kubernetes_spelling() -> None:
    service = Service(spec=ServiceSpec(cluster_ip="None", ports=[ServicePort(port=80, target_port="http")]))

    assert wire(service)["spec"] == {"clusterIP": "None", "ports": [{"port": 80, "targetPort": "http"}]}


def test_an_object_says_what_it_is_on_the_wire() -> None:
    assert wire(ConfigMap(metadata=ObjectMeta(name="a"))) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
    }


def test_nulls_are_read_as_absent() -> None:
    body = encode({"metadata": {"name": "a", "labels": None, "creationTimestamp": None}, "spec": {"containers": None}})

    assert typed(Pod).decode(body).metadata == ObjectMeta(name="a")


def test_an_object_that_does_not_fit_is_left_out_of_a_list() -> None:
    body = encode({"items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}, "data": {"x": 1}}]})

    assert [o.metadata.name for o in typed(ConfigMap).decode_list(body)[0]] == ["a"]


def test_items_of_an_untyped_list_say_what_they_are() -> None:
    body = encode({"items": [{"metadata": {"name": "a"}}]})

    assert untyped(KINDS.of(ConfigMap)).decode_list(body)[0][0]["kind"] == "ConfigMap"


@pytest.mark.parametrize(
    ("namespace", "name", "subresource", "path"),
    [
        ("", "", "", "/apis/apps/v1/deployments"),
        ("ml", "", "", "/apis/apps/v1/namespaces/ml/deployments"),
        ("ml", "a", "", "/apis/apps/v1/namespaces/ml/deployments/a"),
        ("ml", "a", "scale", "/apis/apps/v1/namespaces/ml/deployments/a/scale"),
        ("ml", "system:a/b", "", "/apis/apps/v1/namespaces/ml/deployments/system%3Aa%2Fb"),
    ],
)
def test_a_kind_knows_its_paths(namespace: str, name: str, subresource: str, path: str) -> None:
    deployments = Kind(group="apps", version="v1", name="Deployment", plural="deployments")

    assert deployments.path(namespace, name, subresource) == path


def test_core_kinds_live_under_api_and_cluster_scoped_ones_have_no_namespace() -> None:
    nodes = Kind(group="", version="v1", name="Node", plural="nodes", namespaced=False)

    assert nodes.path("ml", "a") == "/api/v1/nodes/a"


def test_a_kind_cannot_be_declared_twice() -> None:
    with pytest.raises(ValueError, match="declared twice"):

        @kind("v1", plural="pods")
        class Pod(Object):  # pyright: ignore[reportUnusedClass] - refused
            pass


def test_views_of_one_kind_and_form_are_equal_so_that_informers_are_shared() -> None:
    assert view(Pod) == typed(Pod) == typed(Pod).narrowed("")
    assert view(Pod) != metadata_only(Pod)
    assert view(Pod) != typed(Pod).narrowed("metadata.name=a") != typed(Pod).narrowed(labels="metadata.name=a")
    assert len({view(Pod), typed(Pod), untyped(KINDS.of(Pod))}) == 2


def test_owners_are_found_in_both_forms() -> None:
    owner = ConfigMap(metadata=ObjectMeta(name="o", namespace="n", uid="u"))
    reference = owner_reference(owner, KINDS.of(ConfigMap))
    child = ConfigMap(metadata=ObjectMeta(name="c", namespace="n", owner_references=[reference]))

    assert owners_of(child) == owners_of(wire(child)) == [reference]
    assert controller_of(child) == OwnerReference(
        api_version="v1", kind="ConfigMap", name="o", uid="u", controller=True, block_owner_deletion=True
    )
    assert key_of(child) == key_of(wire(child)) == Key("n", "c")


def test_times_are_read_with_and_without_fractions() -> None:
    assert parse_time("2026-01-01T00:00:00Z") == parse_time("2026-01-01T01:00:00.000000+01:00")


@pytest.mark.parametrize(
    ("struct", "status"),
    [
        (Node, {"conditions": [{"status": "whatever"}], "addresses": [{}]}),
        (Namespace, {"conditions": [{}]}),
        (Pod, {"conditions": [{}], "containerStatuses": [{}]}),
    ],
)
def test_a_status_that_the_api_accepts_can_be_read(struct: Any, status: dict[str, Any]) -> None:
    """The API checks next to nothing of a status: what is absent there is empty, as to Go."""
    body = {"metadata": {"name": "a"}, "status": status}

    assert typed(struct).decode(encode(body)).metadata.name == "a"
