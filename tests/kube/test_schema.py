"""Strict decoding, pruning and null handling against Kubernetes' own kinds and against custom ones."""

import tracemalloc
from typing import Any

import pytest

from tests.kube.words_builders import a_deployment, a_pod, apps, core, crd
from windlass.kube.definitions import schema_of
from windlass.kube.schema import check, drop_nulls, drop_unknown, from_crd


def test_a_whole_pod_has_no_findings() -> None:
    pod = a_pod(
        {
            "name": "a",
            "image": "b",
            "ports": [{"containerPort": 80}],
            "resources": {"limits": {"cpu": "500m", "x/y": 2}},
        },
        terminationGracePeriodSeconds=30,
        volumes=[{"name": "v", "emptyDir": {}}],
    )

    found = check(core("Pod"), pod)

    assert (found.unknown, found.type_error, found.nulls) == ([], None, False)


def test_unknown_fields_are_named_by_their_path_wherever_they_are() -> None:
    pod = a_pod({"name": "a", "imag": "b"}, {"name": "c", "env": [{"name": "x"}, {"nam": "y"}]}, restart="Always")
    pod["metadata"]["label"] = {}
    pod["extra"] = 1

    assert check(core("Pod"), pod).unknown == [
        "metadata.label",
        "spec.containers[0].imag",
        "spec.containers[1].env[1].nam",
        "spec.restart",
        "extra",
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"replicas": "3"},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"replicas": 1.5},
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"replicas": 2**31},
            "json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"paused": "yes"},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool",
        ),
        (
            {"template": {"spec": {"containers": [{"name": "a", "env": [{"name": "x", "value": 1}]}]}}},
            "json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value "
            "of type string",
        ),
        (
            {"template": {"spec": {"containers": {"name": "a"}}}},
            "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers "
            "of type []v1.Container",
        ),
        (
            {"template": []},
            "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec",
        ),
        (
            {"selector": {"matchLabels": {"a": True}}},
            "json: cannot unmarshal bool into Go struct field LabelSelector.spec.selector.matchLabels of type string",
        ),
    ],
)
def test_a_wrong_type_is_told_in_the_words_of_gos_decoder(spec: dict[str, Any], message: str) -> None:
    assert check(apps("Deployment"), a_deployment(**spec)).type_error == message


@pytest.mark.parametrize(
    ("kind", "obj", "message"),
    [
        (
            "Pod",
            a_pod({"name": "a", "resources": {"limits": {"cpu": "1x"}}}),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            "Secret",
            {"metadata": {}, "data": {"a": "aGk=", "b": "ab!d"}},
            "illegal base64 data at input byte 2",
        ),
        ("Secret", {"metadata": {}, "data": {"a": "é\0"}}, "illegal base64 data at input byte 0"),
        (
            "Pod",
            {"metadata": {"creationTimestamp": "yesterday"}},
            'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        ),
    ],
)
def test_text_that_go_decodes_into_more_than_text_is_checked_too(kind: str, obj: dict[str, Any], message: str) -> None:
    assert check(core(kind), obj).type_error == message


def test_numbers_and_strings_both_do_for_an_int_or_string_and_for_a_quantity() -> None:
    spec = {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}}
    assert check(apps("Deployment"), a_deployment(**spec)).type_error is None
    assert check(core("Pod"), a_pod({"name": "a", "resources": {"limits": {"cpu": 1.5}}})).type_error is None
    assert check(apps("Deployment"), a_deployment(strategy={"rollingUpdate": {"maxSurge": True}})).type_error


def test_a_definition_may_refer_to_itself() -> None:
    kind = schema_of("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition")
    inner = {"type": "object", "properties": {"a": {"properties": {"b": {"typ": "string"}}, "default": {"x": [1]}}}}
    body = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": inner}}]}}

    assert check(kind, body).unknown == ["spec.versions[0].schema.openAPIV3Schema.properties.a.properties.b.typ"]


def test_dropping_unknown_fields_keeps_all_that_is_known() -> None:
    pod = a_pod({"name": "a", "imag": "b"}, restart="Always", hostname="h")

    drop_unknown(core("Pod"), pod)

    assert pod == a_pod({"name": "a"}, hostname="h")


def test_null_is_an_absent_field_and_a_zero_value_inside_maps_and_lists() -> None:
    pod = a_pod({"name": "a", "image": None, "args": ["x", None]}, nodeSelector={"a": None}, priority=None)
    pod["metadata"]["creationTimestamp"] = None

    found = check(core("Pod"), pod)
    drop_nulls(core("Pod"), pod)

    assert (found.unknown, found.type_error, found.nulls) == ([], None, True)
    assert pod == a_pod({"name": "a", "args": ["x", ""]}, nodeSelector={"a": ""})
    assert not check(core("Pod"), pod).nulls


def test_merging_rules_are_read_from_the_definitions() -> None:
    spec = core("Pod").properties["spec"]
    containers = spec.properties["containers"]
    ports = containers.items.properties["ports"] if containers.items else None

    assert (containers.list_type, containers.list_keys, containers.merge_key) == ("map", ("name",), "name")
    assert ports is not None
    assert (ports.list_keys, ports.key_defaults) == (("containerPort", "protocol"), {"protocol": "TCP"})
    assert spec.properties["volumes"].patch_strategy == ("merge", "retainKeys")
    assert spec.properties["nodeSelector"].map_type == "atomic"
    assert spec.properties["tolerations"].list_type == "atomic"
    assert core("Pod").properties["metadata"].properties["finalizers"].list_type == "set"
    assert apps("Deployment").properties["spec"].properties["strategy"].patch_strategy == ("retainKeys",)


class TestCustomKinds:
    def test_metadata_apiversion_and_kind_are_known_without_being_declared(self) -> None:
        body = {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x", "lables": {}}, "spec": {"b": 1}}

        assert check(crd(a={"type": "string"}), body).unknown == ["metadata.lables", "spec.b"]

    def test_fields_below_preserve_unknown_fields_stay_and_known_ones_there_are_still_pruned(self) -> None:
        nested = {"type": "object", "properties": {"c": {"type": "string"}}}
        kind = crd(open={"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": nested}})
        body = {"spec": {"open": {"other": {"x": 1}, "a": {"c": "1", "d": 2}}}}

        assert check(kind, body).unknown == ["spec.open.a.d"]
        drop_unknown(kind, body)
        assert body == {"spec": {"open": {"other": {"x": 1}, "a": {"c": "1"}}}}

    def test_a_map_takes_any_key_and_its_values_are_pruned(self) -> None:
        kind = crd(of={"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {}}}})
        body = {"spec": {"of": {"one": {"a": 1, "b": 2}}}}

        drop_unknown(kind, body)

        assert body == {"spec": {"of": {"one": {"a": 1}}}}

    def test_an_embedded_resource_has_metadata_of_its_own(self) -> None:
        kind = crd(pod={"type": "object", "x-kubernetes-embedded-resource": True, "properties": {}})

        assert check(kind, {"spec": {"pod": {"apiVersion": "v1", "metadata": {"name": "a", "x": 1}}}}).unknown == [
            "spec.pod.metadata.x"
        ]

    def test_list_types_keys_and_their_defaults_come_from_the_schema(self) -> None:
        element = {"type": "object", "properties": {"port": {"type": "integer"}, "proto": {"default": "TCP"}}}
        ports = (
            crd(
                ports={
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "proto"],
                    "items": element,
                }
            )
            .properties["spec"]
            .properties["ports"]
        )

        assert (ports.list_type, ports.list_keys, ports.key_defaults) == ("map", ("port", "proto"), {"proto": "TCP"})

    def test_int_or_string_and_nullable_are_kept(self) -> None:
        kind = from_crd({"type": "object", "properties": {"a": {"x-kubernetes-int-or-string": True, "nullable": True}}})

        assert (kind.properties["a"].type, kind.properties["a"].nullable) == ("int-or-string", True)


def test_a_spec_that_fitted_once_hides_no_fault_beside_it_and_no_other_spec_of_its_kind_or_another() -> None:
    pod = a_pod({"name": "a", "image": "b"})
    template = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "x"}, "spec": pod["spec"]}
    assert check(core("Pod"), pod).unknown == []

    assert check(core("Pod"), {**pod, "metadata": {"nam": "x"}}).unknown == ["metadata.nam"]
    assert check(core("Pod"), {**pod, "spek": {}}).unknown == ["spek"]
    assert check(core("Pod"), a_pod({"name": "a", "imag": "b"})).unknown == ["spec.containers[0].imag"]
    assert check(core("ResourceQuota"), template).unknown == ["spec.containers"]
    assert check(core("Pod"), {**pod, "spec": None}).nulls


def test_many_unknown_fields_below_a_long_key_take_little_memory() -> None:
    fields = dict.fromkeys((f"a{number}" for number in range(5_000)), 1)
    tracemalloc.start()
    try:
        found = check(core("Pod"), {"spec": {"containers": [{"resources": fields}]}, "k" * 100_000: 1})
        of_objects = {"type": "object", "additionalProperties": {"type": "object", "properties": {"b": {}}}}
        custom = check(crd(of=of_objects), {"spec": {"of": {"k" * 100_000: fields}}})
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert (len(found.unknown), len(custom.unknown)) == (100, 100)
    assert max(map(len, custom.unknown)) == 1_000
