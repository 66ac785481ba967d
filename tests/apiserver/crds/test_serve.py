from tests.apiserver.crds.crd_builders import a_crd, a_version, an_object_schema
from windlass.apiserver.crds.lifecycle import (
    CLEANUP_FINALIZER,
    DELETION_COMPLETED,
    DELETION_IN_PROGRESS,
    mark_for_deletion,
    needs_cleanup,
    set_terminating,
    without_finalizer,
)
from windlass.apiserver.crds.serve import CustomStrategy, crd_status, resources_of
from windlass.kube.json import Object

NOW = "2026-01-01T00:00:00Z"


def test_every_served_version_is_a_resource_with_the_storage_version_first() -> None:
    hidden = {**a_version("v0", storage=False), "served": False}
    resources = resources_of(
        a_crd(a_version("v1", storage=False), a_version("v2"), hidden, names={"shortNames": ["w"]})
    )

    assert [resource.version for resource in resources] == ["v2", "v1"]
    assert {resource.storage_version for resource in resources} == {"v2"}
    assert resources[0].to_storage is None
    assert resources[1].kind == "Widget"
    assert resources[1].namespaced


def test_strategy_none_changes_the_api_version_alone() -> None:
    newer, older = resources_of(a_crd(a_version("v2"), a_version("v1", storage=False)))
    obj: Object = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": 1}}
    assert older.to_storage is not None
    assert older.from_storage is not None

    stored = older.to_storage(obj)

    assert stored == {**obj, "apiVersion": newer.api_version}
    assert older.from_storage(stored) == obj


def test_subresources_columns_and_schema_come_from_the_version() -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size", "labelSelectorPath": ".status.sel"}
    columns = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]
    (resource,) = resources_of(
        a_crd(a_version(subresources={"status": {}, "scale": scale}, additionalPrinterColumns=columns))
    )

    assert resource.subresources == {"status", "scale"}
    assert resource.scale is not None
    assert resource.scale.spec_replicas == "spec.size"
    assert [column.name for column in resource.columns] == ["Name", "Size"]
    assert "size" in resource.schema.properties["spec"].properties


def test_a_deprecated_version_warns() -> None:
    (plain,) = resources_of(a_crd(a_version(deprecated=True)))
    (worded,) = resources_of(a_crd(a_version(deprecated=True, deprecationWarning="use v2")))

    assert plain.deprecated == "example.com/v1 Widget is deprecated"
    assert worded.deprecated == "use v2"


def test_the_status_is_kept_apart_where_it_is_a_subresource() -> None:
    (with_status,) = resources_of(a_crd(a_version(subresources={"status": {}})))
    (without,) = resources_of(a_crd())
    one: Object = {"spec": {}, "status": {"a": 1}}
    two: Object = {"spec": {}, "status": {"a": 1}}

    with_status.strategy.prepare_create(one)
    without.strategy.prepare_create(two)
    updated: Object = {"spec": {}, "status": {"a": 2}}
    with_status.strategy.prepare_update(updated, two)

    assert one == {"spec": {}}
    assert two == {"spec": {}, "status": {"a": 1}}
    assert updated["status"] == {"a": 1}


def test_selectable_fields_are_read_as_text() -> None:
    schema = an_object_schema(on={"type": "boolean"}, size={"type": "integer"}, name={"type": "string"})
    fields = [{"jsonPath": ".spec.on"}, {"jsonPath": ".spec.size"}, {"jsonPath": ".spec.name"}]
    (resource,) = resources_of(a_crd(a_version(schema=schema, selectableFields=fields)))

    found = resource.strategy.selectable_fields({"spec": {"on": True, "size": 3}})

    assert found == {"spec.on": "true", "spec.size": "3", "spec.name": ""}


def test_an_update_is_judged_with_its_old_object() -> None:
    rules = [{"rule": "self.size >= oldSelf.size", "message": "may only grow"}]
    schema = an_object_schema(size={"type": "integer"})
    schema["properties"]["spec"]["x-kubernetes-validations"] = rules
    (resource,) = resources_of(a_crd(a_version(schema=schema)))
    assert isinstance(resource.strategy, CustomStrategy)

    new, old = {"spec": {"size": 1}}, {"spec": {"size": 2}}

    assert resource.strategy.validate(new) == []
    assert [c.message for c in resource.strategy.validate_update(new, old)] == ["Invalid value: may only grow"]
    assert [c.message for c in resource.strategy.validate_change(new, old)] == ["Invalid value: may only grow"]


def test_a_finalizer_without_a_path_is_warned_of() -> None:
    (resource,) = resources_of(a_crd())

    [warning] = resource.strategy.warnings({"metadata": {"finalizers": ["short", "orphan", "example.com/long"]}})

    assert warning.startswith('metadata.finalizers: "short": prefer a domain-qualified finalizer name')


# status


def conditions(status: Object) -> dict[str, tuple[str, str, str]]:
    return {c["type"]: (c["status"], c["reason"], c["message"]) for c in status["conditions"]}


def test_a_definition_alone_is_established_at_once() -> None:
    status = crd_status(a_crd(names={"shortNames": ["w"]}), [], now=NOW)

    assert conditions(status) == {
        "NamesAccepted": ("True", "NoConflicts", "no conflicts found"),
        "Established": ("True", "InitialNamesAccepted", "the initial names have been accepted"),
    }
    assert status["acceptedNames"] == {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "listKind": "WidgetList",
        "shortNames": ["w"],
    }


def test_names_that_are_taken_are_not_given_again() -> None:
    first = a_crd()
    first["status"] = crd_status(first, [], now=NOW)
    second = a_crd(names={"plural": "gadgets", "singular": "gadget"})
    second["metadata"]["name"] = "gadgets.example.com"

    status = crd_status(second, [first, second], now=NOW)

    assert conditions(status) == {
        "NamesAccepted": ("False", "ListKindConflict", '"WidgetList" is already in use'),
        "Established": ("False", "NotAccepted", "not all names are accepted"),
    }
    assert status["acceptedNames"]["kind"] == ""


def test_a_status_that_is_right_stays_as_it_is() -> None:
    crd = a_crd()
    crd["status"] = crd_status(crd, [], now=NOW)

    assert crd_status(crd, [crd], now="2027-01-01T00:00:00Z") == crd["status"]


def test_deletion_waits_for_the_instances() -> None:
    crd = a_crd()
    mark_for_deletion(crd, now=NOW)
    crd["metadata"]["deletionTimestamp"] = NOW

    assert crd["metadata"]["finalizers"] == [CLEANUP_FINALIZER]
    assert conditions(crd["status"])["Terminating"][1] == "InstanceDeletionPending"
    assert needs_cleanup(crd)

    set_terminating(crd, DELETION_IN_PROGRESS, now=NOW)
    assert conditions(crd["status"])["Terminating"] == (
        "True",
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress",
    )

    set_terminating(crd, DELETION_COMPLETED, now=NOW)
    without_finalizer(crd)
    assert not needs_cleanup(crd)
