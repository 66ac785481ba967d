"""Server-side apply: merging, conflicts, forcing, and what happens to fields that are no longer applied."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.patch.test_managed import T1, T2, T3, created, entries, updated
from tests.kube.words_builders import a_deployment, a_pod, apps, core, crd
from windlass.kube.errors import BadRequest, Conflict
from windlass.kube.json import encode
from windlass.kube.patch.managed import applied
from windlass.kube.schema import Schema


def apply(
    live: dict[str, Any] | None,
    config: dict[str, Any],
    schema: Schema,
    manager: str = "me",
    time: str = T1,
    force: bool = False,
    **rest: Any,
) -> dict[str, Any]:
    return applied(
        live, config, schema, manager=manager, api_version=config["apiVersion"], time=time, force=force, **rest
    )


def labelled(**labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": labels}}


def test_applying_to_nothing_creates_it_and_owns_what_was_said() -> None:
    made = apply(None, a_pod({"name": "main", "image": "1", "ports": [{"containerPort": 80}]}), core("Pod"))

    assert made["spec"] == {"containers": [{"name": "main", "image": "1", "ports": [{"containerPort": 80}]}]}
    assert made["metadata"]["managedFields"] == [
        {
            "manager": "me",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": T1,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:spec": {
                    "f:containers": {
                        'k:{"name":"main"}': {
                            ".": {},
                            "f:name": {},
                            "f:image": {},
                            "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}},
                        }
                    }
                }
            },
        }
    ]


def test_applying_again_changes_nothing_not_even_the_time() -> None:
    made = apply(None, labelled(a="1"), core("Pod"))

    assert apply(made, labelled(a="1"), core("Pod"), time=T2) == made


def test_a_changed_value_bumps_the_time_and_keeps_the_owner() -> None:
    made = apply(None, labelled(a="1"), core("Pod"))

    changed = apply(made, labelled(a="2"), core("Pod"), time=T2)

    assert changed["metadata"]["labels"] == {"a": "2"}
    assert [(entry["manager"], entry["time"]) for entry in changed["metadata"]["managedFields"]] == [("me", T2)]


def test_a_field_no_longer_applied_and_owned_by_nobody_else_is_removed() -> None:
    made = apply(None, labelled(a="1", b="1"), core("Pod"))

    assert apply(made, labelled(b="1"), core("Pod"))["metadata"]["labels"] == {"b": "1"}
    assert "labels" not in apply(made, a_pod(), core("Pod"))["metadata"]


def test_a_field_that_another_manager_also_applies_stays() -> None:
    made = apply(None, labelled(a="1", b="1"), core("Pod"), "one")
    shared = apply(made, labelled(a="1"), core("Pod"), "two")
    assert entries(shared)["one"] == [".metadata.labels.a", ".metadata.labels.b"]
    assert entries(shared)["two"] == [".metadata.labels.a"]

    left = apply(shared, a_pod(hostname="h"), core("Pod"), "one")

    assert left["metadata"]["labels"] == {"a": "1"}
    assert entries(left)["two"] == [".metadata.labels.a"]
    assert ".metadata.labels.a" not in entries(left)["one"]


def test_what_others_wrote_next_to_it_stays() -> None:
    made = apply(None, a_pod({"name": "main", "image": "1"}), core("Pod"))
    live = updated(made, core("Pod"), "injector")(
        lambda new: new["spec"]["containers"].append({"name": "sidecar", "image": "2"})
    )

    again = apply(live, a_pod({"name": "main", "image": "3"}), core("Pod"), time=T3)

    assert again["spec"]["containers"] == [{"name": "main", "image": "3"}, {"name": "sidecar", "image": "2"}]
    assert '.spec.containers[name="sidecar"].image' in entries(again)["injector"]


def test_a_list_element_no_longer_applied_goes_with_all_that_defaults_put_into_it() -> None:
    made = apply(None, a_pod({"name": "a", "image": "1"}, {"name": "b", "image": "1"}), core("Pod"))
    made["spec"]["containers"][1]["imagePullPolicy"] = "Always"  # as the server's defaults do, owned by nobody

    again = apply(made, a_pod({"name": "a", "image": "1"}), core("Pod"))

    assert again["spec"]["containers"] == [{"name": "a", "image": "1"}]


def test_a_struct_no_longer_applied_goes_with_its_defaults() -> None:
    config = a_deployment(replicas=1, strategy={"type": "Recreate"})
    made = apply(None, config, apps("Deployment"))
    made["spec"]["strategy"]["rollingUpdate"] = {"maxSurge": 1}

    again = apply(made, a_deployment(replicas=1), apps("Deployment"))

    assert again["spec"] == {"replicas": 1}


def test_applied_elements_stand_in_the_applied_order_and_foreign_ones_keep_their_place() -> None:
    live = created(a_pod({"name": "a"}, {"name": "x"}, {"name": "b"}), core("Pod"), "other")

    result = apply(live, a_pod({"name": "b"}, {"name": "c"}, {"name": "a"}), core("Pod"))

    assert [each["name"] for each in result["spec"]["containers"]] == ["x", "b", "c", "a"]


class TestConflicts:
    def test_one_conflict_names_manager_version_and_field(self) -> None:
        live = created(a_deployment(replicas=1), apps("Deployment"), "kubectl-client-side-apply")

        with pytest.raises(Conflict) as refused:
            apply(live, a_deployment(replicas=2), apps("Deployment"))

        status = refused.value.status()
        assert (status["code"], status["reason"]) == (409, "Conflict")
        assert status["message"] == (
            'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas'
        )
        assert status["details"]["causes"] == [
            {
                "reason": "FieldManagerConflict",
                "message": 'conflict with "kubectl-client-side-apply" using apps/v1',
                "field": ".spec.replicas",
            }
        ]

    def test_several_conflicts_are_listed_by_manager(self) -> None:
        live = created(a_pod({"name": "a", "image": "1"}, hostname="h"), core("Pod"), "x")
        live = apply(live, labelled(l="1"), core("Pod"), "y")
        config = a_pod({"name": "a", "image": "2"}, hostname="i")
        config["metadata"]["labels"] = {"l": "2"}

        with pytest.raises(Conflict) as refused:
            apply(live, config, core("Pod"))

        assert refused.value.message == (
            'Apply failed with 3 conflicts: conflicts with "x" using v1:\n'
            '- .spec.containers[name="a"].image\n'
            "- .spec.hostname\n"
            'conflicts with "y":\n'
            "- .metadata.labels.l"
        )

    def test_a_manager_of_a_subresource_is_named_with_it(self) -> None:
        live = created(a_deployment(replicas=1), apps("Deployment"))
        live = updated(live, apps("Deployment"), "scaler", subresource="scale")(
            lambda new: new["spec"].update(replicas=5)
        )

        with pytest.raises(Conflict, match=r'"scaler" with subresource "scale" using apps/v1: \.spec'):
            apply(live, a_deployment(replicas=2), apps("Deployment"))

    def test_the_same_value_is_no_conflict_and_is_shared(self) -> None:
        live = created(a_deployment(replicas=2), apps("Deployment"), "other")

        result = apply(live, a_deployment(replicas=2), apps("Deployment"))

        assert entries(result) == {"me": [".spec.replicas"], "other": [".spec.replicas"]}

    def test_force_takes_the_field_and_a_manager_left_with_nothing_is_gone(self) -> None:
        live = created(a_deployment(replicas=1), apps("Deployment"), "other")

        result = apply(live, a_deployment(replicas=2), apps("Deployment"), force=True)

        assert result["spec"] == {"replicas": 2}
        assert entries(result) == {"me": [".spec.replicas"]}

    def test_an_update_takes_a_field_from_an_applier_who_must_then_force(self) -> None:
        made = apply(None, a_deployment(replicas=1), apps("Deployment"))
        scaled = updated(made, apps("Deployment"), "scaler")(lambda new: new["spec"].update(replicas=3))
        assert entries(scaled) == {"scaler": [".spec.replicas"]}

        with pytest.raises(Conflict):
            apply(scaled, a_deployment(replicas=1), apps("Deployment"))

    def test_giving_up_a_field_leaves_it_to_the_other(self) -> None:
        made = apply(None, a_deployment(replicas=1, paused=True), apps("Deployment"))
        scaled = updated(made, apps("Deployment"), "scaler")(lambda new: new["spec"].update(replicas=3))

        result = apply(scaled, a_deployment(paused=True), apps("Deployment"))

        assert result["spec"] == {"replicas": 3, "paused": True}


def test_an_untracked_object_is_given_to_before_first_apply() -> None:
    live = a_deployment(replicas=1, paused=True)

    result = apply(live, a_deployment(paused=True), apps("Deployment"))

    assert entries(result) == {"me": [".spec.paused"], "before-first-apply": [".spec.paused", ".spec.replicas"]}
    with pytest.raises(Conflict, match=r'"before-first-apply" using apps/v1: \.spec'):
        apply(live, a_deployment(replicas=2), apps("Deployment"))


def test_after_kubectl_moved_its_fields_itself_its_first_server_side_apply_has_no_conflict() -> None:
    live = created(a_deployment(replicas=1, paused=True), apps("Deployment"), "kubectl-client-side-apply")
    moved = updated(live, apps("Deployment"), "kubectl")(
        lambda new: new["metadata"]["managedFields"][0].update(manager="kubectl", operation="Apply")
    )

    result = apply(moved, a_deployment(replicas=2), apps("Deployment"), "kubectl")

    assert result["spec"] == {"replicas": 2}
    assert entries(result) == {"kubectl": [".spec.replicas"]}


def test_an_applier_has_one_entry_whatever_version_it_applies() -> None:
    made = apply(None, a_deployment(replicas=1), apps("Deployment"))

    again = apply(made, a_deployment(replicas=1) | {"apiVersion": "apps/v1beta1"}, apps("Deployment"), time=T2)

    assert [entry["apiVersion"] for entry in again["metadata"]["managedFields"]] == ["apps/v1beta1"]


def test_the_status_is_applied_through_its_own_endpoint_only() -> None:
    config = a_deployment(replicas=1) | {"status": {"replicas": 5}}

    assert "status" not in apply(None, config, apps("Deployment"))
    made = apply(None, a_deployment(replicas=1), apps("Deployment"))
    status = {key: config[key] for key in ("apiVersion", "kind", "metadata", "status")}
    reported = apply(made, status, apps("Deployment"), "ctl", subresource="status")

    assert reported["status"] == {"replicas": 5}
    assert reported["metadata"]["managedFields"][0]["subresource"] == "status"


def test_atomic_lists_and_maps_are_replaced_whole() -> None:
    made = apply(None, a_pod(tolerations=[{"key": "a"}], nodeSelector={"a": "1"}), core("Pod"))

    again = apply(made, a_pod(tolerations=[{"key": "b"}], nodeSelector={"b": "1"}), core("Pod"))

    assert (again["spec"]["tolerations"], again["spec"]["nodeSelector"]) == ([{"key": "b"}], {"b": "1"})


def test_sets_of_a_custom_kind_merge_by_value() -> None:
    kind = crd(tags={"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"})

    def tagged(*tags: str) -> dict[str, Any]:
        return {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"tags": list(tags)}}

    made = apply(None, tagged("a", "b"), kind, "one")
    both = apply(made, tagged("b", "c"), kind, "two")
    assert both["spec"]["tags"] == ["a", "b", "c"]

    assert apply(both, tagged("a"), kind, "one")["spec"]["tags"] == ["a", "b", "c"]
    assert apply(both, tagged("b"), kind, "two")["spec"]["tags"] == ["a", "b"]


def test_the_last_applied_annotation_is_kept_in_step_for_kubectl() -> None:
    annotation = "kubectl.kubernetes.io/last-applied-configuration"
    live = a_deployment(replicas=1)
    live["metadata"]["annotations"] = {annotation: "{}"}
    created(live, apps("Deployment"), "kubectl-client-side-apply")

    result = apply(live, a_deployment(replicas=1), apps("Deployment"), "kubectl")

    assert '"replicas":1' in result["metadata"]["annotations"][annotation]


def test_an_object_keeps_its_name_when_the_last_label_goes() -> None:
    made = apply(None, labelled(a="1"), core("ConfigMap"))
    made["metadata"]["uid"] = "u"
    bare = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": made["metadata"]["name"]}}

    again = apply(made, bare, core("ConfigMap"))

    assert {key: value for key, value in again["metadata"].items() if key != "managedFields"} == {
        key: value for key, value in made["metadata"].items() if key not in ("managedFields", "labels")
    }


def _applied_on_the_client(**spec: Any) -> dict[str, Any]:
    live = a_deployment(**spec)
    last = encode(live).decode()
    live["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": last}
    return created(live, apps("Deployment"), "kubectl-client-side-apply")


def test_kubectl_may_change_what_its_client_side_apply_set() -> None:
    live = _applied_on_the_client(replicas=1, paused=True)

    result = apply(live, a_deployment(replicas=2), apps("Deployment"), "kubectl")

    assert result["spec"] == {"replicas": 2, "paused": True}
    with pytest.raises(Conflict):
        apply(live, a_deployment(replicas=2), apps("Deployment"), "somebody-else")


def test_kubectl_may_not_change_what_another_manager_changed_since() -> None:
    live = _applied_on_the_client(replicas=1, paused=True)
    live["spec"]["replicas"] = 5

    with pytest.raises(Conflict) as refused:
        apply(live, a_deployment(replicas=2, paused=False), apps("Deployment"), "kubectl")

    assert [cause.field for cause in refused.value.causes] == [".spec.replicas"]


@pytest.mark.parametrize("last", ["{", "[]", "{}", '{"apiVersion":"apps/v1beta1","spec":{"replicas":1}}'])
def test_a_last_applied_annotation_that_says_nothing_frees_nothing(last: str) -> None:
    live = _applied_on_the_client(replicas=1)
    live["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = last

    with pytest.raises(Conflict):
        apply(live, a_deployment(replicas=2), apps("Deployment"), "kubectl")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            labelled() | {"metadata": {"name": "a", "managedFields": [{"manager": "x"}]}},
            "metadata.managedFields must be nil",
        ),
        (
            a_pod({"image": "x"}),
            "failed to create typed patch object (default/a; /v1, Kind=Pod): .spec.containers: element 0: "
            'associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
        ),
        (
            a_pod({"name": "x"}, {"name": "x"}),
            "failed to create typed patch object (default/a; /v1, Kind=Pod): .spec.containers: "
            'duplicate entries for key [name="x"]',
        ),
        (
            a_pod({"name": "x", "env": [{"name": "A"}, {"name": "A"}]}),
            "failed to create typed patch object (default/a; /v1, Kind=Pod): "
            '.spec.containers[name="x"].env: duplicate entries for key [name="A"]',
        ),
    ],
)
def test_a_configuration_that_cannot_be_applied_is_a_bad_request(config: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        apply(None, config, core("Pod"))
    assert refused.value.message == message


_labels = st.dictionaries(st.sampled_from("abc"), st.sampled_from("12"), max_size=3)


@given(st.lists(st.tuples(st.sampled_from(["one", "two", "three"]), _labels), max_size=6))
def test_after_any_forced_applies_each_manager_owns_what_it_last_said_unless_it_was_taken(
    steps: list[tuple[str, dict[str, str]]],
) -> None:
    live: dict[str, Any] | None = None
    said: dict[str, dict[str, str]] = {}
    for manager, labels in steps:
        live = apply(live, labelled(**labels), core("Pod"), manager, force=True)
        for other in said.values():
            for key in [key for key in other if key in labels and labels[key] != other[key]]:
                del other[key]
        said[manager] = dict(labels)

        expected = {key: value for each in said.values() for key, value in each.items()}
        assert live["metadata"].get("labels") or expected == {}
        owned = entries(live)
        for name, each in said.items():
            mine = {path.rpartition(".")[2] for path in owned.get(name, []) if path != ".metadata.labels"}
            assert mine == set(each)


@given(_labels, _labels)
def test_neither_argument_is_touched(before: dict[str, str], config: dict[str, str]) -> None:
    live, wanted = apply(None, labelled(**before), core("Pod")), labelled(**config)
    shown = repr(live), repr(wanted)

    apply(live, wanted, core("Pod"), "other", force=True)["metadata"].clear()

    assert (repr(live), repr(wanted)) == shown


def test_in_a_field_of_any_type_true_replaces_one() -> None:
    kind = crd(open={"type": "object", "x-kubernetes-preserve-unknown-fields": True})

    def holding(value: Any) -> dict[str, Any]:
        return {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"open": {"x": value}}}

    made = apply(None, holding(1), kind)

    assert apply(made, holding(True), kind)["spec"]["open"]["x"] is True


def test_many_conflicts_below_a_long_key_take_little_memory() -> None:
    of_objects = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {}}}
    kind = crd(of=of_objects)

    def wanting(value: int) -> dict[str, Any]:
        fields = {f"a{number}": value for number in range(5_000)}
        return {"apiVersion": "a/v1", "kind": "A", "metadata": {}, "spec": {"of": {"k" * 100_000: fields}}}

    live = apply(None, wanting(1), kind, manager="other")
    tracemalloc.start()
    try:
        with pytest.raises(Conflict, match="Apply failed with 5000 conflicts") as refused:
            apply(live, wanting(2), kind)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert len(refused.value.causes) == 1_000
